package evidence

import (
	"encoding/json"
	"strings"
)

// maxHeadText is the length of the texts that an EventHead reads. Longer ones count as absent.
const maxHeadText = 256

// EventHead reads those members of an event that say what it contains, from parts of the event, so that an event of
// any length needs little memory.
type EventHead struct {
	kind, source, tag, plugin string
	payload                   map[string]string // the members of the payload that a namedEvent names
	repeats                   bool              // whether the event has a type or data twice, which readers understand in different ways

	depth   int
	names   [4]string // of the member, by depth
	objects [4]bool   // whether there is an object at a depth, and no array
	isName  bool      // whether the next text is the name of a member

	text              []byte // the text or number that is being read
	inText, isEscaped bool
}

// Write reads the next part of the event.
func (h *EventHead) Write(part []byte) {
	for _, b := range part {
		switch {
		case h.inText:
			h.addToText(b)
		case b == '"':
			h.inText, h.text = true, append(h.text[:0], b)
		case b == '{' || b == '[':
			h.enter(b == '{')
		case b == '}' || b == ']':
			h.endValue()
			h.depth = max(0, h.depth-1)
			h.isName = false
		case b == ',':
			h.endValue()
			h.isName = h.depth < len(h.objects) && h.objects[h.depth]
		case b == ':':
			h.isName = false
		case b > ' ' && len(h.text) < maxHeadText:
			h.text = append(h.text, b)
		}
	}
}

func (h *EventHead) addToText(b byte) {
	if len(h.text) <= maxHeadText {
		h.text = append(h.text, b)
	}
	switch {
	case h.isEscaped:
		h.isEscaped = false
	case b == '\\':
		h.isEscaped = true
	case b == '"':
		h.inText = false
		if h.isName && h.depth < len(h.names) {
			h.names[h.depth] = h.takeText()
			h.repeats = h.repeats || h.depth == 1 &&
				(h.names[1] == "type" && h.kind != "" || h.names[1] == "data" && h.payload != nil)
		}
	}
}

// takeText returns the text or the number that was read; empty for one that is too long.
func (h *EventHead) takeText() (text string) {
	if json.Unmarshal(h.text, &text) != nil && len(h.text) > 0 && h.text[0] != '"' {
		text = string(h.text)
	}
	h.text = h.text[:0]
	return text
}

// enter begins an object or an array.
func (h *EventHead) enter(isObject bool) {
	if h.depth++; h.depth < len(h.objects) {
		h.objects[h.depth], h.names[h.depth] = isObject, ""
	}
	h.isName, h.text = isObject, h.text[:0]
	if h.depth == 2 && h.names[1] == "data" {
		h.payload = map[string]string{}
	}
}

// endValue takes the value that was read, if there is one and it says what the event contains.
func (h *EventHead) endValue() {
	if len(h.text) == 0 || h.depth >= len(h.names) {
		h.text = h.text[:0]
		return
	}
	isText := h.text[0] == '"'
	value := h.takeText()
	switch path := strings.Join(h.names[1:h.depth+1], " "); {
	case !h.objects[h.depth]:
	case path == "type" && !isText:
		h.kind = value
	case path == "data source" && !isText:
		h.source = value
	case path == "data tag" && isText:
		h.tag = value
	case path == "data plugin" && isText:
		h.plugin = value
	case (path == "data payload category" || path == "data payload op") && isText:
		h.payload[h.names[3]] = value
	}
}
