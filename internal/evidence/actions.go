package evidence

import (
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/redact"
)

// inputMask replaces the input of a field that contains a secret.
const inputMask = "[redacted:input]"

// isMasked reports whether a text is empty, or masked by the recorder or by us.
func isMasked(text string) bool { return strings.Trim(text, "*•") == "" || text == inputMask }

// addActions adds actions of the user, without secrets. As in a replay, an input is masked completely when its field
// contains a secret.
func (s *Set) addActions(entries []api.ActionEntry, r redaction) error {
	secret := secretFields(entries, r)
	for _, e := range entries {
		if e.Selector != nil && secret[*e.Selector] {
			maskInput(&e, r)
		}
		redactMember(&e.Text, r.text)
		redactMember(&e.Value, r.body)
		redactMember(&e.Selector, r.text)
		redactMember(&e.URL, r.url)
		truncateMembers(&e)
		if err := s.add(e, noClass); err != nil {
			return err
		}
	}
	return nil
}

// secretFields returns the selectors of the fields that contain a secret: the selector names one, or one of the inputs
// is one.
func secretFields(entries []api.ActionEntry, r redaction) map[string]bool {
	secret := map[string]bool{}
	for _, e := range entries {
		if e.Selector == nil || secret[*e.Selector] {
			continue
		}
		secret[*e.Selector] = r.namesSecret(*e.Selector) ||
			slices.ContainsFunc(copyInputs(&e), func(text *string) bool {
				return r.alone.Body("", *text, redact.Counts{}) != *text
			})
	}
	return secret
}

// maskInput masks the inputs of an action whose field contains a secret.
func maskInput(e *api.ActionEntry, r redaction) {
	for _, text := range copyInputs(e) {
		if r.namesSecret(*e.Selector) {
			*text = r.redactor.Input(*e.Selector, *text, r.counts)
		} else if !isMasked(*text) {
			r.counts.AddKind("input", 1)
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
	"input", "change", "fill", "type", "press", "key", "paste", "set", "send", "insert", "edit", "select", "enter",
	"write",
}

func isTyping(action string) bool {
	action = strings.ToLower(action)
	return slices.ContainsFunc(typingActions, func(prefix string) bool { return strings.HasPrefix(action, prefix) })
}
