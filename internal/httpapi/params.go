package httpapi

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/schema"
)

// tokenInQuery refuses a credential in the URL, where logs and histories would keep it.
func tokenInQuery(r *http.Request) error {
	if !strings.Contains(r.URL.RawQuery, "token") && !strings.Contains(r.URL.RawQuery, "svc_") && !strings.Contains(r.URL.RawQuery, "%") {
		return nil
	}
	values := r.URL.Query()
	for _, name := range sortedNames(values) {
		at := clip(name)
		if isKey(name) {
			at = "query" // the key is not repeated
		} else if name != "access_token" && !slices.ContainsFunc(values[name], isKey) {
			continue
		}
		return api.Refuse(api.CodeInvalidParameter, "API keys are taken from the Authorization header alone. One that was sent in a URL should be revoked.",
			api.Fault{Parameter: at, Code: "token_in_query", Detail: "send Authorization: Bearer …"})
	}
	return nil
}

func isKey(s string) bool {
	return strings.HasPrefix(s, "svc_pat_") || strings.HasPrefix(s, "svc_wst_")
}

// prefixes says which ids stand in a path.
var prefixes = map[string]string{"sliceId": id.Slice, "workspaceId": id.Workspace, "keyId": id.Key,
	"webhookId": id.Webhook, "deliveryId": id.Delivery, "attachmentId": id.Attachment, "commentId": id.Comment}

// pathParams fills the ids of the path. A malformed one is like one that does not exist.
func pathParams(r *http.Request, p *plan, in reflect.Value) error {
	for _, f := range p.params {
		if f.in != "path" {
			continue
		}
		v := r.PathValue(f.name)
		if !id.Valid(prefixes[f.name], v) {
			return api.NotFound(strings.TrimSuffix(f.name, "Id"))
		}
		in.FieldByIndex(f.index).SetString(v)
	}
	return nil
}

// headerParams fills what comes in headers. A change that depends on a version is refused where
// there are none: it must never be made unconditionally.
func headerParams(r *http.Request, p *plan, in reflect.Value) (faults []api.Fault) {
	conditional := slices.ContainsFunc(p.params, func(f param) bool { return f.name == "If-Match" })
	if reads := r.Method == http.MethodGet || r.Method == http.MethodHead; !reads && !conditional && r.Header.Get("If-Match") != "" {
		faults = append(faults, api.Fault{Parameter: "If-Match", Code: "unknown", Detail: "this record has no ETag that a change could be based on; leave it out"})
	}
	for _, f := range p.params {
		if f.in != "header" {
			continue
		}
		values := r.Header.Values(f.name)
		if len(values) == 0 {
			continue
		}
		v := strings.Join(values, ", ")
		longest, _ := strconv.Atoi(f.field.Tag.Get("maxLength"))
		switch {
		case v == "":
			faults = append(faults, api.Fault{Parameter: f.name, Code: "empty", Detail: "must not be empty"})
		case !printable(v):
			faults = append(faults, api.Fault{Parameter: f.name, Code: "wrong_form", Detail: "must be printable ASCII"})
		case longest > 0 && len(values) > 1:
			faults = append(faults, api.Fault{Parameter: f.name, Code: "repeated", Detail: "must be sent once"})
		case longest > 0 && len(v) > longest:
			faults = append(faults, api.Fault{Parameter: f.name, Code: "too_long", Detail: "at most " + strconv.Itoa(longest) + " characters"})
		}
		in.FieldByIndex(f.index).SetString(v)
	}
	return faults
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e })
}

// queryParams fills what comes in the query. An unknown, repeated or empty parameter is a
// fault: a mistyped filter must never widen a list.
func queryParams(r *http.Request, p *plan, in reflect.Value) (faults []api.Fault) {
	fault := func(name, code, detail string) {
		faults = append(faults, api.Fault{Parameter: clip(name), Code: code, Detail: detail})
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		fault("query", "malformed", "the query string is not well-formed")
	}
	setDefaults(p, in)
	for _, name := range sortedNames(values) {
		f := p.query(name)
		switch all := values[name]; {
		case f == nil:
			fault(name, "unknown", "there is no such parameter"+p.instead(name))
		case len(all) > 1:
			fault(name, "repeated", "must be given once; separate several values with commas where they are allowed")
		case all[0] == "":
			fault(name, "empty", "must not be empty; leave it out instead")
		case !utf8.ValidString(all[0]) || strings.ContainsRune(all[0], 0):
			fault(name, "wrong_form", "must be UTF-8 text without U+0000")
		default:
			if code, detail := setParam(f.field, in.FieldByIndex(f.index), all[0]); code != "" {
				fault(name, code, detail)
			}
		}
	}
	return faults
}

// clip bounds what of a request is repeated in its answer.
func clip(s string) string {
	if s = strings.ToValidUTF8(s, "?"); len(s) > 60 {
		s = strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}

func sortedNames(values url.Values) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func setDefaults(p *plan, in reflect.Value) {
	for _, f := range p.params {
		if value, ok := f.field.Tag.Lookup("default"); ok && f.in == "query" {
			setParam(f.field, in.FieldByIndex(f.index), value)
		}
	}
}

// maxValues bounds how many values a filter may list.
const maxValues = 100

// setParam reads one parameter as its field's type; a code says what is wrong with it.
func setParam(f reflect.StructField, to reflect.Value, text string) (code, detail string) {
	switch target := to.Addr().Interface().(type) {
	case **api.Time:
		var t api.Time
		if t.UnmarshalText([]byte(text)) != nil {
			return "wrong_form", "must be an RFC 3339 date and time, such as 2026-11-20T10:00:00Z (write + as %2B in a URL)"
		}
		*target = &t
		return "", ""
	case *int:
		return setInt(f, target, text)
	case *bool:
		if *target = text == "true"; text != "true" && text != "false" {
			return "not_allowed", "must be true or false"
		}
		return "", ""
	}
	if to.Kind() != reflect.Slice {
		if code, detail = checkWord(f, text); code == "" {
			to.SetString(text)
		}
		return code, detail
	}
	words := strings.Split(text, ",")
	if len(words) > maxValues {
		return "too_many", "at most " + strconv.Itoa(maxValues) + " values"
	}
	list := reflect.MakeSlice(to.Type(), len(words), len(words))
	for i, w := range words {
		if code, detail = checkWord(f, w); code != "" {
			return code, detail
		}
		list.Index(i).SetString(w)
	}
	to.Set(list)
	return "", ""
}

func setInt(f reflect.StructField, to *int, text string) (code, detail string) {
	low, high := f.Tag.Get("minimum"), f.Tag.Get("maximum")
	n, err := strconv.Atoi(text)
	lowest, _ := strconv.Atoi(low)
	highest, _ := strconv.Atoi(high)
	if err != nil || n < lowest || n > highest || strconv.Itoa(n) != text {
		return "out_of_range", "must be a whole number from " + low + " to " + high
	}
	*to = n
	return "", ""
}

func checkWord(f reflect.StructField, w string) (code, detail string) {
	if w == "" {
		return "empty", "a value between commas is empty"
	}
	if allowed := schema.Enum(f); allowed != nil && !slices.Contains(allowed, w) {
		return "not_allowed", "must be one of " + strings.Join(allowed, ", ")
	}
	if longest, _ := strconv.Atoi(f.Tag.Get("maxLength")); longest > 0 && utf8.RuneCountInString(w) > longest {
		return "too_long", "at most " + strconv.Itoa(longest) + " characters"
	}
	return "", ""
}
