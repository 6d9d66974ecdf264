package evidence

import (
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/redact"
)

// actions reads what a user did. As in a replay, what was typed into a field goes as a whole when
// any of it, or the field's selector, is secret.
func (s *Set) actions(rows []api.ActionEntry, d *redact.Redactor, c redact.Counts) error {
	secret := map[string]bool{}
	for _, e := range rows {
		if e.Selector == nil || secret[*e.Selector] {
			continue
		}
		secret[*e.Selector] = d.Field(*e.Selector) != "" || slices.ContainsFunc(typedIn(&e), func(p *string) bool { return d.Body("", *p, redact.Counts{}) != *p })
	}
	for _, e := range rows {
		if e.Selector != nil && secret[*e.Selector] {
			for _, p := range typedIn(&e) {
				if d.Field(*e.Selector) != "" {
					*p = d.Input(*e.Selector, *p, c)
				} else if strings.Trim(*p, "*•") != "" && *p != mask {
					c["input"]++
					*p = mask
				}
			}
		}
		for _, p := range []**string{&e.Text, &e.Value, &e.Selector, &e.URL} {
			if *p == nil {
				continue
			}
			var clean string
			switch p {
			case &e.URL:
				clean = d.URL(**p, c)
			case &e.Value:
				clean = d.Body("", **p, c)
			default:
				clean = d.Text(**p, c)
			}
			*p = &clean
		}
		fit(&e)
		if err := s.add(e, noClass); err != nil {
			return err
		}
	}
	return nil
}

// typedIn returns, as copies that e now has, what was typed by an action: its value, and its text
// when that is not the label of what was clicked.
func typedIn(e *api.ActionEntry) (texts []*string) {
	for _, p := range []**string{&e.Value, &e.Text} {
		if *p == nil || **p == "" || p == &e.Text && !types(e.Type) {
			continue
		}
		text := **p
		*p = &text
		texts = append(texts, *p)
	}
	return texts
}

// types says whether an action is one of typing, whatever a tool calls it.
func types(action string) bool {
	action = strings.ToLower(action)
	return slices.ContainsFunc([]string{"input", "change", "fill", "type", "press", "key", "paste", "set", "send", "insert", "edit", "select", "enter", "write"}, func(begin string) bool {
		return strings.HasPrefix(action, begin)
	})
}
