package decide

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxLength bounds the bytes of one rule.
const MaxLength = 200

// ending is a rule about the end of names.
type ending struct {
	text  string
	match match
	Meaning
}

// match says how much of a name a rule must match.
type match uint8

const (
	lastLetters match = iota
	lastWords
	wholeName
)

// names are the rules about names.
type names struct {
	endings [26 * 26][]ending  // by the last two letters of the name
	ends    [26 * 26 * 26]bool // the last three letters that a name may have, also with words that tell several secrets apart
	variant [26 * 26]bool      // the last two letters of those words
}

// variants are words that tell several secrets apart.
var variants = strings.Fields(`prod production dev development staging stage test testing qa uat live sandbox local preview ci v old new
	current previous backup primary secondary main default eu us raw plain plaintext encoded neu alt nuevo nueva novo nova nouveau`)

var valueClasses = map[string]Class{"never": NotSecret, "always": Always, "often": Often, "number": IfNumber,
	"list": UnlessNumber,
	"url":  InURL, "random": IfRandom, "key": IfKey}

// add adds the rules about names.
func (t *names) add(rules []*Rule) error {
	for _, w := range variants {
		t.mayEnd(w)
		for a := byte('a'); len(w) == 1 && a <= 'z'; a++ {
			t.variant[pair(a, w[0])] = true
		}
		if len(w) > 1 {
			t.variant[pair(w[len(w)-2], w[len(w)-1])] = true
		}
	}
	for _, r := range rules {
		if r.Sort != "name" {
			continue
		}
		for how, key := range [...]string{lastLetters: "end", lastWords: "words", wholeName: "whole"} {
			for name := range strings.FieldsSeq(r.wordsOf(key)) {
				if err := t.addEnding(r, name, match(how)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addEnding adds an ending of names to a rule.
func (t *names) addEnding(r *Rule, name string, how match) error {
	var f folded
	f.fold(name)
	if f.n < 2 {
		return fmt.Errorf("name %s: %q is too short", r.ID, name)
	}
	class, known := valueClasses[r.wordsOf("value")]
	if !known {
		return fmt.Errorf("name %s: %q is no value", r.ID, r.wordsOf("value"))
	}
	text := string(f.text[:f.n])
	n := pair(text[f.n-2], text[f.n-1])
	t.endings[n] = append(t.endings[n], ending{text, how, Meaning{Class: class, Scalar: r.has("scalar"), Rule: r}})
	t.mayEnd(text)
	return nil
}

// mayEnd records that a name may end with a word.
func (t *names) mayEnd(w string) {
	if len(w) > 2 {
		t.ends[triple(w[len(w)-3:])] = true
		return
	}
	for c := byte('a'); c <= 'z'; c++ {
		t.mayEnd(string(c) + w)
	}
}

// triple numbers three lower-case letters.
func triple(s string) int { return int(s[0]-'a')%26*676 + pair(s[1], s[2]) }

// pair numbers two lower-case letters. A digit counts as an a.
func pair(a, b byte) int {
	if a -= 'a'; a > 25 {
		a = 0
	}
	if b -= 'a'; b > 25 {
		b = 0
	}
	return int(a)*26 + int(b)
}

// folded is a name in lower case, without punctuation and accents and in the usual width, with the beginnings of its
// words. Only the end of a name that is longer than a rule may be is kept.
type folded struct {
	text   [MaxLength]byte
	n      int
	starts [MaxLength/64 + 1]uint64
}

func (f *folded) fold(name string) {
	if len(name) > MaxLength {
		name = name[len(name)-MaxLength:]
	}
	begins := true
	lower := false
	for i := range len(name) {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			lower = true
		case c >= 'A' && c <= 'Z':
			begins = begins || lower
			lower = false
			c |= 0x20
		case c >= utf8.RuneSelf:
			f.foldUnicode(name)
			return
		default:
			begins = true
			continue
		}
		if begins {
			f.starts[f.n/64] |= 1 << (f.n % 64)
		}
		f.text[f.n] = c
		f.n++
		begins = false
	}
}

// foldUnicode folds a name that has letters beyond ASCII.
func (f *folded) foldUnicode(name string) {
	*f = folded{}
	begins, lower := true, false
	name = norm.NFKD.String(name)
	if len(name) > MaxLength/2 { // a letter that becomes two takes two bytes
		name = name[len(name)-MaxLength/2:]
	}
	for _, c := range name {
		switch {
		case unicode.IsMark(c):
			continue
		case !unicode.IsLetter(c) && !unicode.IsNumber(c) || c == utf8.RuneError:
			begins = true
			continue
		}
		capital := unicode.IsUpper(c)
		if begins = begins || capital && lower; begins {
			f.starts[f.n/64] |= 1 << (f.n % 64)
		}
		lower, begins = !capital, false
		c = unicode.ToLower(c)
		if plain, ok := plainLetters[c]; ok {
			f.n += copy(f.text[f.n:], plain)
		} else if f.n+utf8.RuneLen(c) <= len(f.text) {
			f.n += utf8.EncodeRune(f.text[f.n:], c)
		}
	}
}

// plainLetters are letters that Unicode does not decompose.
var plainLetters = map[rune]string{'ı': "i", 'ł': "l", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ß': "ss", 'æ': "ae",
	'œ': "oe", 'ς': "σ"}

func (f *folded) wordAt(i int) bool { return f.starts[i/64]&(1<<(i%64)) != 0 }

// builtin returns the rule of a name, also without the words that tell several secrets apart.
func (t *names) builtin(f *folded) ending {
	best := t.ending(f, f.unnumberedEnd(f.n))
	n := f.unnumberedEnd(f.n)
	if best.Class != NotSecret || best.text != "" || n < 2 || !t.variant[pair(f.text[n-2], f.text[n-1])] {
		return best
	}
	n = f.variantStart()
	if n == 0 {
		return best
	}
	best = t.ending(f, n)
	if best.Class == Often && best.match == wholeName || best.Class == IfNumber {
		return ending{}
	}
	return best
}

// unnumberedEnd returns where a name ends without its number.
func (f *folded) unnumberedEnd(n int) int {
	for n > 0 && f.text[n-1] <= '9' {
		n--
	}
	return n
}

// variantStart returns where a name ends without the last words that tell several secrets apart, such as old or
// production; 0 when it has none.
func (f *folded) variantStart() int {
	whole := f.unnumberedEnd(f.n)
	for n := whole; ; {
		at := n - 1
		for at > 0 && !f.wordAt(at) {
			at--
		}
		last := ""
		if at > 0 {
			last = string(f.text[at:n])
		}
		switch {
		case slices.Contains(variants, last):
			n = f.unnumberedEnd(at)
		default:
			if n == whole {
				return 0
			}
			return n
		}
	}
}

// ending returns the longest rule that matches the end of the first n letters of a name.
func (t *names) ending(f *folded, n int) ending {
	var best ending
	if n < 2 {
		return best
	}
	for _, e := range t.endings[pair(f.text[n-2], f.text[n-1])] {
		at := n - len(e.text)
		switch {
		case at < 0 || len(e.text) <= len(best.text) || string(f.text[at:n]) != e.text:
		case e.match == wholeName && at > 0, e.match == lastWords && !f.wordAt(at):
		default:
			best = e
		}
	}
	return best
}

// Glob is a folded name, which may continue at the ends where a '*' was.
type Glob struct {
	text               string
	openStart, openEnd bool
	rule               *Rule
}

func (g Glob) match(name []byte) bool {
	switch {
	case len(name) < len(g.text):
		return false
	case g.openStart && g.openEnd:
		return strings.Contains(string(name), g.text)
	case g.openStart:
		return string(name[len(name)-len(g.text):]) == g.text
	case g.openEnd:
		return string(name[:len(g.text)]) == g.text
	}
	return string(name) == g.text
}

// NewGlob returns the glob of a name, which may have a '*' at each end, and whose values a rule removes.
func NewGlob(name string, rule *Rule) (Glob, error) {
	var f folded
	f.fold(name)
	inner := strings.TrimSuffix(strings.TrimPrefix(name, "*"), "*")
	switch {
	case strings.Contains(inner, "*"):
		return Glob{}, fmt.Errorf("%q has a * that is not at an end", name)
	case f.n < 2:
		return Glob{}, fmt.Errorf("%q has fewer than two letters or digits", name)
	}
	return Glob{string(f.text[:f.n]), strings.HasPrefix(name, "*"), strings.HasSuffix(name, "*"), rule}, nil
}

// Unescape returns a text without percent escapes; as it is when they are wrong.
func Unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
