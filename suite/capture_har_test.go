package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// har is HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/.
type har struct {
	Log harLog `json:"log"`
}

type harLog struct {
	Version string     `json:"version"`
	Creator harTool    `json:"creator"`
	Pages   []harPage  `json:"pages"`
	Entries []harEntry `json:"entries"`
}

type harTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type harPage struct {
	StartedDateTime string             `json:"startedDateTime"`
	ID              string             `json:"id"`
	Title           string             `json:"title"`
	PageTimings     map[string]float64 `json:"pageTimings"`
}

type harEntry struct {
	Pageref         string      `json:"pageref,omitempty"`
	StartedDateTime string      `json:"startedDateTime"`
	Time            float64     `json:"time"`
	Request         harRequest  `json:"request"`
	Response        harResponse `json:"response"`
	Cache           struct{}    `json:"cache"`
	Timings         harTimings  `json:"timings"`
	ServerIPAddress string      `json:"serverIPAddress,omitempty"`
	Connection      string      `json:"connection,omitempty"`
	ResourceType    string      `json:"_resourceType,omitempty"`
}

type harRequest struct {
	Method      string       `json:"method"`
	URL         string       `json:"url"`
	HTTPVersion string       `json:"httpVersion"`
	Cookies     []harCookie  `json:"cookies"`
	Headers     []harPair    `json:"headers"`
	QueryString []harPair    `json:"queryString"`
	PostData    *harPostData `json:"postData,omitempty"`
	HeadersSize int64        `json:"headersSize"`
	BodySize    int64        `json:"bodySize"`
}

type harResponse struct {
	Status      int64       `json:"status"`
	StatusText  string      `json:"statusText"`
	HTTPVersion string      `json:"httpVersion"`
	Cookies     []harCookie `json:"cookies"`
	Headers     []harPair   `json:"headers"`
	Content     harContent  `json:"content"`
	RedirectURL string      `json:"redirectURL"`
	HeadersSize int64       `json:"headersSize"`
	BodySize    int64       `json:"bodySize"`
	Error       string      `json:"_error,omitempty"` // why there was no answer; status is 0 then
}

type harPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harCookie struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	Path     string `json:"path,omitempty"`
	Domain   string `json:"domain,omitempty"`
	Expires  string `json:"expires,omitempty"`
	HTTPOnly bool   `json:"httpOnly,omitempty"`
	Secure   bool   `json:"secure,omitempty"`
}

type harPostData struct {
	MimeType string    `json:"mimeType"`
	Params   []harPair `json:"params,omitempty"` // of a form, which has no text beside them
	Text     string    `json:"text,omitempty"`
}

type harContent struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
}

// harTimings are milliseconds; -1 is a phase that there was not.
type harTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

// sum is the time of an entry. What ssl took is part of connect.
func (h harTimings) sum() float64 {
	return round(max(h.Blocked, 0) + max(h.DNS, 0) + max(h.Connect, 0) + h.Send + h.Wait + h.Receive)
}

// validHAR says what HAR 1.2 demands and raw lacks.
func validHAR(raw []byte) error {
	var file map[string]any
	if err := json.Unmarshal(raw, &file); err != nil {
		return err
	}
	v := &harCheck{}
	log := v.object(file, "", "log")
	if v.text(log, "log", "version") != "1.2" {
		v.fault("log.version is not 1.2")
	}
	creator := v.object(log, "log", "creator")
	v.text(creator, "log.creator", "name")
	v.text(creator, "log.creator", "version")
	pages := map[string]bool{}
	for at, page := range v.list(log, "log", "pages") {
		pages[v.text(page, at, "id")] = true
		v.text(page, at, "title")
		v.time(page, at)
		v.object(page, at, "pageTimings")
	}
	entries := v.list(log, "log", "entries")
	if len(entries) == 0 {
		v.fault("log.entries is empty")
	}
	for at, entry := range entries {
		if ref, ok := entry["pageref"].(string); ok && !pages[ref] {
			v.fault("%s.pageref names no page", at)
		}
		v.entry(entry, at)
	}
	return errors.Join(v.faults...)
}

