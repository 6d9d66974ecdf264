package decide

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"bugslice/internal/redact/lex"
)

// wordLists are words by what they are.
type wordLists struct {
	common, constant, types, state, scheme, link, account, before, technique, product,
	weak wordList
}

// wordList is a list of words.
type wordList struct {
	words   map[string]bool
	lengths [256]uint32 // the lengths of words, by their first byte
}

func (l *wordList) add(w string) {
	l.words[w] = true
	l.lengths[w[0]] |= 1 << min(len(w), 31)
}

// has reports whether a word is in the list, in any case.
func (l *wordList) has(w string) bool {
	if w == "" || (l.lengths[w[0]]|l.lengths[w[0]|0x20])>>min(len(w), 31)&1 == 0 && w[0] < utf8.RuneSelf {
		return false
	}
	for i := range len(w) {
		if c := w[i]; c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf {
			return l.words[strings.ToLower(w)]
		}
	}
	return l.words[w]
}

var words = sync.OnceValue(func() *wordLists {
	raw, err := files.ReadFile("rules/words.txt")
	if err != nil {
		panic(err)
	}
	var all wordLists
	lists := map[string]*wordList{"common": &all.common, "constant": &all.constant, "type": &all.types,
		"state":  &all.state,
		"scheme": &all.scheme, "link": &all.link, "account": &all.account, "before": &all.before,
		"technique": &all.technique,
		"product":   &all.product, "weak": &all.weak}
	for _, list := range lists {
		list.words = map[string]bool{}
	}
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] != "#" {
			for _, w := range fields[1:] {
				lists[fields[0]].add(w)
			}
		}
	}
	return &all
})

const signsOfSentences = ".,;:!?()"

// IsCommonWord reports whether a word is one of sentences or states, in any case.
func IsCommonWord(w string) bool {
	return words().common.has(strings.ToLower(strings.Trim(w, signsOfSentences)))
}

// IsLink reports whether a word stands between a name and the value that a sentence gives it.
func IsLink(w string) bool { return words().link.has(w) }

// IsScheme reports whether a word is an authentication scheme.
func IsScheme(w string) bool { return words().scheme.has(w) }

// IsConstant reports whether a value is a constant or a state, such as null or expired.
func IsConstant(w string) bool { return words().constant.has(w) }

// IsPlaceholder reports whether a value only stands for another one: a constant, a mask, or a placeholder of a
// template. The public key of a source of this service is an address and no secret, and is left as they are.
func IsPlaceholder(s string) bool {
	if s == "" || IsConstant(s) || IsTemplate(s) || isPublicKey(s) {
		return true
	}
	return isOneOf(s, "*•.-_~") || len(s) >= 3 && isOneOf(s, "xX")
}

// isPublicKey reports whether a text is just the public key of a source, as package token makes it.
func isPublicKey(s string) bool {
	const prefix, length = "svc_pub_", 36
	return len(s) == len(prefix)+length && strings.HasPrefix(s, prefix) && lex.Run(s, len(prefix), lex.Alnum) == len(s)
}

// isOneOf reports whether a text has no other characters.
func isOneOf(s, all string) bool {
	for _, c := range s {
		if !strings.ContainsRune(all, c) {
			return false
		}
	}
	return true
}

// isProse reports whether the text after a colon is a sentence, the name of a type, or a constant.
func isProse(s string) bool {
	first, rest, more := strings.Cut(s, " ")
	first = strings.ToLower(strings.Trim(first, signsOfSentences))
	switch {
	case first == "", words().types.has(first), IsConstant(first), isUnspaced(first):
		return true
	case !more && (words().state.has(first) || isLength(first)):
		return true
	}
	return words().common.has(first) && (!more || !LooksSecret(strings.TrimSpace(rest)))
}

// isLength reports whether a text is a length of CSS, such as 320px.
func isLength(s string) bool {
	number, ok := strings.CutSuffix(s, "px")
	return ok && IsNumber(number)
}

