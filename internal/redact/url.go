package redact

import (
	"net/url"
	"strings"
)

// URL removes user names with passwords, and the values of secret parameters in query and
// fragment. Order and form of the rest stay.
func (d *Redactor) URL(s string, c Counts) string {
	if len(s) < 5 || strings.HasPrefix(s, "data:") || strings.HasPrefix(s, "blob:") {
		return s
	}
	head, tail := s, ""
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		head, tail = s[:i], s[i:]
	}
	var b strings.Builder
	b.WriteString(d.Text(head, c))
	for tail != "" {
		end := strings.IndexAny(tail[1:], "?#&") + 1
		if end == 0 {
			end = len(tail)
		}
		b.WriteByte(tail[0])
		b.WriteString(d.pair(tail[1:end], c))
		tail = tail[end:]
	}
	return b.String()
}

// pair removes the value of a parameter name=value.
func (d *Redactor) pair(s string, c Counts) string {
	name, value, ok := strings.Cut(s, "=")
	if !ok || value == "" || marked(value) {
		return d.Text(s, c)
	}
	plain, err := url.QueryUnescape(name)
	if err != nil {
		plain = name
	}
	if d.secretName(plain) || (plain == "code" || plain == "state" || plain == "nonce") && len(value) >= 16 && mixed(value) {
		c["field"]++
		return name + "=" + mark("field")
	}
	text, err := url.QueryUnescape(value)
	if err != nil {
		text = value
	}
	n := Counts{}
	if clean := d.Text(text, n); clean != text {
		c.Add(n)
		return name + "=" + strings.NewReplacer("&", "%26", "#", "%23", " ", "+", "%", "%25").Replace(clean)
	}
	return s
}

// Header removes credentials from a header's value. The names of cookies, and what is not
// secret of Set-Cookie, stay.
func (d *Redactor) Header(name, value string, c Counts) string {
	if value == "" || marked(value) {
		return value
	}
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate":
		return d.credentials(name, value, c)
	case "cookie":
		return d.cookies(value, c)
	case "set-cookie":
		first, rest, more := strings.Cut(value, ";")
		if first = d.cookies(first, c); more {
			first += ";" + rest
		}
		return first
	case "referer", "origin", "location", "content-location", ":path", "link":
		return d.URL(value, c)
	}
	if d.secretName(name) {
		c["field"]++
		return mark("field")
	}
	return d.Text(value, c)
}

func (d *Redactor) credentials(name, value string, c Counts) string {
	if strings.HasSuffix(strings.ToLower(name), "authenticate") {
		return d.Text(value, c)
	}
	scheme, rest, ok := strings.Cut(value, " ")
	if ok && marked(rest) {
		return value
	}
	c["authorization"]++
	if ok && len(scheme) < 30 {
		return scheme + " " + mark("authorization")
	}
	return mark("authorization")
}

func (d *Redactor) cookies(value string, c Counts) string {
	parts := strings.Split(value, ";")
	for i, p := range parts {
		name, v, ok := strings.Cut(p, "=")
		if v == "" && ok || marked(v) {
			continue
		}
		c["cookie"]++
		if ok {
			parts[i] = name + "=" + mark("cookie")
		} else {
			parts[i] = mark("cookie")
		}
	}
	return strings.Join(parts, ";")
}
