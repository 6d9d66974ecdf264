package find

import (
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// bareEnd returns where the value without quotes that begins at v ends. A whole value may have blanks, and ends
// before the next assignment.
func bareEnd(s string, v int, whole bool) int {
	i := v + decide.TemplateEnd(s[v:])
	for ; i < len(s); i++ {
		c := s[i]
		if lex.In(c, lex.Word|lex.Dot) {
			continue
		}
		if c == '[' || c == '$' || c == '{' {
			i += max(0, decide.TemplateEnd(s[i:])-1)
		} else if endsBare(s, i, whole) {
			break
		}
	}
	for whole && i > v && lex.In(s[i-1], lex.Space) {
		i--
	}
	return min(i, len(s))
}

// endsBare reports whether the sign at i ends a value without quotes.
func endsBare(s string, i int, whole bool) bool {
	switch s[i] {
	case ' ', '\t':
		return !whole || blankEndsValue(s, i)
	case '"', '\'', '`', '<', '>', ')', ']', '}':
		return endsValue(s, i+1)
	case ',', ';', '&', '|':
		return endsValue(s, i+1) || isAssignment(s, i+1)
	case '\\':
		_, from := lex.QuoteAt(s, i)
		return from > i && endsValue(s, from) || i+2 < len(s) && isAssignment(s, i+2)
	}
	return false
}

// endsValue reports whether the text at i can follow a value.
func endsValue(s string, i int) bool {
	return i == len(s) || strings.IndexByte(" \t,;:)]}>\"'`.&|\\/?", s[i]) >= 0
}

// blankEndsValue reports whether the blank at i ends a value that may have blanks.
func blankEndsValue(s string, i int) bool {
	j := blanksEnd(s, i)
	rest := s[j:]
	for _, sign := range [...]string{"&&", "||", "| ", "#", "./", "//"} {
		if strings.HasPrefix(rest, sign) {
			return true
		}
	}
	return isAssignment(s, j)
}

// isAssignment reports whether a name with '=' or ':' begins at i.
func isAssignment(s string, i int) bool {
	i = blanksEnd(s, i)
	if i < len(s) && lex.In(s[i], lex.Quote) {
		i++
	}
	end := min(len(s), i+64)
	j := lex.Run(s[:end], i, lex.Word|lex.Dot)
	if j > i && j < len(s) && lex.In(s[j], lex.Quote) {
		j++
	}
	return j > i && j < len(s) && (s[j] == '=' || s[j] == ':')
}

// isBlockScalar reports whether a value of YAML follows on the next lines.
func isBlockScalar(s string) bool {
	s = strings.TrimRight(s, " \t")
	return s == "|" || s == ">" || s == "|-" || s == ">-" || s == "|+" || s == ">+"
}