// isUnspaced reports whether a text is in a script without blanks between words, so that it may be a sentence.
func isUnspaced(s string) (found bool) {
	for _, c := range s {
		if c < utf8.RuneSelf {
			return false
		}
		found = found || unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
			unicode.Khmer,
			unicode.Myanmar)
	}
	return found
}

// Extent says how much of the text after a name is its value.
type Extent uint8

// The extents of a value.
const (
	NoValue   Extent = iota // the text is a sentence
	FirstWord               // a sentence follows it
	WholeText
)

// MaxSentence bounds the bytes that are read to recognise a sentence.
const MaxSentence = 300

// ExtentOf returns how much of the text after a name is its value. Several plain words are a sentence. In
// configuration they are a value, unless one of them is a common word.
func ExtentOf(s string, config bool) Extent {
	first, rest, _ := strings.Cut(s, " ")
	bracket := strings.HasPrefix(strings.TrimLeft(rest, " "), "(")
	switch {
	case !beginsWithPlainWord(rest) || config && !HasCommonWord(s):
		return WholeText
	case IsPlainWord(first) && !bracket && !IsScheme(first):
		return NoValue
	}
	return FirstWord
}

// beginsWithPlainWord reports whether the first of the first three words that is neither a number nor a sign is a
// plain word.
func beginsWithPlainWord(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		w = strings.Trim(w, ".,;:!?()[]\"'`*")
		if n++; n > 3 {
			return false
		}
		if w != "" && (len(w) > 4 || !isOneOf(w, "0123456789-+/&=><")) {
			return IsPlainWord(w)
		}
	}
	return false
}

// HasCommonWord reports whether one of the first twenty words is a common word.
func HasCommonWord(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if n++; n > 20 {
			return false
		}
		if IsCommonWord(w) {
			return true
		}
	}
	return false
}

// IsPlainWord reports whether a word could be in a dictionary: few letters, in lower case, with an initial capital,
// or a short acronym. A dash, a slash or an apostrophe may join two.
func IsPlainWord(w string) bool {
	letters, capitals := 0, 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 0x80 && c < 0xc0: // within a letter
		case c >= 'a' && c <= 'z' || c >= 0xc0:
			letters++
		case c >= 'A' && c <= 'Z':
			if capitals++; letters > 0 && capitals != letters+1 {
				return false
			}
			letters++
		case (c == '-' || c == '/' || c == '\'') && letters > 0 && i+1 < len(w):
			letters, capitals = 0, 0
		default:
			return false
		}
		if letters > 20 || capitals > 5 {
			return false
		}
	}
	return letters > 0 && (capitals < 2 || capitals == letters)
}

// IsPackageName reports whether a sensitive name could also be that of a package, such as csrf in a list of
// dependencies.
func IsPackageName(name string) bool {
	at := 0
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', lex.IsDigit(c):
		case c == '-' || c == '/' || c == '@' || c == '.':
			at = i + 1
		default:
			return false
		}
	}
	switch name[at:] {
	case "token":
		return at > 0
	case "tokens", "csrf", "xsrf", "jwt", "otp", "totp", "cookie", "cookies", "session", "auth", "jsonwebtoken",
		"xauth", "passwd":
		return true
	}
	return false
}

// IsVersion reports whether a text is a version of a package, or a range of versions.
func IsVersion(s string) bool {
	s = strings.TrimLeft(s, "^~>=<v ")
	s, more, _ := strings.Cut(s, "-")
	numbers := strings.Count(s, ".") == 2 && isOneOf(s, "0123456789.") && len(s) <= 12 && lex.IsDigit(s[0])
	return numbers && lex.Run(more, 0, lex.Alnum|lex.Dot) == len(more) && len(more) <= 12
}

// IsAccount reports whether a word stands before the name of a user.
func IsAccount(w string) bool { return words().account.has(w) }

// PrecedesOwner reports whether the name of a person or a thing follows a word that has a password.
func PrecedesOwner(w string) bool { return words().before.has(w) }
