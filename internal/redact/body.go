package redact

import (
	"mime"
	"strings"
)

// Body redacts the body of a request or a response: JSON, whatever type it is sent with,
// forms, and everything else line by line. What holds no secret keeps its form to the byte.
func (r *Redactor) Body(contentType, body string, c Counts) string {
	return r.body(contentType, body, c, 0)
}

func (r *Redactor) body(contentType, body string, c Counts, depth int) string {
	if out, ok := r.json(body, c, depth); ok {
		return out
	}
	if out, ok := r.scalar(body, c, depth); ok {
		return out
	}
	kind, params, _ := mime.ParseMediaType(contentType)
	switch {
	case kind == "application/x-www-form-urlencoded", kind == "" && isForm(body):
		return r.form(body, c, depth)
	case kind == "multipart/form-data", strings.HasPrefix(body, "--") && strings.Contains(body, "form-data;"):
		return r.multipart(params["boundary"], body, c, depth)
	}
	return r.plain(body, c, depth)
}

// isForm says whether a body of no type is name=value&name=value and nothing else.
func isForm(s string) bool {
	eq := strings.IndexByte(s, '=')
	return eq > 0 && strings.IndexByte(s, '&') > eq && !strings.ContainsAny(s, " \n\"'{}<>:/?;,")
}

// form redacts a form as it is sent in a body.
func (r *Redactor) form(s string, c Counts, depth int) string {
	return r.inURL(s, c, depth, func(x *scan) { x.parameters(0, len(x.s)) })
}

// multipart redacts the parts of a form by their names, and else by their types.
func (r *Redactor) multipart(boundary, s string, c Counts, depth int) string {
	if boundary == "" {
		first, _, _ := strings.Cut(s, "\n")
		boundary = strings.TrimPrefix(strings.TrimRight(first, "\r"), "--")
	}
	if boundary == "" || depth >= maxDepth {
		return r.text(s, c, depth)
	}
	parts := strings.Split(s, "--"+boundary)
	for i, p := range parts {
		parts[i] = r.part(p, c, depth)
	}
	return strings.Join(parts, "--"+boundary)
}

// unfold puts a header that goes on in further lines on one.
var unfold = strings.NewReplacer("\r\n ", " ", "\r\n\t", " ", "\n ", " ", "\n\t", " ")

func (r *Redactor) part(s string, c Counts, depth int) string {
	gap := "\r\n\r\n"
	head, content, ok := strings.Cut(s, gap)
	if !ok {
		gap = "\n\n"
		if head, content, ok = strings.Cut(s, gap); !ok {
			return r.text(s, c, depth)
		}
	}
	name, kind := "", ""
	for line := range strings.Lines(unfold.Replace(head)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch strings.ToLower(key) {
		case "content-disposition":
			if _, params, err := mime.ParseMediaType(value); err == nil {
				name = params["name"]
			}
		case "content-type":
			kind = strings.TrimSpace(value)
		}
	}
	text := strings.TrimRight(content, "\r\n")
	end := content[len(text):]
	m := r.name(name)
	if m.class == none || m.class == parameter || !gone(text, m) {
		return head + gap + r.body(kind, text, c, depth+1) + end
	}
	if text == "" || marked(text) || keeps(text) {
		return s
	}
	c.count(m.kind)
	return head + gap + marker(m.kind) + end
}
