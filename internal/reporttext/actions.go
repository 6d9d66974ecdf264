package reporttext

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"bugslice/api"
)

// scrolling is the input of actions that scroll.
const scrolling = "scroll"

// inputActions are the types of actions that are one line when they are about the same field.
var inputActions = []string{"input", "change", "keydown", "keyup", "keypress"}

// actionLine returns the highlight of an action of the user.
func actionLine(row []byte) (Highlight, error) {
	var e api.ActionEntry
	if err := json.Unmarshal(row, &e); err != nil {
		return Highlight{}, err
	}
	line := Highlight{text: e.Type, rows: 1, rank: acting, first: e.Timestamp.Time, last: e.Timestamp.Time, page: memberText(e.URL)}
	selector, text, value := memberText(e.Selector), memberText(e.Text), memberText(e.Value)
	switch {
	case e.Type == scrolling:
		line.input, line.value, line.rank = scrolling, value, scrolled
	case selector != "" && slices.Contains(inputActions, e.Type):
		line.rank = typing
		if line.input = selector; e.Type[0] != 'k' {
			line.value = value
		} else if utf8.RuneCountInString(value) > 1 { // a key that types no character
			line.keys = value
		}
		if text != "" && line.value == "" {
			line.value = text
		}
	default:
		if text != "" {
			text = `"` + text + `"`
		}
		for _, part := range []string{selector, text, value} {
			if part != "" {
				line.text += " " + part
			}
		}
	}
	return line, nil
}

// describe sets the text of an input, and adds the page to the text when it is another one than that of the action
// before.
func (l *Highlight) describe(pageBefore string) {
	l.pageBefore = pageBefore
	switch {
	case l.input == scrolling:
		l.text = "scroll to " + l.value
	case l.input != "":
		l.text = "input " + l.input
		if l.value != "" {
			l.text += " = " + l.value
		}
		if l.keys != "" {
			l.text += ", key " + l.keys
		}
	}
	if l.page != pageBefore && l.page != "" {
		l.text += " at " + l.page
	}
}

// extend adds a later action of the same input to the text.
func (l *Highlight) extend(later Highlight) {
	if later.value != "" {
		l.value = later.value
	}
	if l.keys != "" && later.keys != "" {
		l.keys += ", "
	}
	l.keys += later.keys
	l.describe(l.pageBefore)
}

// memberText returns a member of an action in one line.
func memberText(member *string) string {
	if member == nil {
		return ""
	}
	return oneLine(*member, 120)
}
