package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text as searches compare it: two texts that people take for the same one are equal. It removes case
// and compatibility forms, accents and other marks (also the points of Arabic and Hebrew), characters without a form
// of their own, such as soft hyphens and joiners, and the strokes of letters; digits of all scripts are 0 to 9. A
// text of ASCII characters is in lower case, and nothing else changes. All words of the search index are folded: a
// change of this function needs a new build of the index.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	var folded strings.Builder
	for _, r := range norm.NFKD.String(text) {
		if r < 0x80 {
			folded.WriteByte(byte(unicode.ToLower(r)))
			continue
		}
		if unicode.Is(unicode.M, r) || isFormless(r) {
			continue
		}
		r = unicode.ToLower(unicode.ToUpper(r)) // a final sigma is another one
		if plain, ok := letters[r]; ok {
			folded.WriteString(plain)
		} else {
			folded.WriteRune(digit(r))
		}
	}
	return norm.NFC.String(strings.ReplaceAll(folded.String(), "l·l",
		"ll")) // syllables of Hangul are one character again
}

// isFormless reports whether a character inside a word is not one of its letters: a format character, the Arabic
// tatweel, or an apostrophe among the letters. A space without width separates words.
func isFormless(r rune) bool {
	return unicode.Is(unicode.Cf, r) && r != '\u200b' || r == 'ـ' || r >= 'ʹ' && r <= 'ˁ' || r == 'ㅤ' || r == 'ᅠ' ||
		r == 'ᅟ'
}

// letters are the small letters that Unicode does not decompose, and what people type in their place. Most have a
// stroke, a hook or a descender. The script folding.js has the same ones.
var letters = func() map[rune]string {
	all := map[rune]string{}
	for plain, same := range map[string]string{
		"a": "ⱥɑ", "aa": "ꜳ", "ae": "æ", "ao": "ꜵ", "au": "ꜷ", "av": "ꜹ", "ay": "ꜽ", "b": "ƀɓƃ", "c": "ƈȼ",
		"d": "đðɖɗƌ",
		"e": "ɇəǝɛ", "f": "ƒ", "g": "ǥɠɡ", "h": "ħⱨɦ", "i": "ıɨɩ", "j": "ȷɉɟ", "k": "ƙⱪ", "l": "łƚɫɬⱡ",
		"m": "ɱ", "n": "ŋɲƞ", "o": "øɵɔ", "oe": "œ", "ou": "ȣ",
		"p": "ƥᵽ", "q": "ĸɋ", "r": "ɍɽ", "s": "ʂȿ", "ss": "ß", "t": "ŧƭʈⱦ", "th": "þ", "u": "ʉ", "v": "ʋ", "w": "ⱳƿ",
		"y": "ɏƴ", "z": "ƶȥʒⱬ",
		"а": "ә", "г": "ґғҕ", "ж": "җ", "з": "ҙ", "к": "қҝҟҡ", "н": "ңҥ", "о": "өҩ", "п": "ҧ", "с": "ҫ",
		"т": "ҭ", "у": "үұ", "х": "ҳһ",
		"ч": "ҷҹ", "եւ": "և", "ك": "ک", "ي": "یىے", "ه": "ةہھە",
	} {
		for _, r := range same {
			all[r] = plain
		}
	}
	return all
}()

// digit returns the ASCII digit of the same value as a digit, and any other character as it is. Unicode has the
// digits of a script in a row, and Go's ranges begin with a zero.
func digit(r rune) rune {
	if !unicode.IsDigit(r) {
		return r
	}
	for _, d := range unicode.Nd.R16 {
		if r >= rune(d.Lo) && r <= rune(d.Hi) {
			return '0' + (r-rune(d.Lo))%10
		}
	}
	for _, d := range unicode.Nd.R32 {
		if r >= rune(d.Lo) && r <= rune(d.Hi) {
			return '0' + (r-rune(d.Lo))%10
		}
	}
	return r
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
