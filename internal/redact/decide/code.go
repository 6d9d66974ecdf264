package decide

import (
	"strings"

	"bugslice/internal/redact/lex"
)

// isCode reports whether a value without quotes is an expression of a program and no secret.
func isCode(v Value) bool {
	s, near := v.Text, v.Near
	switch {
	case hasReceiver(s), isConstruction(near), isFunction(s), isComparison(s), isFormField(s), isCast(near),
		isLiteral(near),
		isReference(s, near):
		return true
	case lex.IsDigit(s[0]) || !lex.In(s[0], lex.Alnum|lex.Under):
		return false
	}
	return isAssigned(v) || isCall(v) || isIndexed(s, near) || isMemberOfObject(s, near)
}

// receivers are the beginnings of expressions in programs.
var receivers = [...]string{"this.", "process.env", "os.environ", "window.", "document.", "props.", "self.", "req.",
	"request.", "event.",
	"localStorage.", "env.", "params.", "config.", "options.", "opts.", "args.", "state.", "ctx.", "res.", "response.",
	"session.", "user.",
	"settings.", "import.meta.env", "var.", "local.", "module.", "data.", "secrets.", "vars.", "inputs.", "steps.",
	"match."}

func hasReceiver(s string) bool {
	for _, head := range receivers {
		if rest, ok := strings.CutPrefix(s, head); ok {
			return isMember(strings.TrimPrefix(rest, "."), 40)
		}
	}
	return false
}

// isConstruction reports whether a text is new X(…), await x(…) or the like.
func isConstruction(near string) bool {
	for _, head := range [...]string{"new ", "await ", "async "} {
		if called, ok := strings.CutPrefix(near, head); ok {
			end := lex.Run(called, 0, lex.Word|lex.Dot)
			isCalled := end < len(called) && (called[end] == '(' || called[end] == '<')
			return isCalled && IdentifierEnd(called, 0) > 0 || called != "" && called[0] == '('
		}
	}
	return false
}

// isFunction reports whether a text begins a function.
func isFunction(s string) bool {
	if rest, ok := strings.CutPrefix(s, "()"); ok {
		return rest == "" || strings.HasPrefix(strings.TrimLeft(rest, " "), "=>")
	}
	rest, ok := strings.CutPrefix(s, "function")
	return ok && (rest == "" || rest[0] == '(' || rest[0] == ' ')
}

// isComparison reports whether a text compares a variable of minified code.
func isComparison(s string) bool {
	i := lex.Run(s, 0, lex.Alnum)
	return i <= 2 && (strings.HasPrefix(s[i:], "===") || strings.HasPrefix(s[i:], "!=="))
}

// isFormField reports whether a text is the value of a field of a form, such as form.password.value.
func isFormField(s string) bool {
	of, ok := strings.CutSuffix(strings.TrimRight(s, ";"), ".value")
	return ok && !lex.HasDigit(of) && lex.Run(of, 0, lex.Word|lex.Dot) == len(of)
}

// isCast reports whether a text is a cast of C, such as (char *) p.
func isCast(near string) bool {
	if near == "" || near[0] != '(' {
		return false
	}
	k := strings.IndexByte(near, ')')
	return k > 1 && k+1 < len(near) && near[k+1] == ' ' && strings.HasSuffix(strings.TrimRight(near[:k], " "), "*")
}

// isReference reports whether a text says where a secret is: a tag of YAML, or an address in a store of secrets.
func isReference(s, near string) bool {
	if s[0] == '!' {
		end := lex.Run(near, 1, lex.Alnum)
		return end > 2 && end < len(near) && near[end] == ' '
	}
	for _, head := range [...]string{"ref+", "op://", "vault:", "arn:aws:", "ssm:", "file:/", "projects/"} {
		if strings.HasPrefix(s, head) {
			return true
		}
	}
	return false
}

