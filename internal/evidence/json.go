package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

var errTrailing = errors.New("evidence: data after the JSON value")

// decode decodes exactly one JSON value. Numbers keep their text.
func decode(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

// marshal returns JSON in one line, without escaping < and &.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// joinArray returns the JSON array of the rows.
func joinArray(rows []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(r)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// object returns v as an object, or nil.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// stringMember returns the string that a member has, or "".
func stringMember(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

// number returns v as a float64; ok is false for any other value, and for a number that a float64 cannot represent.
func number(v any) (f float64, ok bool) {
	n, _ := v.(json.Number)
	f, err := n.Float64()
	if err != nil {
		return 0, false
	}
	return f, true
}

// depth returns how deep arrays and objects are nested in valid JSON, without decoding it.
func depth(raw []byte) (deepest int) {
	open, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
			if c == '\\' {
				i++
			}
		case c == '{' || c == '[':
			open++
			deepest = max(deepest, open)
		case c == '}' || c == ']':
			open--
		}
	}
	return deepest
}

// shallow returns JSON in which each list and object that is nested deeper than a limit is null, and the number of
// those.
func shallow(raw []byte, limit int) (out []byte, n int) {
	if depth(raw) <= limit {
		return raw, 0
	}
	out = make([]byte, 0, len(raw))
	open, copied := 0, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = valueEnd(raw, i) - 1
		case (c == '{' || c == '[') && open == limit:
			out = append(append(out, raw[copied:i]...), "null"...)
			copied = valueEnd(raw, i)
			i = copied - 1
			n++
		case c == '{' || c == '[':
			open++
		case c == '}' || c == ']':
			open--
		}
	}
	return append(out, raw[copied:]...), n
}

// maxShown is the number of characters to which truncate cuts a text.
const maxShown = 4096

func truncate(s string) string {
	if len(s) <= maxShown {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > maxShown {
			return s[:i]
		}
	}
	return strings.ToValidUTF8(s, "")
}
