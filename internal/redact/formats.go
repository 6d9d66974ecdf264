package redact

import (
	"encoding/base64"
	"strings"
)

// format is the format of a token: a prefix, and at least min bytes of a set. An exact token has just min bytes, and ends where a word
// does. A mixed one has capitals and digits, as random text has and class names have not.
type format struct {
	prefix string
	min    int
	set    uint8
	exact  bool
	mixed  bool
	kind   string
	inner  int // the least bytes within a word; min when 0, never within a word when -1
}

var formats = func() (t [256][]format) {
	for _, f := range []format{
		{prefix: "svc_pat_", min: 20, set: alnum}, {prefix: "svc_wst_", min: 20, set: alnum}, {prefix: "svc_shr_", min: 20, set: alnum},
		{prefix: "svc_ref_", min: 20, set: alnum},
		{prefix: "whsec_", min: 16, set: word | base},
		{prefix: "ghp_", min: 20, set: alnum}, {prefix: "gho_", min: 20, set: alnum}, {prefix: "ghu_", min: 20, set: alnum},
		{prefix: "ghs_", min: 20, set: alnum}, {prefix: "ghr_", min: 20, set: alnum}, {prefix: "github_pat_", min: 20, set: word},
		{prefix: "glpat-", min: 16, set: word}, {prefix: "gldt-", min: 16, set: word}, {prefix: "glrt-", min: 16, set: word},
		{prefix: "glptt-", min: 16, set: word},
		{prefix: "xoxb-", min: 10, set: word}, {prefix: "xoxp-", min: 10, set: word}, {prefix: "xoxa-", min: 10, set: word},
		{prefix: "xoxr-", min: 10, set: word},
		{prefix: "xoxs-", min: 10, set: word}, {prefix: "xoxc-", min: 10, set: word}, {prefix: "xoxd-", min: 10, set: word},
		{prefix: "xoxe", min: 20, set: word | dot},
		{prefix: "xapp-1-", min: 20, set: word}, {prefix: "xapp-", min: 20, set: word, mixed: true, inner: -1},
		{prefix: "mfa.", min: 60, set: word, mixed: true},
		{prefix: "sk_live_", min: 10, set: alnum}, {prefix: "sk_test_", min: 10, set: alnum}, {prefix: "rk_live_", min: 10, set: alnum},
		{prefix: "rk_test_", min: 10, set: alnum},
		{prefix: "AIza", min: 30, set: word}, {prefix: "ya29.", min: 20, set: word | dot}, {prefix: "GOCSPX-", min: 20, set: word},
		{prefix: "1//0", min: 30, set: word},
		{prefix: "npm_", min: 30, set: alnum}, {prefix: "pypi-", min: 50, set: word}, {prefix: "rubygems_", min: 40, set: alnum},
		{prefix: "dckr_pat_", min: 20, set: word},
		{prefix: "SG.", min: 32, set: word | dot, mixed: true, inner: 60}, {prefix: "SK", min: 32, set: hexits, exact: true},
		{prefix: "key-", min: 32, set: hexits, exact: true, inner: -1},
		{prefix: "sk-ant-", min: 20, set: word}, {prefix: "sk-proj-", min: 20, set: word}, {prefix: "sk-svcacct-", min: 20, set: word},
		{prefix: "sk-", min: 20, set: word, mixed: true, inner: -1},
		{prefix: "sk-", min: 20, set: alnum, mixed: true},
		{prefix: "hf_", min: 30, set: alnum}, {prefix: "shpat_", min: 20, set: alnum}, {prefix: "shpca_", min: 20, set: alnum},
		{prefix: "shppa_", min: 20, set: alnum}, {prefix: "shpss_", min: 20, set: alnum},
		{prefix: "dop_v1_", min: 32, set: hexits}, {prefix: "doo_v1_", min: 32, set: hexits}, {prefix: "dor_v1_", min: 32, set: hexits},
		{prefix: "AKIA", min: 16, set: upper, exact: true}, {prefix: "ASIA", min: 16, set: upper, exact: true},
		{prefix: "ABIA", min: 16, set: upper, exact: true},
		{prefix: "hvs.", min: 20, set: word}, {prefix: "hvb.", min: 20, set: word}, {prefix: "glsa_", min: 20, set: word},
		{prefix: "lin_api_", min: 30, set: alnum},
		{prefix: "sntrys_", min: 20, set: word | base}, {prefix: "sntryu_", min: 20, set: word}, {prefix: "figd_", min: 20, set: word},
		{prefix: "PMAK-", min: 40, set: word},
		{prefix: "ATATT3", min: 50, set: word | base}, {prefix: "AGE-SECRET-KEY-1", min: 50, set: upper},
		{prefix: "NRAK-", min: 20, set: upper},
		{prefix: "sq0csp-", min: 30, set: word}, {prefix: "sq0atp-", min: 20, set: word},
		{prefix: "pul-", min: 40, set: hexits, exact: true}, {prefix: "dapi", min: 32, set: hexits, exact: true},
		{prefix: "LS0tLS1CRUdJTi", min: 40, set: word | base, kind: kindKey}, // a PEM block in base64
	} {
		if f.kind == "" {
			f.kind = kindToken
		}
		t[f.prefix[0]] = append(t[f.prefix[0]], f)
	}
	return t
}()

