package evidence

import (
	"bytes"
	"encoding/json"
	"strings"
)

// recorded is what an object in an event says of a field. Its values are parts of the event: a page of a million
// nodes takes little more memory than its text.
type recorded struct {
	id, parentID, tagName, content, textContent, value, kind scalar

	attributes []attribute
	children   []childNode
	node       addedNode
}

// attribute is a member of the attributes of an element. Only an object that is the value of a member attributes
// keeps them.
type attribute struct {
	name  string
	value scalar
}

// childNode is one of the childNodes of an element.
type childNode struct{ id, textContent scalar }

// addedNode is the node of a change that adds it.
type addedNode struct{ kind, textContent scalar }

// scalar is a value in an event, as it is written, and where it begins. It is empty where there is none.
type scalar struct {
	raw []byte
	at  int
}

func (v scalar) isString() bool { return len(v.raw) > 0 && v.raw[0] == '"' }

// isContent reports whether a value is a text or a number.
func (v scalar) isContent() bool {
	return v.isString() || len(v.raw) > 0 && (v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9')
}

// text returns a text without its quotes, and another value as it is written.
func (v scalar) text() (text string) {
	if v.isString() && bytes.IndexByte(v.raw, '\\') < 0 {
		return string(v.raw[1 : len(v.raw)-1])
	}
	if v.isString() && json.Unmarshal(v.raw, &text) == nil {
		return text
	}
	return string(v.raw)
}

// tag returns the name of an element in lower case; empty for another object.
func (o recorded) tag() string {
	if !o.tagName.isString() {
		return ""
	}
	return strings.ToLower(o.tagName.text())
}

// attribute returns the value of an attribute: the last one of its name.
func (o recorded) attribute(name string) (value scalar) {
	for _, a := range o.attributes {
		if a.name == name {
			value = a.value
		}
	}
	return value
}

// eachObject calls fn for every object in the value at an index of valid JSON, inner ones first. It reads the value
// once.
func eachObject(raw []byte, at int, fn func(recorded)) {
	w := objectWalk{raw, fn}
	w.next(at, "")
}

// objectWalk walks through valid JSON.
type objectWalk struct {
	raw []byte
	fn  func(recorded)
}

// next reads the value at i of a member, and returns where it ends. It returns the value of an object, and the items
// of a list of childNodes.
func (w objectWalk) next(i int, member string) (end int, o recorded) {
	switch w.raw[i] {
	case '{':
		return w.object(i, member == "attributes")
	case '[':
		for i = skipBlanks(w.raw, i+1); w.raw[i] != ']'; {
			var item recorded
			i, item = w.next(i, "")
			if member == "childNodes" && len(item.id.raw)+len(item.textContent.raw) > 0 {
				o.children = append(o.children, childNode{item.id, item.textContent})
			}
			if i = skipBlanks(w.raw, i); w.raw[i] == ',' {
				i = skipBlanks(w.raw, i+1)
			}
		}
		return i + 1, o
	}
	return valueEnd(w.raw, i), o
}

// object reads the object at i, with all its members when they are attributes.
func (w objectWalk) object(i int, areAttributes bool) (end int, o recorded) {
	var own []attribute
	for i = skipBlanks(w.raw, i+1); w.raw[i] != '}'; {
		end = valueEnd(w.raw, i)
		name := scalar{w.raw[i:end], i}.text()
		i = skipBlanks(w.raw, skipBlanks(w.raw, end)+1)
		var inner recorded
		end, inner = w.next(i, name)
		value := scalar{w.raw[i:end], i}
		o.set(name, value, inner)
		if areAttributes {
			own = append(own, attribute{name, value})
		}
		if i = skipBlanks(w.raw, end); w.raw[i] == ',' {
			i = skipBlanks(w.raw, i+1)
		}
	}
	w.fn(o)
	if areAttributes {
		o = recorded{attributes: own}
	}
	return i + 1, o
}

// set sets the member of a name. Only the last one of a name counts, as for a reader.
func (o *recorded) set(name string, value scalar, inner recorded) {
	switch name {
	case "id":
		o.id = value
	case "parentId":
		o.parentID = value
	case "tagName":
		o.tagName = value
	case "text":
		o.content = value
	case "textContent":
		o.textContent = value
	case "value":
		o.value = value
	case "type":
		o.kind = value
	case "attributes":
		o.attributes = inner.attributes
	case "childNodes":
		o.children = inner.children
	case "node":
		o.node = addedNode{inner.kind, inner.textContent}
	}
}
