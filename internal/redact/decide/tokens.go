package decide

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"bugslice/internal/redact/lex"
)

// format is the format of a token: a prefix, and at least so many bytes of a set.
type format struct {
	prefix string
	set    uint16
	least  int
	inner  int  // the least bytes within a word; -1 for never
	exact  bool // it has just the least bytes, and ends where a word does
	mixed  bool // it has capitals and digits, as random text has and class names have not
	check  func(rest string) bool
	rule   *Rule
}

// head is the second and the third byte of a prefix; the third is 0 when it has none.
type head [2]byte

// tokens are the formats of tokens, by their first byte.
type tokens struct {
	formats [256][]format
	heads   [256][]head          // of the formats, in their order
	starts  [1 << 16 / 64]uint64 // the pairs of bytes with which a token begins
}

var formatSets = map[string]uint16{"alnum": lex.Alnum, "word": lex.Word, "dotted": lex.Word | lex.Dot,
	"base64": lex.Base64,
	"upper":  lex.Upper, "hex": lex.Hexits, "dollar": lex.Word | lex.Dollar}

var formatChecks = map[string]func(rest string) bool{
	"uuid":      func(rest string) bool { return lex.IsUUID(rest[:min(len(rest), 36)]) },
	"secretpem": func(rest string) bool { return !isPublicPEM(rest) },
}

// add adds the formats of rules.
func (t *tokens) add(rules []*Rule) error {
	for _, r := range rules {
		if r.Sort != "token" {
			continue
		}
		f, err := newFormat(r)
		if err != nil {
			return fmt.Errorf("token %s: %w", r.ID, err)
		}
		for _, f.prefix = range strings.Fields(r.wordsOf("prefix")) {
			if len(f.prefix) < 2 {
				return fmt.Errorf("token %s: %q is too short", r.ID, f.prefix)
			}
			t.formats[f.prefix[0]] = append(t.formats[f.prefix[0]], f)
			h := head{f.prefix[1]}
			if len(f.prefix) > 2 {
				h[1] = f.prefix[2]
			}
			t.heads[f.prefix[0]] = append(t.heads[f.prefix[0]], h)
			t.start(f.prefix)
		}
	}
	for _, pair := range strings.Fields("ey ew ZX bo MD MT Mj Mz ND NT Nj Nz OD OT") { // JSON web tokens, bots of Telegram and Discord
		t.start(pair)
	}
	return nil
}

// newFormat reads what follows the prefixes of a rule.
func newFormat(r *Rule) (f format, err error) {
	then := strings.Fields(r.wordsOf("then"))
	if len(then) < 2 {
		return f, fmt.Errorf("no set and number after then")
	}
	f = format{rule: r, set: formatSets[then[0]]}
	if f.least, err = strconv.Atoi(then[1]); err != nil || f.set == 0 {
		return f, fmt.Errorf("%q is no set and number", strings.Join(then, " "))
	}
	f.inner = f.least
	for _, word := range then[2:] {
		within, isWithin := strings.CutPrefix(word, "within=")
		switch {
		case word == "exact":
			f.exact = true
		case word == "mixed":
			f.mixed = true
		case word == "apart":
			f.inner = -1
		case isWithin:
			f.inner, err = strconv.Atoi(within)
		case formatChecks[word] != nil:
			f.check = formatChecks[word]
		default:
			err = fmt.Errorf("%q is not known", word)
		}
	}
	return f, err
}

func (t *tokens) start(prefix string) {
	n := int(prefix[0])<<8 | int(prefix[1])
	t.starts[n/64] |= 1 << (n % 64)
}

// mayBegin reports whether the two bytes at i begin a token of a known format.
func (t *tokens) mayBegin(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	n := int(s[i])<<8 | int(s[i+1])
	return t.starts[n/64]&(1<<(n%64)) != 0
}

