package find

import (
	"strings"
	"unicode"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// FieldRule returns the rule of the secret that is typed into a field, by a selector with any of its attributes; nil
// when they do not name one. The last word of a name counts that is not a word for fields, such as input.
func FieldRule(set *decide.Set, selector string) *decide.Rule {
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
		if rule := fieldRule(set, word); rule != nil {
			return rule
		}
	}
	return nil
}

// fieldRule returns the rule of one of the words of a selector.
func fieldRule(set *decide.Set, word string) *decide.Rule {
	for {
		m := set.Meaning(word)
		at := lastWord(word)
		if !m.IsSecret() && !set.IsAllowed(word) {
			m = set.Meaning(word[at:])
		}
		switch m.Class {
		case decide.Always, decide.Often, decide.IfNumber, decide.UnlessNumber:
			return m.Rule
		}
		if !isWidgetWord(word[at:]) && !isNumeral(word[at:]) || at == 0 {
			break
		}
		word = strings.TrimRight(word[:at], "-_")
	}
	if lower := strings.ToLower(word); lower == "one-time-code" || strings.HasPrefix(lower, "cc-") {
		return decide.FormField.Rule
	}
	return nil
}

// lastWord returns where the last word of a name begins, in camelCase, kebab-case or snake_case.
func lastWord(name string) int {
	i := len(name)
	for i--; i > 0; i-- {
		before, c := name[i-1], name[i]
		rises := c >= 'A' && c <= 'Z' && (before < 'A' || before > 'Z')
		if before == '-' || before == '_' || rises || lex.IsDigit(c) != lex.IsDigit(before) {
			return i
		}
	}
	return 0
}

func isNumeral(word string) bool { return word != "" && lex.Run(word, 0, lex.Digit) == len(word) }

// isWidgetWord reports whether a word only says that a name is that of a part of a form.
func isWidgetWord(word string) bool {
	switch strings.ToLower(word) {
	case "input", "field", "box", "textbox", "text", "textfield", "edit", "control", "ctrl", "value", "entry", "el",
		"elem",
		"element", "form", "group", "wrapper", "container", "row", "label", "inner", "root", "area", "new", "old",
		"current",
		"confirm", "confirmation", "again", "repeat", "hidden", "native":
		return true
	}
	return false
}
