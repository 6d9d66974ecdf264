package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Body removes secrets from the body of a request or an answer: from JSON whatever it was sent
// as, from forms and their parts, else from text. What is harmless comes back byte for byte.
func (d *Redactor) Body(contentType, body string, c Counts) string {
	if len(body) < 5 {
		return body
	}
	media, options, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = strings.ToLower(strings.TrimSpace(contentType))
	}
	if clean, ok := d.json(body, c); ok {
		return clean
	}
	switch {
	case media == "application/x-www-form-urlencoded", isForm(body):
		return d.form(body, c)
	case media == "multipart/form-data" && options["boundary"] != "":
		return d.multipart(body, options["boundary"], c)
	case strings.Contains(body, "\n{"), strings.Contains(body, "\n["):
		return d.lines(body, c)
	}
	return d.Text(body, c)
}

// isForm says whether a text can be nothing but a form: name=value&name=value, without spaces.
func isForm(body string) bool {
	if len(body) > 64<<10 || !strings.Contains(body, "=") || strings.ContainsAny(body, " \t\r\n<>{}\"") {
		return false
	}
	for pair := range strings.SplitSeq(body, "&") {
		if name, _, ok := strings.Cut(pair, "="); !ok || name == "" || strings.ContainsAny(name, ":/?#@") {
			return false
		}
	}
	return true
}

func (d *Redactor) form(body string, c Counts) string {
	pairs := strings.Split(body, "&")
	for i, p := range pairs {
		pairs[i] = d.pair(p, c)
	}
	return strings.Join(pairs, "&")
}

// lines redacts each line as what it is: JSON, or text.
func (d *Redactor) lines(body string, c Counts) string {
	if key := &formats[0]; has(body, key.hints, false) { // a private key has many lines
		body = key.remove(body, c)
	}
	if !strings.Contains(body, "\n{") && !strings.HasPrefix(body, "{") {
		return d.Text(body, c)
	}
	all := strings.SplitAfter(body, "\n")
	for i, line := range all {
		text := strings.TrimRight(line, "\r\n")
		clean, ok := d.json(text, c)
		if !ok {
			clean = d.Text(text, c)
		}
		all[i] = clean + line[len(text):]
	}
	return strings.Join(all, "")
}

// multipart redacts the parts of a form, each as what it is.
func (d *Redactor) multipart(body, boundary string, c Counts) string {
	parts := strings.Split(body, "--"+boundary)
	for i, p := range parts {
		head, content, ok := strings.Cut(p, "\r\n\r\n")
		cut := "\r\n\r\n"
		if !ok {
			cut = "\n\n"
			head, content, ok = strings.Cut(p, cut)
		}
		if !ok {
			continue
		}
		name := ""
		kind := ""
		for line := range strings.Lines(head) {
			field, value, _ := strings.Cut(line, ":")
			switch strings.ToLower(strings.TrimSpace(field)) {
			case "content-disposition":
				if _, options, err := mime.ParseMediaType(strings.TrimSpace(value)); err == nil {
					name = options["name"]
				}
			case "content-type":
				kind = strings.TrimSpace(value)
			}
		}
		text := strings.TrimRight(content, "\r\n")
		end := content[len(text):]
		if d.secretName(name) && text != "" && !marked(text) {
			c["field"]++
			text = mark("field")
		} else {
			text = d.Body(kind, text, c)
		}
		parts[i] = head + cut + text + end
	}
	return strings.Join(parts, "--"+boundary)
}

const maxDepth = 200

// json redacts a JSON object or array, and says whether the text is one. The bytes of what
// stays are kept as they are.
func (d *Redactor) json(text string, c Counts) (string, bool) {
	trimmed := strings.TrimLeft(text, " \t\r\n\ufeff")
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
		return text, false
	}
	raw := []byte(text[len(text)-len(trimmed):])
	w := &walker{d: d, counts: Counts{}, raw: raw, dec: jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	if err := w.value(false, 0); err != nil {
		return text, false
	}
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) { // more than one value
		return text, false
	}
	c.Add(w.counts)
	if w.out.Len() == 0 {
		return text, true
	}
	w.out.Write(raw[w.done:])
	return text[:len(text)-len(trimmed)] + w.out.String(), true
}