// prefixed returns the end of the token with a known prefix that begins at i.
func (t *tokens) prefixed(s string, i int, within bool) (end int, m Meaning) {
	all := t.formats[s[i]]
	for k, h := range t.heads[s[i]] {
		if s[i+1] != h[0] || h[1] != 0 && (i+2 == len(s) || s[i+2] != h[1]) {
			continue
		}
		if f := &all[k]; strings.HasPrefix(s[i:], f.prefix) {
			if end := f.end(s, i+len(f.prefix), within); end > 0 {
				return end, Meaning{Class: Always, Rule: f.rule}
			}
		}
	}
	switch c := s[i]; {
	case c == 'e':
		return jwtEnd(s, i), WebToken
	case c == 'Z' && strings.HasPrefix(s[i:], "ZXlK"):
		return encodedJWTEnd(s, i), WebToken
	case c >= 'M' && c <= 'O':
		return discordEnd(s, i), ChatBot
	case c == 'b' && strings.HasPrefix(s[i:], "bot"):
		if end := telegramEnd(s, i+3); end > i+3 {
			return end, ChatBot
		}
	}
	return i, m
}

// end returns where the token ends whose prefix ends at from, or 0.
func (f *format) end(s string, from int, within bool) int {
	end := lex.Run(s[:min(len(s), from+maxToken)], from, f.set)
	n := end - from
	switch {
	case n < f.least, within && (f.inner < 0 || n < f.inner):
		return 0
	case f.exact && (n != f.least || lex.Run(s, end, lex.Alnum) > end):
		return 0
	case f.mixed && !lex.HasCapitalAndDigit(s[from:end]):
		return 0
	case f.check != nil && !f.check(s[from:]):
		return 0
	}
	end = lex.Run(s, end, f.set)
	for s[end-1] == '.' { // of a sentence
		end--
	}
	return end
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
	head := lex.Run(s[:min(len(s), i+maxJOSE+1)], i, lex.Word)
	if head == len(s) || s[head] != '.' || head-i > maxJOSE {
		return i
	}
	payload := lex.Run(s, head+1, lex.Word)
	if payload == head+1 && (payload == len(s) || s[payload] != '.') {
		return i
	}
	text, err := base64.RawURLEncoding.DecodeString(s[i:head])
	if err != nil || !isJOSEHeader(string(text)) {
		return i
	}
	end := payload
	for end < len(s) && s[end] == '.' { // the signature; five parts if it is encrypted
		next := lex.Run(s, end+1, lex.Word)
		if next == end+1 && end > payload {
			break
		}
		end = next
	}
	return end
}

// encodedJWTEnd returns the end of the text in base64 that begins at i and is a JSON web token, or i.
func encodedJWTEnd(s string, i int) int {
	end := lex.Run(s[:min(len(s), i+maxJOSE+1)], i, lex.Base64)
	if plain := string(lex.DecodeDigits(s[i:end])); plain == "" || jwtEnd(plain, 0) == 0 {
		return i
	}
	return lex.Run(s, end, lex.Base64)
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

// telegramEnd returns the end of the token of a Telegram bot that begins at i, or i: its number, a colon and 35
// characters.
func telegramEnd(s string, i int) int {
	colon := i
	for colon < len(s) && colon < i+11 && s[colon] >= '0' && s[colon] <= '9' {
		colon++
	}
	if colon-i < 8 || !strings.HasPrefix(s[colon:], ":AA") {
		return i
	}
	if end := lex.Run(s, colon+1, lex.Word); end-colon-1 == 35 {
		return end
	}
	return i
}

// discordEnd returns the end of the token of a Discord bot that begins at i, or i: its number in base64, a time and a
// signature.
func discordEnd(s string, i int) int {
	dot := lex.Run(s[:min(len(s), i+30)], i, lex.Alnum)
	if dot-i < 22 || dot-i > 28 || dot == len(s) || s[dot] != '.' {
		return i
	}
	second := lex.Run(s[:min(len(s), dot+10)], dot+1, lex.Word)
	if n := second - dot - 1; n < 5 || n > 8 || second == len(s) || s[second] != '.' {
		return i
	}
	number, err := base64.RawStdEncoding.DecodeString(s[i:dot])
	if err != nil || strings.Trim(string(number), "0123456789") != "" {
		return i
	}
	if end := lex.Run(s, second+1, lex.Word); end-second > 20 {
		return end
	}
	return i
}
