package evidence

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text returns the lines of text that the page shows, from top to bottom: of elements that are not hidden by their
// attributes, with the state of fields and buttons in brackets.
func (s *Screen) Text() []string {
	w := &screenWriter{}
	if s.root != nil {
		w.write(s.root, 0)
		w.endLine()
	}
	return w.lines
}

// screenWriter collects the lines of a page.
type screenWriter struct {
	lines []string
	line  strings.Builder
}

// endLine ends the line, unless it is empty.
func (w *screenWriter) endLine() {
	text := strings.Join(strings.Fields(w.line.String()), " ")
	w.line.Reset()
	if text == "" || len(w.lines) >= maxScreenLines {
		return
	}
	if utf8.RuneCountInString(text) > maxScreenLine {
		text = string([]rune(text)[:maxScreenLine]) + "…"
	}
	w.lines = append(w.lines, text)
}

// unseenTags are elements whose content no page shows as text.
var unseenTags = setOf("script style head noscript template svg canvas video audio object meta link title datalist")

// inlineTags are elements that are parts of a line.
var inlineTags = setOf("a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub " +
	"sup time u var button input select textarea img output")

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// write adds the text of a node and of those below it.
func (w *screenWriter) write(n *screenNode, depth int) {
	if depth > maxScreenDepth || len(w.lines) >= maxScreenLines {
		return
	}
	switch {
	case n.kind == textNode:
		w.line.WriteString(n.text)
		return
	case n.kind == elementNode && n.isHidden():
		return
	}
	isBlock := n.kind != elementNode || !inlineTags[n.tag]
	if isBlock {
		w.endLine()
	}
	before := w.line.Len()
	w.line.WriteString(n.opening())
	if n.tag != "select" && n.tag != "textarea" {
		for child := n.first; child != nil; child = child.next {
			if child.previous != nil && child.kind == elementNode && child.previous.kind == elementNode {
				w.line.WriteString(" ")
			}
			if n.tag != "details" || n.has("open") || child.tag == "summary" {
				w.write(child, depth+1)
			}
		}
	}
	if n.tag == "button" {
		w.line.WriteString(n.disabled())
		w.line.WriteString("] ")
	}
	if isBlock || n.tag == "br" {
		w.endLine()
	} else if w.line.Len() > before && n.tag == "input" {
		w.line.WriteString(" ")
	}
}

// isHidden reports whether the attributes of an element hide it.
func (n *screenNode) isHidden() bool {
	style := strings.ReplaceAll(n.attribute("style"), " ", "")
	return unseenTags[n.tag] || n.has("hidden") || n.tag == "dialog" && !n.has("open") ||
		n.tag == "input" && n.attribute("type") == "hidden" ||
		strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

// opening returns what stands before the content of an element: the state of a field, or the bracket of a button.
func (n *screenNode) opening() string {
	name := n.attribute("aria-label")
	for _, attribute := range []string{"id", "name", "placeholder", "type"} {
		if name == "" {
			name = n.attribute(attribute)
		}
	}
	switch n.tag {
	case "button":
		return " ["
	case "img":
		if alt := n.attribute("alt"); alt != "" {
			return "(picture: " + alt + ") "
		}
	case "input", "select", "textarea":
		state := n.attribute("value")
		if n.value != nil {
			state = *n.value
		}
		switch n.attribute("type") {
		case "submit", "button", "reset":
			return " [" + state + n.disabled() + "] "
		case "checkbox", "radio":
			state = "not chosen"
			if n.has("checked") && n.checked == nil || n.checked != nil && *n.checked {
				state = "chosen"
			}
		}
		return fmt.Sprintf(" [%s: %s%s] ", name, state, n.disabled())
	}
	return ""
}

func (n *screenNode) disabled() string {
	if n.has("disabled") {
		return ", disabled"
	}
	return ""
}

// has reports whether an element has an attribute.
func (n *screenNode) has(name string) bool {
	value, ok := n.state[name]
	return ok && value != false
}

// attribute returns the value of an attribute, empty for none.
func (n *screenNode) attribute(name string) string {
	if value, ok := n.state[name].(string); ok {
		return value
	}
	return ""
}