// isLiteral reports whether a text is a value of a type in braces, or a pointer, such as &Client{ and
// *x509.Certificate.
func isLiteral(near string) bool {
	rest := strings.TrimLeft(near, "&*")
	end := lex.Run(rest, 0, lex.Word|lex.Dot)
	if end == 0 || !lex.In(rest[0], lex.Alnum) || census(rest[:end]).turns > 3 {
		return false
	}
	if len(rest) < len(near) && strings.Contains(rest[:end], ".") {
		return true
	}
	return end < len(rest) && rest[end] == '{' &&
		(end+1 == len(rest) || strings.IndexByte("}\n\r ", rest[end+1]) >= 0 ||
			IdentifierEnd(rest, end+1) > 0)
}

// isAssigned reports whether a text is a variable: an identifier without digits at the end of a statement.
func isAssigned(v Value) bool {
	name := strings.TrimRight(v.Text, ";")
	if v.Tight || v.Capitals || v.Context != Sign || len(name) > 40 || IdentifierEnd(name, 0) != len(name) ||
		lex.HasDigit(name) {
		return false
	}
	rest := strings.TrimPrefix(v.Near, name)
	return strings.HasPrefix(rest, ";")
}

// isIndexed reports whether a text is an item of a list, such as tokens[i].
func isIndexed(s, near string) bool {
	end := IdentifierEnd(s, 0)
	if end == 0 || end >= len(near) || near[end] != '[' || lex.HasDigit(s[:end]) {
		return false
	}
	k := strings.IndexByte(near[end:], ']')
	if k < 2 || k > 40 {
		return false
	}
	index := strings.Trim(near[end+1:end+k], "\"'")
	return lex.Run(index, 0, lex.Word|lex.Dot|lex.Base) == len(index) && !census(index).isRandom(index)
}

// isMemberOfObject reports whether a text is a member of an object of which no name has digits, such as
// params.credentials.
func isMemberOfObject(s, near string) bool {
	i := lex.Run(s, 0, lex.Alnum)
	if i <= 2 && i < len(s) && s[i] == '.' { // e.token, of minified code
		return isMember(s[i+1:], 32) && !census(s).isRandom(s)
	}
	end := lex.Run(s, 0, lex.Alnum|lex.Under|lex.Dot)
	if lex.HasDigit(s[:end]) || strings.Count(s[:end], ".") == 0 || strings.HasSuffix(s[:end], ".") || end > 60 {
		return false
	}
	rest := near[min(end, len(near)):]
	return strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ";") || strings.HasPrefix(rest, ")") ||
		strings.HasPrefix(rest, "[")
}

// isCall reports whether a text calls a function. After a tight sign, a call needs an empty list of arguments or a
// quote; after a name in capitals none suffices.
func isCall(v Value) bool {
	s, near := v.Text, v.Near
	i := lex.Run(s, 0, lex.Alnum)
	numbers := lex.HasDigit(s[:i]) && (i == len(s) || s[i] != '.' || IdentifierEnd(s, 0) == 0)
	for i < len(s) && s[i] == '.' {
		i = lex.Run(s, i+1, lex.Word)
	}
	if i == 0 || i == len(s) || s[i] != '(' || numbers || v.Tight && v.Capitals {
		return false
	}
	if v.Tight && i+1 < len(near) && near[i+1] != ')' && !lex.In(near[i+1], lex.Quote) {
		return false
	}
	k := strings.IndexByte(near[i:], ')')
	if k > 4 && IsPlainWord(s[:i]) && isOneOf(near[i+1:i+k], "0123456789") { // Summer(2024)
		return false
	}
	return k < 0 && i+1 == len(s) || k > 0 && (i+k+1 == len(near) || !lex.In(near[i+k+1], lex.Word))
}

// isMember reports whether a text begins with an identifier of fewer than so many letters that ends as the name of a
// member does.
func isMember(s string, most int) bool {
	end := IdentifierEnd(s, 0)
	return end == len(s) && end > 0 && end < most || end < most && end < len(s) &&
		strings.IndexByte(".,;:()[]&|?!=<>+", s[end]) >= 0
}
