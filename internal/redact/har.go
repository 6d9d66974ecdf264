package redact

import (
	"encoding/json"
	"maps"
	"strconv"
)

// HAR redacts a decoded HTTP archive in place: headers, cookies, parameters and bodies by
// what they are, also in base64, the messages of web sockets, and everything else like Value.
// What has another type than it should have is searched as what it is, under its name.
func (r *Redactor) HAR(har map[string]any, c Counts) {
	a := archive{r, c}
	a.members(har, parts{"log": a.object(parts{"entries": a.list(a.entry)})})
}

// Entry redacts an entry of a HTTP archive in place.
func (r *Redactor) Entry(entry map[string]any, c Counts) { archive{r, c}.entry(entry) }

// archive is an HTTP archive that is redacted.
type archive struct {
	r *Redactor
	c Counts
}

// part redacts a value that stands under a known name, whatever it is.
type part func(v any) any

type parts map[string]part

// members redacts the members of an object: the known ones by what they are, and others like any
// JSON.
func (a archive) members(m map[string]any, known parts) {
	done := map[string]any{}
	for name, redacted := range known {
		if v, ok := m[name]; ok {
			done[name] = redacted(v)
			delete(m, name)
		}
	}
	a.r.Value(m, a.c)
	maps.Copy(m, done)
}

func (a archive) object(known parts) part {
	return func(v any) any {
		m, ok := v.(map[string]any)
		if !ok {
			return a.text("")(v)
		}
		a.members(m, known)
		return m
	}
}

func (a archive) list(item part) part {
	return func(v any) any {
		l, ok := v.([]any)
		if !ok {
			return a.text("")(v)
		}
		for i := range l {
			l[i] = item(l[i])
		}
		return l
	}
}

// text is a text of a type.
func (a archive) text(contentType string) part {
	return func(v any) any {
		if s, ok := v.(string); ok {
			return a.r.Body(contentType, s, a.c)
		}
		return a.r.Value(v, a.c)
	}
}

func (a archive) entry(v any) any {
	return a.object(parts{"request": a.message("Cookie"), "response": a.message("Set-Cookie"), "_webSocketMessages": a.list(a.frame)})(v)
}

// frame is a message of a web socket. One that is no text is in base64.
func (a archive) frame(v any) any {
	m, _ := v.(map[string]any)
	data := a.text("")
	if code := m["opcode"]; code == json.Number("2") || code == 2.0 {
		data = a.encoded("")
	}
	return a.object(parts{"data": data})(v)
}

// message is a request or a response, whose cookies are in a header of that name.
func (a archive) message(cookie string) part {
	address := func(v any) any {
		if s, ok := v.(string); ok {
			return a.r.URL(s, a.c)
		}
		return a.r.Value(v, a.c)
	}
	headers := named{archive: a, one: func(name, value string) string { return a.r.header(name, a.r.ofHeader(name), value, a.c) }, all: a.text("")}
	cookies := named{archive: a, one: func(_, value string) string { return a.r.str(value, meaning{sure, kindCookie}, a.c) }, rest: a.attribute}
	cookies.all = cookies.under(func(s string) string { return a.r.Header(cookie, s, a.c) })
	return a.object(parts{"url": address, "redirectURL": address, "headers": headers.redact, "cookies": cookies.redact,
		"queryString": a.parameters(), "postData": a.body, "content": a.body})
}

// attribute is a member of a cookie beside its name and value.
func (a archive) attribute(name string, v any) any {
	switch s, ok := v.(string); name {
	case "path", "domain", "expires", "expirationDate", "sameSite", "sameParty", "priority", "partitionKey", "sourceScheme", "hostOnly", "storeId", "comment", "created", "lastAccessed":
	default:
		if ok {
			return a.r.Header("Set-Cookie", s, a.c)
		}
	}
	return a.r.Value(v, a.c)
}

func (a archive) parameters() part {
	return named{archive: a, one: func(name, value string) string { return a.r.parameter(name, value, a.c) }, all: a.text("application/x-www-form-urlencoded")}.redact
}

// body is what was posted, or the content of an answer.
func (a archive) body(v any) any {
	m, _ := v.(map[string]any)
	contentType, _ := m["mimeType"].(string)
	text := a.text(contentType)
	switch coding := m["encoding"].(type) {
	case nil:
	case string:
		if isBase64(coding) {
			text = a.encoded(contentType)
		}
	default: // whatever it means
		text = func(v any) any { return a.text(contentType)(a.encoded(contentType)(v)) }
	}
	return a.object(parts{"text": text, "params": a.parameters()})(v)
}

// parameter redacts the value of a parameter that is listed decoded.
func (r *Redactor) parameter(name, value string, c Counts) string {
	m := r.name(name)
	if m.class == parameter && len(value) >= 8 && (likely(value) || mixed(value)) {
		m.class = sure
	}
	return r.str(value, m, c)
}

// named are names with values: listed in pairs, as the members of an object, or in one text.
type named struct {
	archive
	one  func(name, value string) string
	rest func(member string, v any) any // of a pair; like any JSON when nil
	all  part                           // names and values in one text
}

func (n named) redact(v any) any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			if pair, ok := item.(map[string]any); ok {
				n.pair(pair)
			} else {
				v[i] = n.all(item)
			}
		}
		return v
	case map[string]any:
		for name, value := range v {
			v[name] = n.value(name, value)
		}
		return v
	}
	return n.all(v)
}

func (n named) pair(pair map[string]any) {
	name, _ := pair["name"].(string)
	value, ok := pair["value"]
	delete(pair, "value")
	if n.rest == nil {
		n.r.Value(pair, n.c)
	} else {
		for member, v := range pair {
			if member != "name" {
				pair[member] = n.rest(member, v)
			}
		}
	}
	if ok {
		pair["value"] = n.value(name, value)
	}
}

// value redacts what stands under a name: a text, or whatever texts are in it.
func (n named) value(name string, v any) any {
	return n.under(func(s string) string { return n.one(name, s) })(v)
}

// under redacts the texts and numbers of a value by a function, and others like any JSON.
func (a archive) under(one func(string) string) part {
	var each part
	each = func(v any) any {
		switch v := v.(type) {
		case string:
			return one(v)
		case json.Number:
			return changed(v, v.String(), one)
		case float64:
			return changed(v, strconv.FormatFloat(v, 'f', -1, 64), one)
		case []any:
			for i := range v {
				v[i] = each(v[i])
			}
			return v
		case map[string]any:
			a.r.Value(v, a.c)
			for member := range v {
				v[member] = each(v[member])
			}
		}
		return v
	}
	return each
}

func changed(number any, text string, one func(string) string) any {
	if out := one(text); out != text {
		return out
	}
	return number
}
