package redact

import "strings"

// isCode reports whether a value is an expression of a program and no secret. near is the value with the text after it. tight is a sign
// without blanks, after which a call needs further evidence; after a name in capitals none suffices.
func isCode(s, near string, tight, capitals bool) bool {
	for _, head := range [...]string{"this.", "process.env", "os.environ", "window.", "document.", "props.", "self.", "req.", "request.",
		"event.", "localStorage."} {
		if rest, ok := strings.CutPrefix(s, head); ok {
			return isMember(strings.TrimPrefix(rest, "."), 40)
		}
	}
	for _, head := range [...]string{"new ", "await ", "async "} {
		if called, ok := strings.CutPrefix(near, head); ok {
			end := run(called, 0, word|dot)
			return end < len(called) && called[end] == '(' && identifierEnd(called, 0) > 0 || called != "" && called[0] == '('
		}
	}
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if of, ok := strings.CutSuffix(strings.TrimRight(s, ";"), ".value"); ok && strings.Trim(of, letters+"._") == "" {
		return true // of a form field
	}
	if rest, ok := strings.CutPrefix(s, "()"); ok {
		return rest == "" || strings.HasPrefix(strings.TrimLeft(rest, " "), "=>")
	}
	if rest, ok := strings.CutPrefix(s, "function"); ok && (rest == "" || rest[0] == '(' || rest[0] == ' ') {
		return true
	}
	i := run(s, 0, alnum)
	if i <= 2 && (strings.HasPrefix(s[i:], "===") || strings.HasPrefix(s[i:], "!==")) {
		return true
	}
	if i == 0 || isDigit(s[0]) {
		return false
	}
	if i <= 2 && i < len(s) && s[i] == '.' { // e.token, of minified code
		return isMember(s[i+1:], 32)
	}
	numbers := strings.ContainsAny(s[:i], "0123456789") && (i == len(s) || s[i] != '.' || identifierEnd(s, 0) == 0)
	for i < len(s) && s[i] == '.' {
		i = run(s, i+1, alnum|under)
	}
	switch {
	case i == len(s) || s[i] != '(' || numbers, tight && capitals:
		return false
	case tight && i+1 < len(near) && near[i+1] != ')' && sets[near[i+1]]&quote == 0:
		return false
	}
	k := strings.IndexByte(near[i:], ')')
	if k > 4 && isPlainWord(s[:i]) && strings.Trim(near[i+1:i+k], "0123456789") == "" { // Summer(2024)
		return false
	}
	return k < 0 && i+1 == len(s) || k > 0 && (i+k+1 == len(near) || sets[near[i+k+1]]&word == 0)
}

// isMember reports whether a text begins with an identifier of fewer than so many letters that ends as the name of a member does.
func isMember(s string, most int) bool {
	end := identifierEnd(s, 0)
	return end == len(s) && end > 0 && end < most || end < most && end < len(s) && strings.IndexByte(".,;:()[]&|?!=<>+", s[end]) >= 0
}
