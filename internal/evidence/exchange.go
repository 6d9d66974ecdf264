package evidence

import (
	"encoding/json"
	"fmt"
	"strings"

	"bugslice/api"
)

// Exchange is a captured request with its response, as far as the HAR entry has them.
type Exchange struct {
	Summary     api.NetworkEntry
	HTTPVersion string
	Query       []Pair
	Request     Message
	Response    Message
	Form        []Pair // the parameters of a body that was captured as such
	Redirect    string
	Server      string // its address
	Timings     []Timing
}

// Message is the headers and the body of a request or of a response.
type Message struct {
	Headers   []Pair
	MediaType string
	Body      string
	Encoding  string // of the body; empty for text
	Size      int64  // of the body in bytes; -1 when unknown
}

// Header returns the first value of a header by its name, and whether there is one.
func (m Message) Header(name string) (string, bool) {
	for _, h := range m.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value, true
		}
	}
	return "", false
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Timing is the duration of a phase of a request.
type Timing struct {
	Phase string
	Ms    float64
}

// phases are the phases of a request in HAR 1.2, in order.
var phases = []string{"blocked", "dns", "connect", "ssl", "send", "wait", "receive"}

// ParseExchange returns the exchange of a HAR entry. An optional member of a wrong type counts as absent.
func ParseExchange(line []byte) (x Exchange, err error) {
	var entry map[string]any
	if err := decode(line, &entry); err != nil {
		return x, err
	}
	request, response := object(entry["request"]), object(entry["response"])
	if x.Summary, err = summarize(entry); err != nil {
		return x, err
	}
	x.HTTPVersion, x.Redirect = stringMember(request, "httpVersion"), stringMember(response, "redirectURL")
	x.Server, x.Query = stringMember(entry, "serverIPAddress"), pairs(request["queryString"])
	posted, content := object(request["postData"]), object(response["content"])
	x.Request = Message{pairs(request["headers"]), stringMember(posted, "mimeType"), stringMember(posted, "text"),
		stringMember(posted, "encoding"), sizeMember(request, "bodySize")}
	x.Response = Message{pairs(response["headers"]), stringMember(content, "mimeType"), stringMember(content, "text"),
		stringMember(content, "encoding"), sizeMember(content, "size")}
	x.Form = pairs(posted["params"])
	timings := object(entry["timings"])
	for _, phase := range phases {
		if ms, ok := number(timings[phase]); ok && ms >= 0 {
			x.Timings = append(x.Timings, Timing{phase, ms})
		}
	}
	return x, nil
}

// pairs returns the objects with a name in a list.
func pairs(v any) (all []Pair) {
	list, _ := v.([]any)
	for _, item := range list {
		if name := stringMember(object(item), "name"); name != "" {
			all = append(all, Pair{name, scalarMember(object(item), "value")})
		}
	}
	return all
}

// scalarMember returns the text of a member that is a text, a number or a state, or "".
func scalarMember(m map[string]any, name string) string {
	switch v := m[name].(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// sizeMember returns the number of bytes that a member states, or -1.
func sizeMember(m map[string]any, name string) int64 {
	size, ok := number(m[name])
	if !ok || size < 0 || size > 1<<53 {
		return -1
	}
	return int64(size)
}