type harCheck struct{ faults []error }

func (v *harCheck) entry(entry map[string]any, at string) {
	v.time(entry, at)
	total := v.number(entry, at, "time", 0)
	v.object(entry, at, "cache")
	timings := v.object(entry, at, "timings")
	sum := 0.0
	for _, phase := range []string{"send", "wait", "receive"} {
		sum += v.number(timings, at+".timings", phase, 0)
	}
	for _, phase := range []string{"blocked", "dns", "connect"} {
		if _, ok := timings[phase]; ok {
			sum += max(v.number(timings, at+".timings", phase, -1), 0)
		}
	}
	if sum-total > 0.01 || total-sum > 0.01 {
		v.fault("%s.time is %v, and its timings add up to %v", at, total, sum)
	}
	v.request(v.object(entry, at, "request"), at+".request")
	v.response(v.object(entry, at, "response"), at+".response")
}

func (v *harCheck) request(r map[string]any, at string) {
	v.text(r, at, "method")
	v.message(r, at)
	if u, err := url.Parse(v.text(r, at, "url")); err != nil || !u.IsAbs() || u.Fragment != "" {
		v.fault("%s.url is not absolute, or has a fragment", at)
	}
	v.pairs(r, at, "queryString")
	if _, ok := r["postData"]; ok {
		post := v.object(r, at, "postData")
		v.text(post, at+".postData", "mimeType")
		_, text := post["text"].(string)
		if _, params := post["params"].([]any); text == params {
			v.fault("%s.postData has not one of text and params", at)
		}
	}
}

func (v *harCheck) response(r map[string]any, at string) {
	status := v.number(r, at, "status", 0)
	if reason, ok := r["_error"].(string); ok != (status == 0) || ok && reason == "" {
		v.fault("%s has status %v and _error %q", at, status, reason)
	}
	v.text(r, at, "statusText")
	v.text(r, at, "redirectURL")
	v.message(r, at)
	content := v.object(r, at, "content")
	v.number(content, at+".content", "size", 0)
	v.text(content, at+".content", "mimeType")
}

// message checks what requests and responses share.
func (v *harCheck) message(m map[string]any, at string) {
	v.text(m, at, "httpVersion")
	v.pairs(m, at, "cookies")
	v.pairs(m, at, "headers")
	v.number(m, at, "headersSize", -1)
	v.number(m, at, "bodySize", -1)
}

func (v *harCheck) pairs(m map[string]any, at, name string) {
	for at, pair := range v.list(m, at, name) {
		v.text(pair, at, "name")
		v.text(pair, at, "value")
	}
}

func (v *harCheck) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf(format, args...))
}

func (v *harCheck) text(m map[string]any, at, name string) string {
	s, ok := m[name].(string)
	if !ok {
		v.fault("%s.%s is no string", at, name)
	}
	return s
}

func (v *harCheck) number(m map[string]any, at, name string, least float64) float64 {
	n, ok := m[name].(float64)
	if !ok || n < least {
		v.fault("%s.%s is %v, not a number from %v up", at, name, m[name], least)
	}
	return n
}

func (v *harCheck) time(m map[string]any, at string) {
	if _, err := time.Parse(time.RFC3339Nano, v.text(m, at, "startedDateTime")); err != nil {
		v.fault("%s.startedDateTime: %w", at, err)
	}
}

func (v *harCheck) object(m map[string]any, at, name string) map[string]any {
	o, ok := m[name].(map[string]any)
	if !ok {
		v.fault("%s.%s is no object", at, name)
	}
	return o
}

// list returns the objects of a list by their paths.
func (v *harCheck) list(m map[string]any, at, name string) map[string]map[string]any {
	found, ok := m[name].([]any)
	if !ok {
		v.fault("%s.%s is no list", at, name)
	}
	list := map[string]map[string]any{}
	for i, e := range found {
		o, ok := e.(map[string]any)
		if !ok {
			v.fault("%s.%s[%d] is no object", at, name, i)
		}
		list[fmt.Sprintf("%s.%s[%d]", at, name, i)] = o
	}
	return list
}
