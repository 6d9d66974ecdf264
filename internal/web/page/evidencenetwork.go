package page

import (
	"cmp"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/tracker"
)

// NetworkPanel is the panel of the requests.
type NetworkPanel struct {
	Rows
	Failures int64
	Toggle   string          // the address that shows the failed requests alone, or all of them
	Requests [][]NetworkLine // in groups
	Open     *RequestDetail  // nil when none is open
}

// NetworkLine is a request in the list.
type NetworkLine struct {
	Moment
	Number             int64
	Open               string // the address of the open request
	Method, Path, Host string
	URL                string
	Status             int64
	Reason             string // the text of the status, or why there is no response
	Type               string
	Bytes              int64 // of the body of the response; -1 when unknown
	Ms                 float64
	Failed, Current    bool
	BarStart, BarWidth int // of the waterfall, in thousandths of its width
}

// Title returns what the time line says of a failed request.
func (l NetworkLine) Title() string {
	if l.Status != 0 {
		return l.Method + " " + l.Path + " " + strconv.FormatInt(l.Status, 10)
	}
	return l.Method + " " + l.Path + " " + cmp.Or(l.Reason, "no response")
}

// Weight says how much a failed request has to do with a problem, as ConsoleLine.Weight does.
func (l NetworkLine) Weight() int {
	file, _, _ := strings.Cut(l.Path, "?")
	isMedia := strings.HasPrefix(l.Type, "image/") || strings.HasPrefix(l.Type, "font/") || l.Type == "text/css" ||
		slices.Contains(mediaEndings, strings.ToLower(path.Ext(file)))
	switch {
	case isMedia:
		return weightOfMedia
	case l.Status >= http.StatusInternalServerError:
		return weightOfServer
	}
	return weightOfRequest
}

// mediaEndings are those of what a page shows with.
var mediaEndings = []string{".jpg", ".jpeg", ".png", ".gif", ".svg", ".webp", ".avif", ".ico", ".css", ".woff", ".woff2", ".ttf", ".map"}

func (e *EvidenceView) readNetwork(from EvidenceSource, limit int) (*NetworkPanel, error) {
	in := api.ListNetwork{Occurrence: int(e.Occurrence), URL: e.Text}
	if e.Failed {
		in.Status = []api.StatusClass{"4xx", "5xx", "failed"}
	}
	p := &NetworkPanel{}
	var rows []api.NetworkRow
	next, err := readRows(limit, e.cursor, func(page api.Paging) (api.Page[api.NetworkRow], error) {
		in.Paging = page
		return from.Network(in)
	}, func(row api.NetworkRow) int {
		rows = append(rows, row)
		return len(row.URL)
	})
	if err != nil {
		return nil, err
	}
	p.Rows = e.rows(NetworkTab, e.Captured.Network, next)
	p.Failures = failures(e.Captured.Network)
	toggled := EvidenceState{Path: e.Path, Tab: e.Tab, Occurrence: e.Occurrence, Text: e.Text, Failed: !e.Failed}
	p.Toggle = toggled.Address()
	lines := make([]NetworkLine, len(rows))
	for i, row := range rows {
		lines[i] = e.networkLine(row, p.Differs)
	}
	p.Requests = groups(lines)
	if e.Request == 0 {
		return p, nil
	}
	if p.Open, err = e.readRequest(from); HasCode(err, api.CodeNotFound) {
		return p, nil // an unknown request counts as absent, as every unknown value of an address
	}
	return p, err
}

func (e *EvidenceView) networkLine(row api.NetworkRow, differs bool) NetworkLine {
	open := e.EvidenceState
	open.Request, open.Time, open.cursor = row.Number, "", ""
	n := NetworkLine{Moment: e.moment(row.StartedAt, differs), Number: row.Number, Open: open.Address(),
		Method: cut(row.Method, 20),
		URL:    cut(row.URL, 2000), Status: row.Status, Reason: cut(row.StatusText, 200),
		Type:  mediaType(textOf(row.ContentType)),
		Bytes: -1, Ms: row.DurationMs,
		Failed: evidence.Failed(row.NetworkEntry), Current: row.Number == e.Request}
	n.Host, n.Path = splitURL(row.URL)
	if row.Error != nil {
		n.Reason = cut(*row.Error, 200)
	}
	if row.ResponseBytes != nil {
		n.Bytes = *row.ResponseBytes
	}
	all := e.Captured.Network
	if span := all.End.Sub(all.Start).Seconds(); span > 0 {
		start := row.StartedAt.Sub(all.Start).Seconds()
		n.BarStart = max(0, min(995, int(1000*start/span)))
		n.BarWidth = max(5, min(1000-n.BarStart, int(row.DurationMs/span)))
	}
	return n
}

// failures returns the number of requests without a response, or with a status from 400 on.
func failures(r tracker.CapturedRows) (n int64) {
	for class, rows := range r.Classes {
		if class == 0 || class >= 4 {
			n += rows
		}
	}
	return n
}

// splitURL returns the host of a URL, and its path with the query.
func splitURL(text string) (host, rest string) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return "", cut(text, 500)
	}
	rest = u.EscapedPath()
	if rest == "" {
		rest = "/"
	}
	if u.RawQuery != "" {
		rest += "?" + u.RawQuery
	}
	return u.Host, cut(rest, 500)
}

// mediaType returns the short name of a media type.
func mediaType(text string) string {
	kind, _, _ := strings.Cut(strings.ToLower(text), ";")
	switch family, name, _ := strings.Cut(strings.TrimSpace(kind), "/"); {
	case strings.Contains(name, "json"):
		return "json"
	case strings.Contains(name, "javascript") || strings.Contains(name, "ecmascript"):
		return "script"
	case family == "image" || family == "font" || family == "video" || family == "audio":
		return family
	default:
		return cut(strings.TrimPrefix(name, "x-"), 20)
	}
}
