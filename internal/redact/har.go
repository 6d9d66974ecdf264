package redact

import (
	"encoding/json"
	"maps"
	"strconv"

	"bugslice/internal/redact/decide"
)

// HAR redacts a decoded HTTP archive in place: headers, cookies, parameters and bodies by their kind, also in base64,
// the messages of web sockets, and everything else like Value. A value of an unexpected type is redacted by its name
// and content.
func (r *Redactor) HAR(har map[string]any, c Counts) {
	r.againIn(r.Report(), c, func(r *Redactor) any {
		a := newArchive(r, c)
		a.members(har, memberFuncs{"log": a.object(memberFuncs{"entries": a.list(a.entry)})})
		return har
	})
}

// Entry redacts an entry of an HTTP archive in place.
func (r *Redactor) Entry(entry map[string]any, c Counts) {
	r.againIn(r.Report(), c, func(r *Redactor) any { return newArchive(r, c).entry(entry) })
}

// archive redacts an HTTP archive.
type archive struct {
	r *Redactor
	c Counts
}

func newArchive(r *Redactor, c Counts) archive {
	if r.unpacked == nil {
		r = r.Unpacking()
	}
	return archive{r, c}
}

// redactFunc returns the redacted value of a known member, of any type.
type redactFunc func(v any) any

// memberFuncs are the functions of the known members of an object.
type memberFuncs map[string]redactFunc

// members redacts the members of an object: the known ones by their functions, and the others like any JSON.
func (a archive) members(m map[string]any, known memberFuncs) {
	done := map[string]any{}
	for name, redacted := range known {
		if v, ok := m[name]; ok {
			done[name] = redacted(v)
			delete(m, name)
		}
	}
	a.r.redactAny(m, a.c)
	maps.Copy(m, done)
}

// object returns the function of an object with known members.
func (a archive) object(known memberFuncs) redactFunc {
	return func(v any) any {
		m, ok := v.(map[string]any)
		if !ok {
			return a.text("")(v)
		}
		a.members(m, known)
		return m
	}
}

