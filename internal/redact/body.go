package redact

import (
	"mime"
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

// Body redacts the body of a request or a response: JSON whatever its content type, forms, and everything else line
// by line. A body without secrets is returned byte for byte.
func (r *Redactor) Body(contentType, body string, c Counts) string {
	r = r.Report()
	redacted := r.redactWhole(contentType, body, c)
	if contentType == formType {
		return r.removeRepeatedInURL(redacted, c)
	}
	return r.RemoveRepeated(redacted, c)
}

const formType = "application/x-www-form-urlencoded"

// redactWhole redacts a body that is in no other text.
func (r *Redactor) redactWhole(contentType, body string, c Counts) string {
	return r.redactBody(contentType, body, c, 0)
}

func (r *Redactor) redactBody(contentType, body string, c Counts, depth int) string {
	if out, ok := r.redactJSON(body, c, depth); ok {
		return out
	}
	if out, ok := r.redactScalar(body, c, depth); ok {
		return out
	}
	body = r.nextInStream(body, c)
	kind, params, _ := mime.ParseMediaType(contentType)
	switch {
	case kind == formType, kind == "" && isForm(body):
		return r.redactForm(body, c, depth)
	case kind == "multipart/form-data", strings.HasPrefix(body, "--") && strings.Contains(body, "form-data;"):
		return r.redactMultipart(params["boundary"], body, c, depth)
	}
	return r.redactNonJSON(body, c, depth)
}

// isForm reports whether a body without a content type is a form, name=value&name=value.
func isForm(s string) bool {
	eq := strings.IndexByte(s, '=')
	return eq > 0 && strings.IndexByte(s, '&') > eq && !strings.ContainsAny(s, " \n\"'{}<>:/?;,")
}

// redactMultipart redacts the parts of a form by their names, and otherwise by their content types.
func (r *Redactor) redactMultipart(boundary, s string, c Counts, depth int) string {
	if boundary == "" {
		first, _, _ := strings.Cut(s, "\n")
		boundary = strings.TrimPrefix(strings.TrimRight(first, "\r"), "--")
	}
	if boundary == "" || depth >= maxDepth {
		return r.redactText(s, c, depth)
	}
	parts := strings.Split(s, "--"+boundary)
	for i, p := range parts {
		parts[i] = r.redactPart(p, c, depth)
	}
	return strings.Join(parts, "--"+boundary)
}

// unfold joins the lines of a folded header.
var unfold = strings.NewReplacer("\r\n ", " ", "\r\n\t", " ", "\n ", " ", "\n\t", " ")

// redactPart redacts a part of a multipart form.
func (r *Redactor) redactPart(s string, c Counts, depth int) string {
	gap := "\r\n\r\n"
	head, content, ok := strings.Cut(s, gap)
	if !ok {
		gap = "\n\n"
		if head, content, ok = strings.Cut(s, gap); !ok {
			return r.redactText(s, c, depth)
		}
	}
	name, kind, transfer := "", "", ""
	for line := range strings.Lines(unfold.Replace(head)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch strings.ToLower(key) {
		case "content-disposition":
			if _, params, err := mime.ParseMediaType(value); err == nil {
				name = params["name"]
			}
		case "content-type":
			kind = strings.TrimSpace(value)
		case "content-transfer-encoding":
			transfer = strings.ToLower(value)
		}
	}
	text := strings.TrimRight(content, "\r\n")
	end := content[len(text):]
	u := under{r.set.Meaning(name), decide.Stated}
	if !u.IsSecret() || !r.isSecret(text, u) {
		return head + gap + r.redactPartBody(kind, transfer, text, c, depth+1) + end
	}
	c.count(u.Rule, text)
	r.removed.add(text, u.Rule)
	return head + gap + r.mark(u.Rule, false) + end
}

// redactPartBody redacts the content of a part, which may be in base64.
func (r *Redactor) redactPartBody(kind, transfer, text string, c Counts, depth int) string {
	if strings.Contains(transfer, "base64") {
		plain, rest := lex.DecodeBase64(text)
		if out := r.redactBody(kind, string(plain), c, depth); out != string(plain) {
			return base64Coding.encode(out) + r.redactBody("", rest, c, depth)
		}
	}
	return r.redactBody(kind, text, c, depth)
}
