package redact

import (
	"encoding/base64"
	"strings"
)

// Sets of bytes.
const (
	alnum  uint8 = 1 << iota // letters and digits
	under                    // _ and -
	base                     // + / and =
	dot                      // . ~
	space                    // blank and tab
	quote                    // " ' and `
	upper                    // capital letters and digits
	hexits                   // hexadecimal digits in lower case
)

const word = alnum | under

var sets = func() (t [256]uint8) {
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= '0' && b <= '9':
			t[c] |= alnum | upper | hexits
		case b >= 'a' && b <= 'f':
			t[c] |= alnum | hexits
		case b >= 'g' && b <= 'z':
			t[c] |= alnum
		case b >= 'A' && b <= 'Z':
			t[c] |= alnum | upper
		case b == '_' || b == '-':
			t[c] |= under
		case b == '+' || b == '/' || b == '=':
			t[c] |= base
		case b == '.' || b == '~':
			t[c] |= dot
		case b == ' ' || b == '\t':
			t[c] |= space
		case b == '"' || b == '\'' || b == '`':
			t[c] |= quote
		}
	}
	return t
}()

// run returns where the run of bytes of a set that begins at i ends.
func run(s string, i int, set uint8) int {
	for i < len(s) && sets[s[i]]&set != 0 {
		i++
	}
	return i
}

// format is a token's: a prefix, and at least so many bytes of a set. An exact one has just
// as many, and ends where a word does. A mixed one has capitals and digits, as random text
// has and class names do not.
type format struct {
	prefix string
	min    int
	set    uint8
	exact  bool
	mixed  bool
	kind   string
}

var formats = func() (t [256][]format) {
	for _, f := range []format{
		{prefix: "svc_pat_", min: 20, set: alnum}, {prefix: "svc_wst_", min: 20, set: alnum}, {prefix: "whsec_", min: 16, set: word | base},
		{prefix: "ghp_", min: 20, set: alnum}, {prefix: "gho_", min: 20, set: alnum}, {prefix: "ghu_", min: 20, set: alnum},
		{prefix: "ghs_", min: 20, set: alnum}, {prefix: "ghr_", min: 20, set: alnum}, {prefix: "github_pat_", min: 20, set: word},
		{prefix: "glpat-", min: 16, set: word}, {prefix: "gldt-", min: 16, set: word}, {prefix: "glrt-", min: 16, set: word}, {prefix: "glptt-", min: 16, set: word},
		{prefix: "xoxb-", min: 10, set: word}, {prefix: "xoxp-", min: 10, set: word}, {prefix: "xoxa-", min: 10, set: word}, {prefix: "xoxr-", min: 10, set: word},
		{prefix: "xoxs-", min: 10, set: word}, {prefix: "xoxc-", min: 10, set: word}, {prefix: "xoxd-", min: 10, set: word}, {prefix: "xoxe", min: 20, set: word | dot},
		{prefix: "xapp-", min: 20, set: word},
		{prefix: "sk_live_", min: 10, set: alnum}, {prefix: "sk_test_", min: 10, set: alnum}, {prefix: "rk_live_", min: 10, set: alnum}, {prefix: "rk_test_", min: 10, set: alnum},
		{prefix: "AIza", min: 30, set: word}, {prefix: "ya29.", min: 20, set: word | dot}, {prefix: "GOCSPX-", min: 20, set: word}, {prefix: "1//0", min: 30, set: word},
		{prefix: "npm_", min: 30, set: alnum}, {prefix: "pypi-", min: 50, set: word}, {prefix: "rubygems_", min: 40, set: alnum}, {prefix: "dckr_pat_", min: 20, set: word},
		{prefix: "SG.", min: 32, set: word | dot, mixed: true}, {prefix: "SK", min: 32, set: hexits, exact: true}, {prefix: "key-", min: 32, set: hexits, exact: true},
		{prefix: "sk-ant-", min: 20, set: word}, {prefix: "sk-proj-", min: 20, set: word}, {prefix: "sk-svcacct-", min: 20, set: word}, {prefix: "sk-", min: 20, set: word, mixed: true},
		{prefix: "hf_", min: 30, set: alnum}, {prefix: "shpat_", min: 20, set: alnum}, {prefix: "shpca_", min: 20, set: alnum}, {prefix: "shppa_", min: 20, set: alnum}, {prefix: "shpss_", min: 20, set: alnum},
		{prefix: "dop_v1_", min: 32, set: hexits}, {prefix: "doo_v1_", min: 32, set: hexits}, {prefix: "dor_v1_", min: 32, set: hexits},
		{prefix: "AKIA", min: 16, set: upper, exact: true}, {prefix: "ASIA", min: 16, set: upper, exact: true}, {prefix: "ABIA", min: 16, set: upper, exact: true},
		{prefix: "hvs.", min: 20, set: word}, {prefix: "hvb.", min: 20, set: word}, {prefix: "glsa_", min: 20, set: word}, {prefix: "lin_api_", min: 30, set: alnum},
		{prefix: "sntrys_", min: 20, set: word | base}, {prefix: "sntryu_", min: 20, set: word}, {prefix: "figd_", min: 20, set: word}, {prefix: "PMAK-", min: 40, set: word},
		{prefix: "ATATT3", min: 50, set: word | base}, {prefix: "AGE-SECRET-KEY-1", min: 50, set: upper}, {prefix: "NRAK-", min: 20, set: upper},
		{prefix: "sq0csp-", min: 30, set: word}, {prefix: "sq0atp-", min: 20, set: word}, {prefix: "pul-", min: 40, set: hexits, exact: true}, {prefix: "dapi", min: 32, set: hexits, exact: true},
		{prefix: "LS0tLS1CRUdJTi", min: 40, set: word | base, kind: kindKey}, // a PEM block in base64
	} {
		if f.kind == "" {
			f.kind = kindToken
		}
		t[f.prefix[0]] = append(t[f.prefix[0]], f)
	}
	return t
}()

