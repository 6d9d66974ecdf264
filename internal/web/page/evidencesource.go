package page

import (
	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// EvidenceSource reads the evidence of one report under the rights of its reader.
type EvidenceSource interface {
	// Captured refuses an occurrence that does not exist. 0 is the newest one with evidence.
	Captured(occurrence int64) (tracker.CapturedEvidence, error)
	Console(api.ListConsole) (api.Page[api.ConsoleRow], error)
	Network(api.ListNetwork) (api.Page[api.NetworkRow], error)
	Actions(api.ListActions) (api.Page[api.ActionRow], error)
	// Request refuses a number that no request has.
	Request(occurrence, number int64) (evidence.Exchange, error)
}

// EvidenceParts says which panels the reader may see.
type EvidenceParts struct{ Console, Network, Actions, Environment bool }

// AllEvidence are the parts for a member of the workspace.
var AllEvidence = EvidenceParts{true, true, true, true}

// memberEvidence reads the evidence of a report for somebody who is signed in.
type memberEvidence struct {
	q       *Request
	caller  access.Caller
	sliceID string
}

// EvidenceOf returns the evidence of a report under the rights of the user of the session.
func (q *Request) EvidenceOf(sliceID string) EvidenceSource {
	return memberEvidence{q, q.Session.Caller, sliceID}
}

// sharedEvidence reads the evidence of a report for somebody with the link of a share.
type sharedEvidence struct{ memberEvidence }

// SharedEvidence returns the evidence of the report of a share under its rights.
func (q *Request) SharedEvidence(c access.Caller, sliceID string) EvidenceSource {
	return sharedEvidence{memberEvidence{q, c, sliceID}}
}

func (s sharedEvidence) Captured(occurrence int64) (tracker.CapturedEvidence, error) {
	return s.q.Tracker.SharedEvidence(s.q.Context(), s.caller, occurrence)
}

func (m memberEvidence) Captured(occurrence int64) (tracker.CapturedEvidence, error) {
	return m.q.Tracker.CapturedEvidence(m.q.Context(), m.caller, m.sliceID, occurrence)
}

func (m memberEvidence) Request(occurrence, number int64) (evidence.Exchange, error) {
	return m.q.Tracker.CapturedRequest(m.q.Context(), m.caller, m.sliceID, occurrence, number)
}

func (m memberEvidence) Console(in api.ListConsole) (p api.Page[api.ConsoleRow], err error) {
	in.SliceID = m.sliceID
	v, err := input.Check(in)
	if err != nil {
		return p, err
	}
	return m.q.Tracker.ListConsole(m.q.Context(), m.caller, v)
}

func (m memberEvidence) Network(in api.ListNetwork) (p api.Page[api.NetworkRow], err error) {
	in.SliceID = m.sliceID
	v, err := input.Check(in)
	if err != nil {
		return p, err
	}
	return m.q.Tracker.ListNetwork(m.q.Context(), m.caller, v)
}

func (m memberEvidence) Actions(in api.ListActions) (p api.Page[api.ActionRow], err error) {
	in.SliceID = m.sliceID
	v, err := input.Check(in)
	if err != nil {
		return p, err
	}
	return m.q.Tracker.ListActions(m.q.Context(), m.caller, v)
}
