package suite

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// traffic gathers network events and makes a HAR of them.
type traffic struct {
	hops  []*hop // in the order in which they began
	byID  map[network.RequestID]*exchange
	pages []harPage
}

// exchange is what one request became: several hops when it was redirected. The extra
// information comes apart, hop by hop, before or after the rest.
type exchange struct {
	hops     []*hop
	requests []*network.EventRequestWillBeSentExtraInfo
	answers  []*network.EventResponseReceivedExtraInfo
}

type hop struct {
	id       network.RequestID
	page     string
	sent     *network.EventRequestWillBeSent
	response *network.Response
	extra    bool    // there is extra information
	end      float64 // seconds, as sent.Timestamp
	over     bool
	reason   string // of a failure
	size     int64  // of headers and body on the wire, or -1
	fetched  bool
	body     []byte
	binary   bool
}

func newTraffic() traffic { return traffic{byID: map[network.RequestID]*exchange{}} }

func (t *traffic) exchange(id network.RequestID) *exchange {
	if t.byID[id] == nil {
		t.byID[id] = &exchange{}
	}
	return t.byID[id]
}

// current is the newest hop of a request that was seen to begin.
func (t *traffic) current(id network.RequestID) *hop {
	if x := t.exchange(id); len(x.hops) > 0 {
		return x.hops[len(x.hops)-1]
	}
	return &hop{}
}

// hear reports whether the event was one of traffic.
func (t *traffic) hear(event any) bool {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		t.begin(e)
	case *network.EventRequestWillBeSentExtraInfo:
		x := t.exchange(e.RequestID)
		x.requests = append(x.requests, e)
	case *network.EventResponseReceived:
		h := t.current(e.RequestID)
		h.response, h.extra = e.Response, e.HasExtraInfo
	case *network.EventResponseReceivedExtraInfo:
		x := t.exchange(e.RequestID)
		x.answers = append(x.answers, e)
	case *network.EventLoadingFinished:
		h := t.current(e.RequestID)
		h.over, h.end, h.size = true, e.Timestamp.Float64(), int64(e.EncodedDataLength)
	case *network.EventLoadingFailed:
		h := t.current(e.RequestID)
		h.over, h.fetched, h.end, h.reason = true, true, e.Timestamp.Float64(), e.ErrorText
	default:
		return false
	}
	return true
}

func (t *traffic) begin(e *network.EventRequestWillBeSent) {
	if !strings.HasPrefix(e.Request.URL, "http") {
		return // data: addresses are no traffic
	}
	x := t.exchange(e.RequestID)
	if e.RedirectResponse != nil && len(x.hops) > 0 {
		before := x.hops[len(x.hops)-1]
		before.response, before.extra = e.RedirectResponse, e.RedirectHasExtraInfo
		before.over, before.fetched, before.end, before.size = true, true,
			e.Timestamp.Float64(), int64(e.RedirectResponse.EncodedDataLength)
	}
	if e.Type == network.ResourceTypeDocument && e.RedirectResponse == nil {
		id := fmt.Sprintf("page_%d", len(t.pages)+1)
		t.pages = append(t.pages, harPage{ID: id, Title: e.Request.URL,
			StartedDateTime: stamp(e.WallTime.Float64() * 1000), PageTimings: map[string]float64{}})
	}
	h := &hop{id: e.RequestID, sent: e, size: -1}
	if len(t.pages) > 0 {
		h.page = t.pages[len(t.pages)-1].ID
	}
	t.hops, x.hops = append(t.hops, h), append(x.hops, h)
}

// loaded takes what a page tells of itself once it has loaded.
func (t *traffic) loaded(raw json.RawMessage) error {
	var told struct {
		Title                 string
		OnContentLoad, OnLoad float64
	}
	if err := json.Unmarshal(raw, &told); err != nil || len(t.pages) == 0 {
		return err
	}
	page := &t.pages[len(t.pages)-1]
	page.Title, page.PageTimings = told.Title,
		map[string]float64{"onContentLoad": round(told.OnContentLoad), "onLoad": round(told.OnLoad)}
	return nil
}