// known returns the end and the kind of the token that begins at i, if its format is known.
func known(s string, i int) (end int, kind string) {
	for k := range formats[s[i]] {
		f := &formats[s[i]][k]
		if !strings.HasPrefix(s[i:], f.prefix) {
			continue
		}
		from := i + len(f.prefix)
		end := run(s, from, f.set)
		switch {
		case end-from < f.min:
		case f.exact && (end-from != f.min || run(s, end, word) > end):
		case f.mixed && !mixed(s[from:end]):
		case f.kind == kindKey && (strings.HasPrefix(s[from:], "BDRVJU") || strings.HasPrefix(s[from:], "BQVUJMSUM")): // a certificate, a public key
		default:
			return end, f.kind
		}
	}
	switch c := s[i]; {
	case c == 'e':
		return jwt(s, i), kindJWT
	case c >= '0' && c <= '9':
		if end := card(s, i); end > i {
			return end, kindCard
		}
		return telegram(s, i), kindToken
	case c == 'b' && strings.HasPrefix(s[i:], "bot"):
		if end := telegram(s, i+3); end > i+3 {
			return end, kindToken
		}
	}
	return i, ""
}

func mixed(s string) bool {
	var capital, digit bool
	for i := range len(s) {
		capital = capital || s[i] >= 'A' && s[i] <= 'Z'
		digit = digit || s[i] >= '0' && s[i] <= '9'
	}
	return capital && digit
}

// maxJOSE bounds the header of a JSON web token.
const maxJOSE = 8 << 10

// jwt returns the end of the JSON web token that begins at i, or i.
func jwt(s string, i int) int {
	if !strings.HasPrefix(s[i:], "eyJ") && !strings.HasPrefix(s[i:], "ewog") && !strings.HasPrefix(s[i:], "eyAi") {
		return i
	}
	head := run(s, i, word)
	if head == len(s) || s[head] != '.' || head-i > maxJOSE {
		return i
	}
	payload := run(s, head+1, word)
	if payload == head+1 && (payload == len(s) || s[payload] != '.') {
		return i
	}
	text, err := base64.RawURLEncoding.DecodeString(s[i:head])
	if err != nil || !jose(string(text)) {
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

// jose says whether a text has a member that such headers have.
func jose(s string) bool {
	for _, name := range [...]string{`"alg"`, `"typ"`, `"kid"`, `"enc"`, `"jku"`, `"x5t"`} {
		if strings.Contains(s, name) {
			return true
		}
	}
	return false
}

// telegram returns the end of a bot's token, or i: its number, a colon and 35 characters.
func telegram(s string, i int) int {
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
