package redact

// card returns the end of the number of a payment card that begins at i, or i: as long as
// its issuer's numbers are, in the groups they are printed in or in none, with the right
// check digit, and no part of a longer number, a fraction or an identifier.
func card(s string, i int) int {
	var number [19]byte
	var groups [6]int // digits before each gap
	n, gaps := 0, 0
	var gap byte
	if i > 0 && (sets[s[i-1]]&word != 0 || s[i-1] >= 0x80 || i > 1 && s[i-1] == '.' && isDigit(s[i-2])) {
		return i
	}
	j := i
	for j < len(s) {
		c := s[j]
		if isDigit(c) {
			if n == len(number) {
				if gap != ' ' || s[j-1] != gap {
					return i
				}
				break
			}
			number[n] = c - '0'
			n++
			j++
			continue
		}
		if c != ' ' && c != '-' || j+1 == len(s) || !isDigit(s[j+1]) || gap != 0 && c != gap || gaps == len(groups) {
			break
		}
		if c == ' ' && n >= 13 {
			break
		}
		gap = c
		groups[gaps] = n
		gaps++
		j++
	}
	if n < 13 || j < len(s) && (sets[s[j]]&word != 0 || s[j] == '.' && j+1 < len(s) && isDigit(s[j+1])) {
		return i
	}
	if !printed(groups[:gaps], n) || !issued(number[:n]) || !luhn(number[:n]) {
		return i
	}
	return j
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// printed says whether a card's number is written in such groups.
func printed(groups []int, n int) bool {
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

// issued says whether the first digits are an issuer's whose numbers are so long.
func issued(d []byte) bool {
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
	case four == 5018, four == 5020, four == 5038, four == 5893, four == 6304, four == 6759, four >= 6761 && four <= 6763: // Maestro
		return n == 16 || n == 19
	}
	return false
}

func luhn(d []byte) bool {
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