// open names the requests that are under way.
func (t *traffic) open() []string {
	var list []string
	for _, h := range t.hops {
		if !h.over || !h.fetched {
			list = append(list, h.sent.Request.Method+" "+h.sent.Request.URL)
		}
	}
	return list
}

// fetch gets the bodies that have arrived since. The lock is the one of hear.
func (t *traffic) fetch(ctx context.Context, lock sync.Locker) {
	lock.Lock()
	hops := slices.Clone(t.hops)
	lock.Unlock()
	for _, h := range hops {
		lock.Lock()
		wanted := h.over && !h.fetched
		lock.Unlock()
		if !wanted {
			continue
		}
		res, err := chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: h.id})
		lock.Lock()
		h.fetched = true
		if err == nil {
			h.body, h.binary = res.Body, !utf8.Valid(res.Body)
		}
		lock.Unlock()
	}
}

// har needs every hop to be over.
func (t *traffic) har() har {
	log := harLog{Version: "1.2", Creator: harTool{"Bug reporter", "1.0"}, Pages: slices.Clone(t.pages),
		Entries: []harEntry{}}
	informed := map[network.RequestID]int{}
	for _, h := range t.hops {
		var request *network.EventRequestWillBeSentExtraInfo
		var answer *network.EventResponseReceivedExtraInfo
		if x := t.byID[h.id]; h.extra || h.reason != "" {
			i := informed[h.id]
			if i < len(x.requests) {
				request = x.requests[i]
			}
			if i < len(x.answers) {
				answer = x.answers[i]
			}
			informed[h.id]++
		}
		log.Entries = append(log.Entries, h.entry(request, answer))
	}
	return har{log}
}

func (h *hop) entry(request *network.EventRequestWillBeSentExtraInfo,
	answer *network.EventResponseReceivedExtraInfo) harEntry {
	e := harEntry{Pageref: h.page, StartedDateTime: stamp(h.sent.WallTime.Float64() * 1000),
		ResourceType: strings.ToLower(string(h.sent.Type))}
	e.Request, e.Response = h.request(request), h.answer(answer)
	e.Timings = h.timings()
	e.Time = e.Timings.sum()
	if h.response != nil {
		e.ServerIPAddress = h.response.RemoteIPAddress
		e.Connection = fmt.Sprint(int64(h.response.ConnectionID))
	}
	return e
}

func (h *hop) request(extra *network.EventRequestWillBeSentExtraInfo) harRequest {
	sent := h.sent.Request
	r := harRequest{Method: sent.Method, URL: sent.URL, HTTPVersion: h.version(),
		Cookies: []harCookie{}, Headers: pairs(sent.Headers), QueryString: []harPair{}, HeadersSize: -1}
	if extra != nil {
		r.Headers = pairs(extra.Headers)
		for _, c := range extra.AssociatedCookies {
			if len(c.BlockedReasons) == 0 {
				r.Cookies = append(r.Cookies, harCookie{Name: c.Cookie.Name,
					Value: c.Cookie.Value, Path: c.Cookie.Path, Domain: c.Cookie.Domain,
					HTTPOnly: c.Cookie.HTTPOnly, Secure: c.Cookie.Secure})
			}
		}
	}
	if u, err := url.Parse(sent.URL); err == nil {
		r.QueryString = form(u.RawQuery)
	}
	if sent.HasPostData {
		var body strings.Builder
		for _, part := range sent.PostDataEntries {
			body.Write(part.Bytes)
		}
		r.BodySize = int64(body.Len())
		r.PostData = &harPostData{MimeType: header(sent.Headers, "Content-Type"), Text: body.String()}
		if strings.HasPrefix(r.PostData.MimeType, "application/x-www-form-urlencoded") {
			r.PostData.Params, r.PostData.Text = form(body.String()), ""
		}
	}
	return r
}

