package decide

import (
	"strings"
	"unicode/utf8"

	"bugslice/internal/redact/lex"
)

// cardEnd returns the end of the number of a payment card that begins at i, or i. The number has a length of its
// issuer, the printed groups or none, and the right check digit, and is not part of a longer number, a fraction or an
// identifier.
func cardEnd(s string, i int) int {
	if i > 0 && (lex.In(s[i-1], lex.Word) || s[i-1] >= 0x80 || i > 1 && s[i-1] == '.' && lex.IsDigit(s[i-2])) {
		return i
	}
	d := digits{}
	j := d.read(s, i)
	switch {
	case d.n < 13 || j < len(s) && (lex.In(s[j], lex.Word) || s[j] == '.' && j+1 < len(s) && lex.IsDigit(s[j+1])):
		return i
	case !isGroupedAsPrinted(d.groups[:d.gaps], d.n) || !isIssued(d.number[:d.n]) || !passesLuhn(d.number[:d.n]):
		return i
	}
	return j
}

// digits are the digits of a number that may be in groups.
type digits struct {
	number [19]byte
	n      int
	groups [6]int // digits before each gap
	gaps   int
	gap    byte
}

// read reads the digits at i, and returns where they end. A number that is too long has none.
func (d *digits) read(s string, i int) int {
	for j := i; ; {
		if j < len(s) && lex.IsDigit(s[j]) {
			if d.n == len(d.number) {
				if d.gap != ' ' || lex.IsDigit(s[j-1]) {
					d.n = 0
				}
				return j
			}
			d.number[d.n] = s[j] - '0'
			d.n++
			j++
			continue
		}
		if j == len(s) {
			return j
		}
		c, next := gapAt(s, j)
		if c == 0 || d.gap != 0 && c != d.gap || d.gaps == len(d.groups) || c == ' ' && d.n >= 13 {
			return j
		}
		d.gap = c
		d.groups[d.gaps] = d.n
		d.gaps++
		j = next
	}
}

// IsCardNumber reports whether a number is that of a card.
func IsCardNumber(s string) bool {
	whole, fraction, _ := strings.Cut(s, ".")
	return len(whole) >= 13 && strings.Trim(fraction, "0") == "" && cardEnd(whole, 0) == len(whole)
}

// CardStart returns where the number of a card begins at the end of a word that names it, such as card_4111…, or the
// word's end.
func CardStart(s string) int {
	k := strings.LastIndexByte(s, '_')
	if k < 0 || cardEnd(s[k+1:], 0) != len(s)-k-1 {
		return len(s)
	}
	for _, name := range [...]string{"card", "pan", "cc", "visa", "mastercard", "amex", "number"} {
		if strings.HasSuffix(strings.ToLower(s[:k]), name) {
			return k + 1
		}
	}
	return len(s)
}

// gapAt returns the separator of groups of digits at i, and where the next group begins: a dash, a dot, or one or two
// blanks of any kind.
func gapAt(s string, i int) (gap byte, next int) {
	switch next = i + 1; {
	case s[i] == '-' || s[i] == '.':
		gap = s[i]
	case s[i] == ' ':
		gap = ' '
		if next < len(s) && s[next] == ' ' {
			next++
		}
	case strings.HasPrefix(s[i:], "\u00a0"), strings.HasPrefix(s[i:], "\u202f"):
		_, size := utf8.DecodeRuneInString(s[i:])
		gap, next = ' ', i+size
	}
	if next >= len(s) || !lex.IsDigit(s[next]) {
		return 0, i
	}
	return gap, next
}

// isGroupedAsPrinted reports whether the digits of a card are in the groups that cards are printed with.
func isGroupedAsPrinted(groups []int, n int) bool {
	if len(groups) == 0 {
		return true
	}
	if len(groups) == 2 && groups[0] == 4 && groups[1] == 10 {
		return n == 14 || n == 15
	}
	for k, at := range groups {
		if at != 4*(k+1) {
			return false
		}
	}
	return n >= 16 && len(groups) == (n-1)/4
}

// isIssued reports whether the first digits are those of an issuer whose numbers have this length.
func isIssued(d []byte) bool {
	four := int(d[0])*1000 + int(d[1])*100 + int(d[2])*10 + int(d[3])
	two, n := four/100, len(d)
	switch {
	case d[0] == 4: // Visa
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720: // Mastercard
		return n == 16
	case two == 34 || two == 37: // American Express
		return n == 15
	case four >= 3000 && four <= 3059, two == 36, two == 38, two == 39: // Diners Club
		return n == 14
	case four == 6011, four >= 6440 && four <= 6599: // Discover
		return n == 16 || n == 19
	case four >= 3528 && four <= 3589: // JCB
		return n == 16
	case two == 62: // UnionPay
		return n == 16 || n == 19
	case four == 5018, four == 5020, four == 5038, four == 5893, four == 6304, four == 6759, four >= 6761 &&
		four <= 6763: // Maestro
		return n == 16 || n == 19
	}
	return false
}

func passesLuhn(d []byte) bool {
	sum := 0
	for k := range d {
		v := int(d[len(d)-1-k])
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}
