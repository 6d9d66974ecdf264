package redact

import "strings"

// starts says, of each pair of bytes, which formats have a hint that begins with it; the last
// bit is for names of secrets. One look at each byte of a text tells what to look for at all.
var starts = func() *[1 << 16]uint32 {
	t := &[1 << 16]uint32{}
	add := func(hint string, fold bool, bit int) {
		for _, a := range cases(hint[0], fold) {
			for _, b := range cases(hint[1], fold) {
				t[uint16(a)<<8|uint16(b)] |= 1 << bit
			}
		}
	}
	for i := range formats {
		for _, h := range formats[i].hints {
			add(h, formats[i].fold, i)
		}
	}
	for _, h := range nameHints {
		add(h, true, namesBit)
	}
	return t
}()

const namesBit = 31

func cases(c byte, fold bool) []byte {
	if fold && isLower(c) {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// scan returns what a text may hold.
func scan(s string) (mask uint32, digits bool) {
	run := 0
	for i := 1; i < len(s); i++ {
		mask |= starts[uint16(s[i-1])<<8|uint16(s[i])]
		if isDigit(s[i]) {
			if run++; run >= 12 {
				digits = true
			}
		} else if s[i] != ' ' && s[i] != '-' {
			run = 0
		}
	}
	return mask, digits
}

// has says whether a text has one of the hints.
func has(s string, hints []string, fold bool) bool {
	if fold {
		s = strings.ToLower(s)
	}
	for _, h := range hints {
		if strings.Contains(s, h) {
			return true
		}
	}
	return false
}
