package trace

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
)

const (
	maxBody   = 256 << 10 // of a body in the evidence
	maxBodies = 2 << 20   // of all of them
	maxSkew   = time.Second
)

// harEntry is an entry of a HAR, in which Playwright writes a request.
type harEntry struct {
	Started  api.Time                   `json:"startedDateTime"`
	Time     float64                    `json:"time"`
	Request  map[string]json.RawMessage `json:"request"`
	Response map[string]json.RawMessage `json:"response"`
	Cache    struct{}                   `json:"cache"`
	Timings  json.RawMessage            `json:"timings,omitempty"`
	ServerIP string                     `json:"serverIPAddress,omitempty"`
	Resource string                     `json:"_resourceType,omitempty"` // document, fetch, image and others
	Error    string                     `json:"_error,omitempty"`
	// When the test saw the response, on the clock of the trace.
	Monotonic float64 `json:"_monotonicTime,omitempty"`
}

// request is an entry whose bodies are in the archive.
type request struct {
	harEntry
	sent, received message
}

// message is a request or a response of an entry.
type message struct {
	members map[string]json.RawMessage
	body    map[string]json.RawMessage // postData or content
	entry   string                     // of the body
}

// network collects the requests of all parts.
type network struct {
	requests []*request
	part     list[*request] // those of the part
	// Not in the evidence.
	older, bodies int
}

// add adds an entry, and reports whether it is one.
func (n *network) add(raw json.RawMessage) bool {
	r := &request{}
	if json.Unmarshal(raw, &r.harEntry) != nil || r.Request["url"] == nil || r.Started.IsZero() {
		return false
	}
	if r.Response == nil {
		r.Response = map[string]json.RawMessage{}
	}
	r.sent, r.received, r.Time = newMessage(r.Request, "postData"), newMessage(r.Response, "content"), max(0, r.Time)
	n.part.add(r)
	return true
}

// newMessage takes the body out of a message.
func newMessage(members map[string]json.RawMessage, body string) message {
	m := message{members: members}
	if json.Unmarshal(members[body], &m.body) == nil && m.body != nil {
		m.entry = resource(text(m.body["_file"]), text(m.body["_sha1"]))
	}
	delete(members, body)
	return m
}

// status returns the status of the response, 0 without one.
func (r *request) status() (status int) {
	if json.Unmarshal(r.Response["status"], &status) != nil || status < 0 {
		return 0
	}
	return status
}

func (r *request) url() string { return text(r.Request["url"]) }

func (r *request) contentType() string {
	kind, _, _ := mime.ParseMediaType(text(r.received.body["mimeType"]))
	return kind
}

// endPart moves the starts of requests, which the browser measures, to the clock of the test when the browser ran on a
// machine whose clock differs: when the test saw no response at about the start and the duration of its request.
func (n *network) endPart(p *part) {
	skew, known := time.Duration(0), false
	for _, r := range n.part.rows {
		if seen, ok := p.at(r.Monotonic); ok {
			duration := time.Duration(min(r.Time, 1e9) * float64(time.Millisecond))
			if d := seen.Sub(r.Started.Time) - duration; !known || d.Abs() < skew.Abs() {
				skew, known = d, true
			}
		}
	}
	for _, r := range n.part.rows {
		if skew.Abs() > maxSkew {
			r.Started = api.At(r.Started.Add(skew))
		}
	}
	n.requests, n.older, n.part = append(n.requests, n.part.rows...), n.older+n.part.older, list[*request]{}
}

// har returns the requests as a HAR in the order of their starts, the newest ones that fit.
func (n *network) har(a *archive, playwright string) (json.RawMessage, error) {
	if len(n.requests) == 0 {
		return nil, nil
	}
	n.readBodies(a)
	entries := make([]harEntry, 0, len(n.requests))
	for _, r := range n.requests {
		entries = append(entries, r.har())
	}
	entries, older := newest(entries, maxNetwork, func(e harEntry) api.Time { return e.Started })
	n.older += older
	creator := map[string]string{"name": "Playwright", "version": playwright}
	log := map[string]any{"version": "1.2", "creator": creator, "entries": entries}
	return json.Marshal(map[string]any{"log": log})
}

// har returns the entry with its bodies.
func (r *request) har() harEntry {
	r.sent.put("postData")
	r.received.put("content")
	if r.Monotonic = 0; r.status() == 0 {
		r.Response["status"] = json.RawMessage("0")
		r.Error = text(r.Response["_failureText"])
	}
	return r.harEntry
}

// put puts the body of a message back, without the members of Playwright.
func (m message) put(name string) {
	for member := range m.body {
		if strings.HasPrefix(member, "_") {
			delete(m.body, member)
		}
	}
	if body, err := json.Marshal(m.body); err == nil && m.body != nil {
		m.members[name] = body
	}
}

// readBodies reads the bodies of requests in the order of what they tell, as far as they fit.
func (n *network) readBodies(a *archive) {
	left := maxBodies
	byWeight := slices.Clone(n.requests)
	slices.SortStableFunc(byWeight, func(a, b *request) int { return a.weight() - b.weight() })
	for _, r := range byWeight {
		for _, m := range []message{r.sent, r.received} {
			if m.entry == "" || r.weight() == unimportant {
				continue
			}
			content, err := a.read(m.entry, min(maxBody, left))
			if err != nil || !m.setBody(content) {
				n.bodies++
				continue
			}
			left -= len(content)
		}
	}
}

const unimportant = 3 // the weight of requests whose bodies are no evidence

// weight orders requests by what their bodies tell: failed ones, calls of an API, documents.
func (r *request) weight() int {
	switch status := r.status(); {
	case status == 0 || status >= 400:
		return 0
	case r.Resource == "fetch" || r.Resource == "xhr" || strings.Contains(r.contentType(), "json") ||
		text(r.Request["method"]) != "GET":
		return 1
	case r.Resource == "document" || r.contentType() == "text/html":
		return 2
	}
	return unimportant
}

// setBody stores a body as text. That of a response which is no text is stored in base64; a HAR has no form for that of
// a request.
func (m message) setBody(content []byte) bool {
	encoded := string(content)
	if !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 {
		if m.members["status"] == nil {
			return false
		}
		encoded, m.body["encoding"] = base64.StdEncoding.EncodeToString(content), json.RawMessage(`"base64"`)
	}
	body, err := json.Marshal(encoded)
	m.body["text"] = body
	return err == nil
}