// walker goes through JSON once and copies what it does not replace.
type walker struct {
	d      *Redactor
	counts Counts
	raw    []byte
	dec    *jsontext.Decoder
	out    bytes.Buffer
	done   int // how much of raw is copied or replaced
}

// replace puts text in the place of the raw bytes that end where the decoder stands.
func (w *walker) replace(length int, with []byte) {
	end := int(w.dec.InputOffset())
	w.out.Write(w.raw[w.done : end-length])
	w.out.Write(with)
	w.done = end
}

// value redacts the next value; all of it when its name says so.
func (w *walker) value(secret bool, depth int) error {
	if depth > maxDepth {
		return io.ErrShortBuffer
	}
	switch kind := w.dec.PeekKind(); kind {
	case '{':
		return w.object(secret, depth)
	case '[':
		if _, err := w.dec.ReadToken(); err != nil {
			return err
		}
		for w.dec.PeekKind() != ']' {
			if err := w.value(secret, depth+1); err != nil {
				return err
			}
		}
		_, err := w.dec.ReadToken()
		return err
	case '"', '0':
		raw, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		return w.scalar(raw, secret, kind == '"')
	default:
		_, err := w.dec.ReadToken()
		return err
	}
}

func (w *walker) scalar(raw jsontext.Value, secret, isText bool) error {
	length := len(raw)
	if !isText {
		if secret {
			w.counts["field"]++
			w.replace(length, []byte(`"`+mark("field")+`"`))
		} else if clean := cards(string(raw), w.counts); clean != string(raw) {
			w.replace(length, []byte(`"`+clean+`"`))
		}
		return nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	clean := text
	switch {
	case text == "" || marked(text):
	case secret:
		w.counts["field"]++
		clean = mark("field")
	default:
		clean = w.d.text(text, w.counts)
	}
	if clean != text {
		w.replace(length, quote(clean))
	}
	return nil
}

// text redacts a string inside of JSON: it may hold JSON or a form again.
func (d *Redactor) text(s string, c Counts) string {
	if clean, ok := d.json(s, c); ok {
		return clean
	}
	if isForm(s) {
		return d.form(s, c)
	}
	if strings.Contains(s, "://") && !strings.ContainsAny(s, " \n\t") {
		return d.URL(s, c)
	}
	return d.Text(s, c)
}

func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return []byte(`"` + mark("field") + `"`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// object redacts an object: members by their names, and value where name, or key, has one.
func (w *walker) object(secret bool, depth int) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	named := "" // what a member called name says
	for w.dec.PeekKind() != '}' {
		token, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		member := token.String()
		if (member == "name" || member == "key") && w.dec.PeekKind() == '"' {
			raw, err := w.dec.ReadValue()
			if err != nil {
				return err
			}
			if err := json.Unmarshal(raw, &named); err != nil {
				return err
			}
			continue
		}
		hidden := secret || w.d.secretName(member)
		if member == "value" && named != "" {
			if done, err := w.header(named); err != nil {
				return err
			} else if done {
				continue
			}
			hidden = secret || w.d.secretName(named)
		}
		if hidden && !secret && plainKind(w.dec.PeekKind()) {
			hidden = false
		}
		if err := w.value(hidden, depth+1); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// plainKind says whether a value is true, false or null, which tell nothing.
func plainKind(k jsontext.Kind) bool { return k == 't' || k == 'f' || k == 'n' }

// header redacts the value of a pair of name and value by the rules of headers, where it is one.
func (w *walker) header(name string) (bool, error) {
	switch strings.ToLower(name) {
	case "cookie", "set-cookie", "authorization", "proxy-authorization":
	default:
		return false, nil
	}
	if w.dec.PeekKind() != '"' {
		return false, nil
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return false, err
	}
	length := len(raw)
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return false, err
	}
	clean := w.d.Header(name, text, w.counts)
	if clean != text {
		w.replace(length, quote(clean))
	}
	return true, nil
}