// tokenStarts are the pairs of letters with which a token of a known format begins.
var tokenStarts = func() (t [1 << 16 / 64]uint64) {
	add := func(pair string) {
		n := int(pair[0])<<8 | int(pair[1])
		t[n/64] |= 1 << (n % 64)
	}
	for _, all := range formats {
		for _, f := range all {
			add(f.prefix)
		}
	}
	for _, pair := range strings.Fields("ey ew ZX bo MD MT Mj Mz ND NT Nj Nz OD OT") { // JSON web tokens, bots of Telegram and Discord
		add(pair)
	}
	return t
}()

// mayBeginToken reports whether the two bytes at i begin a token of a known format.
func mayBeginToken(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	n := int(s[i])<<8 | int(s[i+1])
	return tokenStarts[n/64]&(1<<(n%64)) != 0
}

// tokenEnd returns the end and the kind of the card number or token of a known format that begins at i; the end is i when there is none.
func tokenEnd(s string, i int) (end int, kind string) {
	if isDigit(s[i]) {
		if end = cardEnd(s, i); end > i {
			return end, kindCard
		}
		if end = telegramEnd(s, i); end > i {
			return end, kindToken
		}
	}
	if !mayBeginToken(s, i) {
		return i, ""
	}
	return prefixedToken(s, i, false)
}

// tokenWithin returns the first token of a known format in the word s[i:j] after a dash, an underscore or an escape, as in the name of a
// file.
func tokenWithin(s string, i, j int) (at, end int, kind string) {
	if i > 1 && s[i-1] == '%' && j > i+2 {
		if end, kind := tokenEnd(s, i+2); end > i+2 {
			return i + 2, end, kind
		}
	}
	if j-i < 15 && (j == len(s) || s[j] != '.') {
		return i, i, ""
	}
	for k := i; k+1 < j; k++ {
		if sets[s[k]]&under == 0 || !mayBeginToken(s, k+1) {
			continue
		}
		if end, kind := prefixedToken(s, k+1, true); end > k+1 && strings.ContainsAny(s[k+1:end], "0123456789") {
			return k + 1, end, kind
		}
	}
	return i, i, ""
}

// prefixedToken returns the end and the kind of the token with a known prefix that begins at i.
func prefixedToken(s string, i int, within bool) (end int, kind string) {
	for k := range formats[s[i]] {
		f := &formats[s[i]][k]
		if !strings.HasPrefix(s[i:], f.prefix) {
			continue
		}
		from := i + len(f.prefix)
		end := run(s[:min(len(s), from+maxToken)], from, f.set)
		switch {
		case end-from < f.min, within && (f.inner < 0 || end-from < f.inner):
		case f.exact && (end-from != f.min || run(s, end, alnum) > end):
		case f.mixed && !hasCapitalAndDigit(s[from:end]):
		case f.kind == kindKey && isPublicPEM(s[from:]):
		default:
			return run(s, end, f.set), f.kind
		}
	}
	switch c := s[i]; {
	case c == 'e':
		return jwtEnd(s, i), kindJWT
	case c == 'Z' && strings.HasPrefix(s[i:], "ZXlK"):
		return encodedJWTEnd(s, i), kindJWT
	case c >= 'M' && c <= 'O':
		return discordEnd(s, i), kindToken
	case c == 'b' && strings.HasPrefix(s[i:], "bot"):
		if end := telegramEnd(s, i+3); end > i+3 {
			return end, kindToken
		}
	}
	return i, ""
}

