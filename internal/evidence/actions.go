package evidence

import (
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/redact"
)

// inputMask replaces the input of a field that contains a secret.
const inputMask = "[redacted:input]"

// isMasked says whether a text is empty, or masked by the recorder or by us.
func isMasked(text string) bool { return strings.Trim(text, "*•") == "" || text == inputMask }

// actions adds actions of the user, without secrets. As in a replay, an input is masked completely when its field
// contains a secret.
func (s *Set) actions(rows []api.ActionEntry, d *redact.Redactor, c redact.Counts) error {
	secret := secretFields(rows, d)
	for _, e := range rows {
		if e.Selector != nil && secret[*e.Selector] {
			maskInput(&e, d, c)
		}
		redactMember(&e.Text, c, d.Text)
		redactMember(&e.Value, c, func(text string, c redact.Counts) string { return d.Body("", text, c) })
		redactMember(&e.Selector, c, d.Text)
		redactMember(&e.URL, c, d.URL)
		truncateMembers(&e)
		if err := s.add(e, noClass); err != nil {
			return err
		}
	}
	return nil
}

// secretFields returns the selectors of the fields that contain a secret: the selector names one, or one of the inputs
// is one.
func secretFields(rows []api.ActionEntry, d *redact.Redactor) map[string]bool {
	secret := map[string]bool{}
	for _, e := range rows {
		if e.Selector == nil || secret[*e.Selector] {
			continue
		}
		secret[*e.Selector] = d.Field(*e.Selector) != "" || slices.ContainsFunc(copyInputs(&e), func(text *string) bool {
			return d.Body("", *text, redact.Counts{}) != *text
		})
	}
	return secret
}

// maskInput masks the inputs of an action whose field contains a secret.
func maskInput(e *api.ActionEntry, d *redact.Redactor, c redact.Counts) {
	for _, text := range copyInputs(e) {
		if d.Field(*e.Selector) != "" {
			*text = d.Input(*e.Selector, *text, c)
		} else if !isMasked(*text) {
			c["input"]++
			*text = inputMask
		}
	}
}

// copyInputs copies the members of an action that contain input, and returns the copies: the value, and the text unless
// it is the label of an element.
func copyInputs(e *api.ActionEntry) (texts []*string) {
	for _, member := range []**string{&e.Value, &e.Text} {
		if *member == nil || **member == "" || member == &e.Text && !isTyping(e.Type) {
			continue
		}
		text := **member
		*member = &text
		texts = append(texts, *member)
	}
	return texts
}

// typingActions are prefixes of the names that tools give to actions of typing.
var typingActions = []string{
	"input", "change", "fill", "type", "press", "key", "paste", "set", "send", "insert", "edit", "select", "enter", "write",
}

func isTyping(action string) bool {
	action = strings.ToLower(action)
	return slices.ContainsFunc(typingActions, func(prefix string) bool { return strings.HasPrefix(action, prefix) })
}

// redactMember replaces the text of an optional member.
func redactMember(member **string, c redact.Counts, redacted func(string, redact.Counts) string) {
	if *member != nil {
		text := redacted(**member, c)
		*member = &text
	}
}
