package redact

import (
	"slices"
	"strings"
	"unicode"
)

// Input redacts the text that was typed into a field: all of it when the field's selector is that of a secret.
func (r *Redactor) Input(selector, value string, c Counts) string {
	if kind := r.Field(selector); kind != "" && value != "" && !isMarker(value) {
		c.count(kind)
		return marker(kind)
	}
	return r.Body("", value, c)
}

// Field returns the kind of the secret that is typed into a field, by a selector with any of its attributes; empty when they do not name
// one. The last word of a name counts that is not a word for fields, such as input.
func (r *Redactor) Field(selector string) (kind string) {
	words := strings.FieldsFunc(selector, func(c rune) bool {
		return c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsNumber(c) && !unicode.IsMark(c)
	})
	for i, word := range words {
		if i > 0 && strings.EqualFold(word, "code") { // "Security code", card[code]
			switch before := strings.ToLower(words[i-1][lastWord(words[i-1]):]); before {
			case "card", "cc", "security", "verification":
				word = before + "-" + word
			}
		}
		for {
			m := r.meaningOf(word)
			at := lastWord(word)
			if !m.isSecret() && !r.isAllowed(word) {
				m = r.meaningOf(word[at:])
			}
			switch m.class {
			case alwaysSecret, oftenSecret, secretIfNumber, secretUnlessNumber:
				return m.kind
			}
			if !isWidgetWord(word[at:]) && !isNumeral(word[at:]) || at == 0 {
				break
			}
			word = strings.TrimRight(word[:at], "-_")
		}
		lower := strings.ToLower(word)
		if lower == "one-time-code" || strings.HasPrefix(lower, "cc-") {
			return kindField
		}
	}
	return ""
}

// isAllowed reports whether a workspace allows the values of a name.
func (r *Redactor) isAllowed(name string) bool {
	if len(r.allow) == 0 {
		return false
	}
	var f folded
	f.fold(name)
	return slices.ContainsFunc(r.allow, func(g glob) bool { return g.match(f.text[:f.n]) })
}

// lastWord returns where the last word of a name begins, in camelCase, kebab-case or snake_case.
func lastWord(name string) int {
	i := len(name)
	for i--; i > 0; i-- {
		before, c := name[i-1], name[i]
		if before == '-' || before == '_' || c >= 'A' && c <= 'Z' && (before < 'A' || before > 'Z') || isDigit(c) != isDigit(before) {
			return i
		}
	}
	return 0
}

func isNumeral(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// isWidgetWord reports whether a word only says that a name is that of a part of a form.
func isWidgetWord(word string) bool {
	switch strings.ToLower(word) {
	case "input", "field", "box", "textbox", "text", "textfield", "edit", "control", "ctrl", "value", "entry", "el", "elem",
		"element", "form", "group", "wrapper", "container", "row", "label", "inner", "root", "area", "new", "old", "current",
		"confirm", "confirmation", "again", "repeat", "hidden", "native":
		return true
	}
	return false
}