func (h *hop) answer(extra *network.EventResponseReceivedExtraInfo) harResponse {
	r := harResponse{HTTPVersion: h.version(), Cookies: []harCookie{}, Headers: []harPair{}, HeadersSize: -1,
		BodySize: -1, Error: h.reason}
	r.Content.MimeType = "x-unknown"
	if h.response == nil || h.reason != "" {
		return r
	}
	headers := h.response.Headers
	if extra != nil {
		headers, r.HeadersSize = extra.Headers, int64(len(extra.HeadersText))
		if r.HeadersSize == 0 {
			r.HeadersSize = -1
		}
	}
	if r.HeadersSize > 0 && h.size >= r.HeadersSize {
		r.BodySize = h.size - r.HeadersSize
	} else if header(headers, "Content-Encoding") == "" {
		r.BodySize = int64(len(h.body))
	}
	r.Status, r.StatusText, r.Headers = h.response.Status, h.response.StatusText, pairs(headers)
	r.RedirectURL = header(headers, "Location")
	r.Content = harContent{Size: int64(len(h.body)),
		MimeType: cmp.Or(header(headers, "Content-Type"), h.response.MimeType, "x-unknown"),
		Text:     string(h.body)}
	if h.binary {
		r.Content.Text, r.Content.Encoding = base64.StdEncoding.EncodeToString(h.body), "base64"
	}
	set := http.Response{Header: http.Header{}}
	for _, p := range r.Headers {
		set.Header.Add(p.Name, p.Value)
	}
	for _, c := range set.Cookies() {
		cookie := harCookie{Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly,
			Secure: c.Secure}
		if !c.Expires.IsZero() {
			cookie.Expires = c.Expires.UTC().Format(time.RFC3339)
		}
		r.Cookies = append(r.Cookies, cookie)
	}
	return r
}

func (h *hop) version() string {
	if h.response == nil || h.response.Protocol == "" {
		return "HTTP/1.1"
	}
	return strings.ToUpper(h.response.Protocol)
}

// timings splits the time of a hop into the phases of HAR.
func (h *hop) timings() harTimings {
	begin := h.sent.Timestamp.Float64()
	whole := max(0, millis(h.end-begin))
	if h.response == nil || h.response.Timing == nil {
		return harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: whole}
	}
	at := h.response.Timing
	phase := func(from, to float64) float64 {
		if from < 0 || to < from {
			return -1
		}
		return round(to - from)
	}
	first := at.SendStart
	for _, start := range []float64{at.DNSStart, at.ConnectStart} {
		if start >= 0 {
			first = min(first, start)
		}
	}
	return harTimings{
		Blocked: max(0, round(millis(at.RequestTime-begin)+first)),
		DNS:     phase(at.DNSStart, at.DNSEnd),
		Connect: phase(at.ConnectStart, at.ConnectEnd),
		SSL:     phase(at.SslStart, at.SslEnd),
		Send:    max(0, phase(at.SendStart, at.SendEnd)),
		Wait:    max(0, phase(at.SendEnd, at.ReceiveHeadersEnd)),
		Receive: max(0, round(millis(h.end-at.RequestTime)-at.ReceiveHeadersEnd)),
	}
}

func millis(seconds float64) float64 { return round(seconds * 1000) }

// round keeps microseconds.
func round(ms float64) float64 { return math.Round(ms*1000) / 1000 }

// pairs lists headers by name; one that came several times is several.
func pairs(headers network.Headers) []harPair {
	list := []harPair{}
	for name, value := range headers {
		for _, line := range strings.Split(fmt.Sprint(value), "\n") {
			list = append(list, harPair{name, line})
		}
	}
	slices.SortFunc(list, func(a, b harPair) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Value, b.Value))
	})
	return list
}

func header(headers network.Headers, name string) string {
	for key, value := range headers {
		if strings.EqualFold(key, name) {
			return fmt.Sprint(value)
		}
	}
	return ""
}

// form lists the pairs of a query or a form in their order.
func form(raw string) []harPair {
	list := []harPair{}
	for _, part := range strings.Split(raw, "&") {
		name, value, _ := strings.Cut(part, "=")
		if n, err := url.QueryUnescape(name); err == nil {
			name = n
		}
		if v, err := url.QueryUnescape(value); err == nil {
			value = v
		}
		if part != "" {
			list = append(list, harPair{name, value})
		}
	}
	return list
}
