package decide

import (
	"strings"

	"bugslice/internal/redact/lex"
)

// IsTemplate reports whether a text consists of placeholders of a template, such as ${NAME}.
func IsTemplate(s string) bool {
	for at := 0; ; {
		end := TemplateEnd(s[at:])
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

// TemplateEnd returns where the placeholder of a template that begins a text ends, or 0.
func TemplateEnd(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[0] {
	case '{':
		if s[1] == '{' {
			return endAfter(s, "}}")
		}
	case '$':
		return variableEnd(s)
	case '%':
		return verbEnd(s)
	case '0':
		if strings.HasPrefix(s, "0x%") {
			if end := TemplateEnd(s[2:]); end > 0 {
				return end + 2
			}
		}
	case '<':
		return bracketedEnd(s)
	case '[':
		for _, head := range [...]string{"[object ", "[redacted", "[filtered", "[hidden"} {
			if len(s) > len(head) && strings.EqualFold(s[:len(head)], head) {
				return endAfter(s, "]")
			}
		}
	}
	return 0
}

// variableEnd returns where a variable ends: ${{ a }}, ${A}, $(a), $A, or an argument such as $1.
func variableEnd(s string) int {
	switch {
	case strings.HasPrefix(s, "${{"):
		return endAfter(s, "}}")
	case s[1] == '{':
		end := endAfter(s, "}")
		if strings.Contains(s[:end], ":-") { // it has a default
			return 0
		}
		return end
	case s[1] == '(':
		return endAfter(s, ")")
	case s[1] >= 'A' && s[1] <= 'Z':
		if end := IdentifierEnd(s, 1); strings.ToUpper(s[:end]) == s[:end] {
			return end
		}
	case lex.IsDigit(s[1]) && (len(s) == 2 || !lex.In(s[2], lex.Word)):
		return 2
	}
	return 0
}

// verbEnd returns where a verb of a format such as %s or %-10d ends, or 0.
func verbEnd(s string) int {
	end := 1
	for end < len(s) && strings.IndexByte("+-# .0123456789", s[end]) >= 0 && end < 8 {
		end++
	}
	if end < len(s) && strings.IndexByte("sdvqxXTtfgpewrcobU", s[end]) >= 0 && lex.Run(s, end, lex.Alnum) == end+1 {
		return end + 1
	}
	return 0
}

// bracketedEnd returns the end of a placeholder in brackets such as <your password>, or 0. A token of a known format
// is no placeholder.
func bracketedEnd(s string) int {
	if end, _ := builtin().Token(s, 1); end > 1 {
		return 0
	}
	if end := lex.Run(s, 1, lex.Word|lex.Dot|lex.Space); end < len(s) && s[end] == '>' {
		return end + 1
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

// IdentifierEnd returns where the identifier that begins at i ends, or 0 when it has digits as random text has: with
// letters after them.
func IdentifierEnd(s string, i int) int {
	end := lex.Run(s, i, lex.Word)
	for k := i; k < end; k++ {
		if lex.IsDigit(s[k]) && (k == i || k+1 < end && lex.In(s[k+1], lex.Alnum) && !lex.IsDigit(s[k+1])) {
			return 0
		}
	}
	return end
}
