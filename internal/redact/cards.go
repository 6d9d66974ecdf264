package redact

import "strings"

// cards removes numbers of payment cards: 13 to 19 digits, in groups or not, of a known brand
// and with a right check digit, that are no part of a longer number or word.
func cards(s string, c Counts) string {
	var b strings.Builder
	end := 0
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			continue
		}
		stop, digits, grouped := numberAt(s, i)
		if len(digits) < 13 || i > 0 && joins(s[i-1]) || stop < len(s) && joins(s[stop]) || !isCard(digits, grouped) {
			i = stop
			continue
		}
		c["card"]++
		b.WriteString(s[end:i])
		b.WriteString(mark("card"))
		end, i = stop, stop
	}
	if end == 0 {
		return s
	}
	b.WriteString(s[end:])
	return b.String()
}

// joins says whether a character before or after a number makes it part of something else.
func joins(c byte) bool { return isAlnum(c) || c == '_' || c == '.' || c == '-' || c == '%' }

// numberAt returns the number that begins at i: digits, with one kind of single separator.
func numberAt(s string, i int) (stop int, digits string, grouped []int) {
	var d strings.Builder
	separator, run := byte(0), 0
	for stop = i; stop < len(s) && d.Len() < 40; stop++ {
		switch ch := s[stop]; {
		case isDigit(ch):
			d.WriteByte(ch)
			run++
		case (ch == ' ' || ch == '-') && (separator == 0 || separator == ch) && stop+1 < len(s) && isDigit(s[stop+1]):
			separator = ch
			grouped = append(grouped, run)
			run = 0
		default:
			return stop, d.String(), append(grouped, run)
		}
	}
	return stop, d.String(), append(grouped, run)
}

// isCard says whether digits, in groups of these lengths, are the number of a card.
func isCard(digits string, groups []int) bool {
	n := len(digits)
	if n > 19 || !luhn(digits) {
		return false
	}
	switch {
	case len(groups) == 1:
	case n == 15: // 4-6-5
		if len(groups) != 3 || groups[0] != 4 || groups[1] != 6 {
			return false
		}
	default: // groups of four
		for _, g := range groups[:len(groups)-1] {
			if g != 4 {
				return false
			}
		}
	}
	two := int(digits[0]-'0')*10 + int(digits[1]-'0')
	four := two*100 + int(digits[2]-'0')*10 + int(digits[3]-'0')
	switch {
	case digits[0] == '4': // Visa
		return n == 13 && len(groups) > 1 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720: // Mastercard
		return n == 16
	case two == 34, two == 37: // American Express
		return n == 15
	case four == 6011, two == 65, four/10 >= 644 && four/10 <= 649: // Discover
		return n == 16 || n == 19
	case four >= 3528 && four <= 3589: // JCB
		return n == 16
	case two == 36, two == 38, four/10 >= 300 && four/10 <= 305: // Diners Club
		return n == 14
	case two == 62: // UnionPay
		return n >= 16
	}
	return false
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0 && strings.Trim(digits, digits[:1]) != ""
}