// list returns the function of a list with an item of a known kind.
func (a archive) list(item redactFunc) redactFunc {
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

// text returns the function of a text of a content type.
func (a archive) text(contentType string) redactFunc {
	return func(v any) any {
		if s, ok := v.(string); ok {
			return a.r.redactWhole(contentType, s, a.c)
		}
		return a.r.redactAny(v, a.c)
	}
}

func (a archive) entry(v any) any {
	return a.object(memberFuncs{"request": a.message("Cookie"), "response": a.message("Set-Cookie"),
		"_webSocketMessages": a.frames})(v)
}

// frames redacts the messages of a web socket, which are a stream.
func (a archive) frames(v any) any {
	stream := archive{a.r.Stream(), a.c}
	return stream.list(stream.frame)(v)
}

// frame redacts a message of a web socket. A binary message is in base64, and so may be every one that is not known
// to be text.
func (a archive) frame(v any) any {
	m, _ := v.(map[string]any)
	data := a.text("")
	switch code := m["opcode"]; code {
	case nil, json.Number("1"), 1.0:
	default:
		data = a.encoded("", base64Coding)
	}
	return a.object(memberFuncs{"data": data})(v)
}

// message returns the function of a request or a response, whose cookies are in a header of that name.
func (a archive) message(cookie string) redactFunc {
	address := func(v any) any {
		if s, ok := v.(string); ok {
			return a.r.redactURL(s, a.c)
		}
		return a.r.redactAny(v, a.c)
	}
	headers := nameValues{archive: a, all: a.text(""), one: func(name, value string) string {
		return a.r.redactHeader(name, a.r.headerMeaning(name), value, a.c)
	}}
	cookies := nameValues{archive: a, redactMember: a.attribute, one: func(_, value string) string {
		return a.r.redactDecoded(value, under{decide.Cookie, decide.Stated}, a.c)
	}}
	cookies.all = cookies.eachText(func(s string) string {
		return a.r.redactHeader(cookie, a.r.set.Meaning(cookie), s,
			a.c)
	})
	return a.object(memberFuncs{"url": address, "redirectURL": address, "headers": headers.redact,
		"cookies":     cookies.redact,
		"queryString": a.parameters(), "postData": a.body, "content": a.body})
}

// attribute redacts a member of a cookie other than its name and value.
func (a archive) attribute(name string, v any) any {
	switch s, ok := v.(string); name {
	case "path", "domain", "expires", "expirationDate", "sameSite", "sameParty", "priority", "partitionKey",
		"sourceScheme", "hostOnly",
		"storeId", "comment", "created", "lastAccessed":
	default:
		if ok {
			return a.r.redactHeader("Set-Cookie", a.r.set.Meaning("Set-Cookie"), s, a.c)
		}
	}
	return a.r.redactAny(v, a.c)
}

func (a archive) parameters() redactFunc {
	one := func(name, value string) string { return a.r.redactParameter(name, value, a.c) }
	return nameValues{archive: a, one: one, all: a.text("application/x-www-form-urlencoded")}.redact
}

// body redacts a request body or a response body.
func (a archive) body(v any) any {
	m, _ := v.(map[string]any)
	contentType, _ := m["mimeType"].(string)
	text := a.text(contentType)
	if codings := codingsOf(declaredEncoding(m)); len(codings) > 0 {
		text = func(v any) any {
			for _, d := range codings {
				v = a.encoded(contentType, d)(v)
			}
			return v
		}
	}
	return a.object(memberFuncs{"text": text, "params": a.parameters()})(v)
}

// declaredEncoding returns the encoding of a body. Some tools declare it under another name.
func declaredEncoding(body map[string]any) any {
	for _, name := range []string{"base64", "base64Encoded", "isBase64Encoded"} {
		if body[name] == true {
			return "base64"
		}
	}
	if declared := body["encoding"]; declared != nil {
		return declared
	}
	return body["_encoding"]
}

// redactParameter redacts the decoded value of a parameter.
func (r *Redactor) redactParameter(name, value string, c Counts) string {
	return r.redactDecoded(value, under{r.set.Meaning(name), decide.Parameter}, c)
}

// nameValues redacts names with values: in a list of pairs, as the members of an object, or in one text.
type nameValues struct {
	archive
	one func(name, value string) string
	// redactMember redacts each member of a pair beside its name and its value. If it is nil, the name and these
	// members are redacted like any JSON.
	redactMember func(member string, v any) any
	all          redactFunc // names and values in one text
}

func (n nameValues) redact(v any) any {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			switch item := item.(type) {
			case map[string]any:
				n.redactPair(item)
			case []any:
				v[i] = n.redactTuple(item)
			default:
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

// redactTuple redacts a list of a name and its value.
func (n nameValues) redactTuple(item []any) any {
	if len(item) != 2 {
		return n.all(item)
	}
	name, ok := item[0].(string)
	if !ok {
		return n.all(item)
	}
	return []any{n.r.redactAny(item[0], n.c), n.value(name, item[1])}
}

// redactPair redacts a pair: the value by its name, the other members by redactMember.
func (n nameValues) redactPair(pair map[string]any) {
	name, _ := pair["name"].(string)
	value, ok := pair["value"]
	delete(pair, "value") // the name decides about the value alone: it is put back below
	if n.redactMember == nil {
		n.r.redactAny(pair, n.c)
	} else {
		for member, v := range pair {
			if member != "name" {
				pair[member] = n.redactMember(member, v)
			}
		}
	}
	if ok {
		pair["value"] = n.value(name, value)
	}
}

// value redacts the texts in the value of a name.
func (n nameValues) value(name string, v any) any {
	return n.eachText(func(s string) string { return n.one(name, s) })(v)
}

// eachText returns a function that redacts each text and number in a value by one, and everything else like any JSON.
func (a archive) eachText(one func(string) string) redactFunc {
	var each redactFunc
	each = func(v any) any {
		switch v := v.(type) {
		case string:
			return one(v)
		case json.Number:
			return redactNumberText(v, v.String(), one)
		case float64:
			return redactNumberText(v, strconv.FormatFloat(v, 'f', -1, 64), one)
		case []any:
			for i := range v {
				v[i] = each(v[i])
			}
			return v
		case map[string]any:
			a.r.redactAny(v, a.c)
			for member := range v {
				v[member] = each(v[member])
			}
		}
		return v
	}
	return each
}

// redactNumberText returns the number, or its redacted text.
func redactNumberText(number any, text string, one func(string) string) any {
	if out := one(text); out != text {
		return out
	}
	return number
}
