package page

import (
	"strings"

	"bugslice/internal/evidence"
)

// RequestDetail is an open request.
type RequestDetail struct {
	evidence.Exchange
	Number       int64
	Moment       Moment
	Close        string // the address of the list
	RequestBody  Body
	ResponseBody Body
	Failed       bool
	Total        float64           // milliseconds
	Commands     evidence.Commands // that send the request again
}

// Body is the body of a message as it is shown.
type Body struct {
	Text      string
	Encoded   bool // whether it is binary, and not shown
	Truncated bool
	Size      int64 // in bytes; -1 when unknown
}

const maxBody = 200_000 // bytes of a body that are shown

func (e *EvidenceView) readRequest(from EvidenceSource) (*RequestDetail, error) {
	x, err := from.Request(e.Occurrence, e.Request)
	if err != nil {
		return nil, err
	}
	closed := e.EvidenceState
	closed.Request = 0
	return &RequestDetail{Exchange: x, Number: e.Request, Moment: e.moment(x.Summary.StartedAt, false),
		Close:       closed.Address(),
		RequestBody: body(x.Request), ResponseBody: body(x.Response), Failed: evidence.Failed(x.Summary),
		Total:    x.Summary.DurationMs,
		Commands: x.Commands()}, nil
}

// body returns the body of a message. JSON is formatted.
func body(m evidence.Message) Body {
	b := Body{Text: m.Body, Encoded: m.Encoding != "", Size: m.Size}
	if b.Encoded {
		b.Text = ""
		return b
	}
	if t := strings.TrimSpace(b.Text); len(t) < maxBody && (strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[")) {
		b.Text = indented([]byte(t))
	}
	b.Text, b.Truncated = cut(b.Text, maxBody), len(b.Text) > maxBody
	return b
}
