package redact

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

func indent(s string) int { return run(s, 0, space) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// hasCapitalAndDigit reports whether a text has a capital letter and a digit, as random text has.
func hasCapitalAndDigit(s string) bool {
	var capital, digit bool
	for i := range len(s) {
		capital = capital || s[i] >= 'A' && s[i] <= 'Z'
		digit = digit || s[i] >= '0' && s[i] <= '9'
	}
	return capital && digit
}
