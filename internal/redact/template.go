package redact

import "strings"

// isTemplate reports whether a text consists of placeholders of a template, such as ${NAME}.
func isTemplate(s string) bool {
	for at := 0; ; {
		end := templateEnd(s[at:])
		if end == 0 {
			return false
		}
		if at += end; at == len(s) {
			return true
		}
		if strings.IndexByte(":/@-_., ", s[at]) >= 0 {
			at++
		}
	}
}

// templateEnd returns where the placeholder of a template that begins a text ends, or 0.
func templateEnd(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch {
	case strings.HasPrefix(s, "${{"):
		return endAfter(s, "}}")
	case strings.HasPrefix(s, "{{"):
		return endAfter(s, "}}")
	case strings.HasPrefix(s, "${"):
		end := endAfter(s, "}")
		if strings.Contains(s[:end], ":-") { // it has a default
			return 0
		}
		return end
	case strings.HasPrefix(s, "$("):
		return endAfter(s, ")")
	case s[0] == '$' && s[1] >= 'A' && s[1] <= 'Z':
		if end := identifierEnd(s, 1); strings.ToUpper(s[:end]) == s[:end] {
			return end
		}
	case s[0] == '%': // %s, %-10d
		end := 1
		for end < len(s) && strings.IndexByte("+-# .0123456789", s[end]) >= 0 && end < 8 {
			end++
		}
		if end < len(s) && strings.IndexByte("sdvqxXTtfgpewrcobU", s[end]) >= 0 && run(s, end, alnum) == end+1 {
			return end + 1
		}
	case strings.HasPrefix(s, "0x%"):
		if end := templateEnd(s[2:]); end > 0 {
			return end + 2
		}
	case s[0] == '<':
		if end, _ := tokenEnd(s, 1); end > 1 {
			return 0
		}
		if end := run(s, 1, word|dot|space); end < len(s) && s[end] == '>' {
			return end + 1
		}
	case s[0] == '[':
		for _, head := range [...]string{"[object ", "[redacted", "[filtered", "[hidden"} {
			if len(s) > len(head) && strings.EqualFold(s[:len(head)], head) {
				return endAfter(s, "]")
			}
		}
	}
	return 0
}

// endAfter returns the index after the first closing text, or 0 when it is far away or missing.
func endAfter(s, closing string) int {
	if k := strings.Index(s[:min(len(s), 200)], closing); k >= 0 {
		return k + len(closing)
	}
	return 0
}

// identifierEnd returns where the identifier that begins at i ends, or 0 when it has digits as random text has: with letters after them.
func identifierEnd(s string, i int) int {
	end := run(s, i, alnum|under)
	for k := i; k < end; k++ {
		if isDigit(s[k]) && (k == i || k+1 < end && sets[s[k+1]]&alnum != 0 && !isDigit(s[k+1])) {
			return 0
		}
	}
	return end
}
