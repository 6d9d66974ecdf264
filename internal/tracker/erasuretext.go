package tracker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"bugslice/internal/store"
)

// eraser replaces the name and the e-mail address of a user in texts and in JSON documents.
type eraser struct {
	userID  string
	names   []string
	address *regexp.Regexp
}

func newEraser(e store.Erasure) *eraser {
	var address strings.Builder
	for _, c := range e.Email {
		text := string(c)
		fmt.Fprintf(&address, "(?:%s|%s)", regexp.QuoteMeta(text), regexp.QuoteMeta(url.QueryEscape(text)))
	}
	return &eraser{e.UserID, e.Names, regexp.MustCompile(`(?i)(?:@|%40)?` + address.String())}
}

// escapedByte is the end of a text that is a byte as URLs escape it.
var escapedByte = regexp.MustCompile(`%[0-9A-Fa-f]{2}$`)

// fileExtension is the beginning of a text that ends the name of a file.
var fileExtension = regexp.MustCompile(
	`(?i)^(?:\.(?:csv|gif|gz|har|html|jpe?g|json|log|md|mp4|ndjson|pdf|png|svg|txt|webm|webp|xml|zip))+\.?(?:$|[^\w.-])`)

// isPartOfAddress reports whether the range of a text is only a part of a longer e-mail address.
func isPartOfAddress(text string, from, to int) bool {
	isWord := func(c byte) bool {
		return c == '_' || c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	if from > 0 && (isWord(text[from-1]) || strings.ContainsRune(".+", rune(text[from-1]))) {
		return !escapedByte.MatchString(text[max(0, from-3):from])
	}
	if to+1 < len(text) && text[to] == '.' && isWord(text[to+1]) {
		return !fileExtension.MatchString(text[to:])
	}
	return to < len(text) && isWord(text[to])
}

// text replaces the e-mail address in a text, also as URLs escape it, and no longer address.
func (e *eraser) text(text, replacement string) string {
	var b strings.Builder
	end := 0
	for _, m := range e.address.FindAllStringIndex(text, -1) {
		if isPartOfAddress(text, m[0], m[1]) {
			continue
		}
		b.WriteString(text[end:m[0]])
		b.WriteString(replacement)
		end = m[1]
	}
	b.WriteString(text[end:])
	return b.String()
}

// document replaces the e-mail address in the texts of a JSON document, and the name in the objects that have the id
// of the user. A document about the user has former names of the user, too. The order of members stays. In a text
// that is no JSON, the names are replaced literally.
func (e *eraser) document(text string, aboutUser bool) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	value, err := readOrdered(d)
	if _, end := d.Token(); err != nil || !errors.Is(end, io.EOF) {
		text = e.text(text, store.DeletedUser)
		for _, name := range e.names {
			text = strings.ReplaceAll(text, name, store.DeletedUser)
		}
		return text
	}
	changed := false
	value = e.erase(value, aboutUser, &changed)
	if !changed {
		return text
	}
	var b bytes.Buffer
	if err := writeOrdered(&b, value); err != nil {
		return text
	}
	return b.String()
}

// member is a member of a JSON object, whose order is kept.
type member struct {
	name  string
	value any
}

type object []member

// text returns the member of an object that is a text.
func (o object) text(name string) string {
	for _, m := range o {
		if s, ok := m.value.(string); ok && m.name == name {
			return s
		}
	}
	return ""
}

// erase replaces the name and the e-mail address in a value.
func (e *eraser) erase(value any, aboutUser bool, changed *bool) any {
	switch v := value.(type) {
	case string:
		erased := e.text(v, store.DeletedUser)
		*changed = *changed || erased != v
		return erased
	case []any:
		left := v[:0]
		for _, item := range v {
			erased := e.erase(item, false, changed)
			if text, ok := erased.(string); ok && text != item && slices.Contains(left, erased) { // labels are unique
				continue
			}
			left = append(left, erased)
		}
		return left
	case object:
		e.eraseMembers(v, aboutUser, changed)
	}
	return value
}

func (e *eraser) eraseMembers(o object, aboutUser bool, changed *bool) {
	own := o.text("id") == e.userID || o.text("userId") == e.userID
	for i, m := range o {
		if name := e.text(m.name, store.DeletedUser); name != m.name {
			o[i].name, *changed = name, true
		}
		s, isText := m.value.(string)
		named := own && (m.name == "name" || m.name == "email") || m.name == "reporterName" &&
			slices.Contains(e.names, s)
		previous, isObject := m.value.(object)
		switch {
		case isObject && aboutUser && m.name == "previous": // has no id
			previous = append(previous, member{"id", e.userID})
			e.eraseMembers(previous, false, changed)
			o[i].value = previous[:len(previous)-1]
		case isText && named && s != store.DeletedUser:
			o[i].value, *changed = store.DeletedUser, true
		default:
			o[i].value = e.erase(m.value, false, changed)
		}
	}
}

// readOrdered reads a JSON value whose objects keep their order.
func readOrdered(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := readOrdered(d)
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			o = append(o, member{key, value})
		}
		_, err = d.Token()
		return o, err
	case json.Delim('['):
		all := []any{}
		for d.More() {
			value, err := readOrdered(d)
			if err != nil {
				return nil, err
			}
			all = append(all, value)
		}
		_, err = d.Token()
		return all, err
	}
	return token, nil
}

// writeOrdered writes a value that readOrdered has read.
func writeOrdered(b *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeOrdered(b, m.name); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := writeOrdered(b, m.value); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeOrdered(b, v[i]); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		b.Write(text)
	}
	return nil
}
