package redact

import "strings"

// template says whether a text is places for values, and nothing else.
func template(s string) bool {
	for at := 0; ; {
		end := place(s[at:])
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

// place returns where the place for a value that a text begins with ends, or 0.
func place(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch {
	case strings.HasPrefix(s, "${{"):
		return after(s, "}}")
	case strings.HasPrefix(s, "{{"):
		return after(s, "}}")
	case strings.HasPrefix(s, "${"):
		end := after(s, "}")
		if strings.Contains(s[:end], ":-") { // what stands there else
			return 0
		}
		return end
	case strings.HasPrefix(s, "$("):
		return after(s, ")")
	case s[0] == '$' && s[1] >= 'A' && s[1] <= 'Z':
		if end := identifier(s, 1); strings.ToUpper(s[:end]) == s[:end] {
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
		if end := place(s[2:]); end > 0 {
			return end + 2
		}
	case s[0] == '<':
		if end, _ := known(s, 1); end > 1 {
			return 0
		}
		if end := run(s, 1, word|dot|space); end < len(s) && s[end] == '>' {
			return end + 1
		}
	case s[0] == '[':
		for _, head := range [...]string{"[object ", "[redacted", "[filtered", "[hidden"} {
			if len(s) > len(head) && strings.EqualFold(s[:len(head)], head) {
				return after(s, "]")
			}
		}
	}
	return 0
}

func after(s, closing string) int {
	if k := strings.Index(s[:min(len(s), 200)], closing); k >= 0 {
		return k + len(closing)
	}
	return 0
}

// identifier returns where the name that begins at i ends, or 0 if it has digits as random
// text has them: with letters after them.
func identifier(s string, i int) int {
	end := run(s, i, alnum|under)
	for k := i; k < end; k++ {
		if isDigit(s[k]) && (k == i || k+1 < end && sets[s[k+1]]&alnum != 0 && !isDigit(s[k+1])) {
			return 0
		}
	}
	return end
}

// code says whether a value is an expression of a program, not a secret. What is near goes on
// after the value; tight is a sign without blanks, after which a call shows itself by more, and
// after a name in capitals by nothing.
func code(s, near string, tight, capitals bool) bool {
	for _, head := range [...]string{"this.", "process.env", "os.environ", "window.", "document.", "props.", "self.", "req.", "request.", "event.", "localStorage."} {
		if rest, ok := strings.CutPrefix(s, head); ok {
			return member(strings.TrimPrefix(rest, "."), 40)
		}
	}
	for _, head := range [...]string{"new ", "await ", "async "} {
		if called, ok := strings.CutPrefix(near, head); ok {
			end := run(called, 0, word|dot)
			return end < len(called) && called[end] == '(' && identifier(called, 0) > 0 || called != "" && called[0] == '('
		}
	}
	if of, ok := strings.CutSuffix(strings.TrimRight(s, ";"), ".value"); ok && strings.Trim(of, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._") == "" {
		return true // of a field
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
		return member(s[i+1:], 32)
	}
	numbers := strings.ContainsAny(s[:i], "0123456789") && (i == len(s) || s[i] != '.' || identifier(s, 0) == 0)
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
	if k > 4 && plain(s[:i]) && strings.Trim(near[i+1:i+k], "0123456789") == "" { // Summer(2024)
		return false
	}
	return k < 0 && i+1 == len(s) || k > 0 && (i+k+1 == len(near) || sets[near[i+k+1]]&word == 0)
}

// member says whether a text begins with the name of a member, of at most so many letters,
// that ends where names do.
func member(s string, most int) bool {
	end := identifier(s, 0)
	return end == len(s) && end > 0 && end < most || end < most && end < len(s) && strings.IndexByte(".,;:()[]&|?!=<>+", s[end]) >= 0
}
