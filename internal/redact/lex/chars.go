// Package lex reads the parts that all texts have in common: bytes by their sets, quotes however they are escaped,
// and markers.
package lex

// Sets of bytes.
const (
	Alnum  uint16 = 1 << iota // letters and digits
	Under                     // _ and -
	Base                      // + / and =
	Dot                       // . ~
	Space                     // blank and tab
	Quote                     // " ' and `
	Upper                     // capital letters and digits
	Hexits                    // hexadecimal digits in lower case
	Dollar                    // $
	Digit                     // decimal digits

	Word   = Alnum | Under
	Base64 = Alnum | Under | Base // of both alphabets
)

var sets = func() (t [256]uint16) {
	for _, of := range [...]struct {
		bytes string
		set   uint16
	}{
		{"0123456789", Alnum | Upper | Hexits | Digit},
		{"abcdef", Alnum | Hexits},
		{"ghijklmnopqrstuvwxyz", Alnum},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZ", Alnum | Upper},
		{"_-", Under},
		{"+/=", Base},
		{".~", Dot},
		{" \t", Space},
		{"\"'`", Quote},
		{"$", Dollar},
	} {
		for _, c := range []byte(of.bytes) {
			t[c] = of.set
		}
	}
	return t
}()

// In reports whether a byte is in one of the sets.
func In(c byte, set uint16) bool { return sets[c]&set != 0 }

// Of returns the sets of a byte.
func Of(c byte) uint16 { return sets[c] }

// Run returns where the run of bytes of the sets that begins at i ends.
func Run(s string, i int, set uint16) int {
	for i < len(s) && sets[s[i]]&set != 0 {
		i++
	}
	return i
}

// Indent returns the number of blanks with which a text begins.
func Indent(s string) int { return Run(s, 0, Space) }

// IsDigit reports whether a byte is a digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// HasDigit reports whether a text has a digit.
func HasDigit(s string) bool {
	for i := range len(s) {
		if IsDigit(s[i]) {
			return true
		}
	}
	return false
}

// HasCapitalAndDigit reports whether a text has a capital letter and a digit, as random text has.
func HasCapitalAndDigit(s string) bool {
	var capital, digit bool
	for i := range len(s) {
		capital = capital || s[i] >= 'A' && s[i] <= 'Z'
		digit = digit || IsDigit(s[i])
	}
	return capital && digit
}

// IsUUID reports whether a text is a UUID.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && !In(s[i]|0x20, Hexits) {
			return false
		}
	}
	return true
}