// isPublicPEM reports whether the text after the encoded beginning of a PEM block names a certificate or a public key.
func isPublicPEM(s string) bool {
	return strings.HasPrefix(s, "BDRVJU") || strings.HasPrefix(s, "BQVUJMSUM")
}

// maxToken bounds the bytes that are read to recognise a token by its format.
const maxToken = 200

// maxJOSE bounds the header of a JSON web token.
const maxJOSE = 8 << 10

// jwtEnd returns the end of the JSON web token that begins at i, or i.
func jwtEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], "eyJ") && !strings.HasPrefix(s[i:], "ewog") && !strings.HasPrefix(s[i:], "eyAi") {
		return i
	}
	head := run(s[:min(len(s), i+maxJOSE+1)], i, word)
	if head == len(s) || s[head] != '.' || head-i > maxJOSE {
		return i
	}
	payload := run(s, head+1, word)
	if payload == head+1 && (payload == len(s) || s[payload] != '.') {
		return i
	}
	text, err := base64.RawURLEncoding.DecodeString(s[i:head])
	if err != nil || !isJOSEHeader(string(text)) {
		return i
	}
	end := payload
	for end < len(s) && s[end] == '.' { // the signature; five parts if it is encrypted
		next := run(s, end+1, word)
		if next == end+1 && end > payload {
			break
		}
		end = next
	}
	return end
}

// encodedJWTEnd returns the end of the text in base64 that begins at i and is a JSON web token, or i.
func encodedJWTEnd(s string, i int) int {
	end := run(s[:min(len(s), i+maxJOSE+1)], i, base64Alphabet)
	if plain := string(decodeDigits(s[i:end])); plain == "" || jwtEnd(plain, 0) == 0 {
		return i
	}
	return run(s, end, base64Alphabet)
}

// isJOSEHeader reports whether a text has a member of the header of a JSON web token.
func isJOSEHeader(s string) bool {
	for _, name := range [...]string{`"alg"`, `"typ"`, `"kid"`, `"enc"`, `"jku"`, `"x5t"`} {
		if strings.Contains(s, name) {
			return true
		}
	}
	return false
}

// telegramEnd returns the end of the token of a Telegram bot that begins at i, or i: its number, a colon and 35 characters.
func telegramEnd(s string, i int) int {
	colon := i
	for colon < len(s) && colon < i+11 && s[colon] >= '0' && s[colon] <= '9' {
		colon++
	}
	if colon-i < 8 || !strings.HasPrefix(s[colon:], ":AA") {
		return i
	}
	if end := run(s, colon+1, word); end-colon-1 == 35 {
		return end
	}
	return i
}

// discordEnd returns the end of the token of a Discord bot that begins at i, or i: its number in base64, a time and a signature.
func discordEnd(s string, i int) int {
	dot := run(s[:min(len(s), i+30)], i, alnum)
	if dot-i < 22 || dot-i > 28 || dot == len(s) || s[dot] != '.' {
		return i
	}
	second := run(s[:min(len(s), dot+10)], dot+1, word)
	if n := second - dot - 1; n < 5 || n > 8 || second == len(s) || s[second] != '.' {
		return i
	}
	number, err := base64.RawStdEncoding.DecodeString(s[i:dot])
	if err != nil || strings.Trim(string(number), "0123456789") != "" {
		return i
	}
	if end := run(s, second+1, word); end-second > 20 {
		return end
	}
	return i
}
