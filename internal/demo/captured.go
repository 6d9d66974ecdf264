package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// CapturedReport is a bug of examples/shop, with each time that it was reported and what became of it.
type CapturedReport struct {
	Scenario
	Priority              api.Priority
	Fingerprint, Assignee string // a key of People, or ""
	Page                  string // the path on which it was seen
	Visits                []Visit
	Changes               []Change
}

// Visit is a report of the bug, with what the browser captured.
type Visit struct {
	Capture         string
	Ago             duration
	By              string // a key of People, or "ci"
	Release, Commit string
	Flood           duration // the time for which the requests of the capture are repeated
}

// Change is a comment, a move or both.
type Change struct {
	Ago     duration
	By      string // a key of People
	Comment string
	Status  api.Status
}

type duration struct{ time.Duration }

func (d *duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

//go:embed captured.json
var capturedFile []byte

// CapturedReports are the reports with captured evidence, of the first team.
var CapturedReports = func() (reports []CapturedReport) {
	if err := json.Unmarshal(capturedFile, &reports); err != nil {
		panic("demo: captured.json: " + err.Error())
	}
	return reports
}()

// reportingTime is the time between the end of a visit and its report.
const reportingTime = 40 * time.Second

// historian files reports at times in the past, through the operations of the API.
type historian struct {
	t           *tracker.Tracker
	clock       *clock
	now         time.Time
	callers     map[string]access.Caller // by keys of people, and "ci"
	users       map[string]string
	spaces      map[string]string // of the workspace
	workspaceID string
}

// clock is set to each step, and advances by a millisecond at each reading, so that ids are in order.
type clock struct{ at time.Time }

func (c *clock) now() time.Time {
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

// step is something that somebody did at a time.
type step struct {
	ago time.Duration
	do  func(context.Context) error
}

// file files the reports in the order in which they happened, and returns their ids.
func (h historian) file(ctx context.Context, reports []CapturedReport) ([]string, error) {
	ids := make([]string, len(reports))
	var steps []step
	for i, r := range reports {
		for _, v := range r.Visits {
			steps = append(steps, step{v.Ago.Duration, func(ctx context.Context) (err error) {
				ids[i], err = h.report(ctx, r, v)
				return err
			}})
		}
		for _, c := range r.Changes {
			steps = append(steps, step{c.Ago.Duration,
				func(ctx context.Context) error { return h.change(ctx, ids[i], c) }})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(b.ago - a.ago) })
	for _, s := range steps {
		h.clock.at = h.now.Add(-s.ago)
		if err := s.do(ctx); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// report files a report with its evidence and its screenshots.
func (h historian) report(ctx context.Context, r CapturedReport, v Visit) (sliceID string, err error) {
	c, err := v.evidence(h.clock.at.Add(-reportingTime))
	if err != nil {
		return "", fmt.Errorf("%s: %w", v.Capture, err)
	}
	caller, fields := h.callers[v.By], r.fields(v, c)
	fields.SpaceID = new(h.spaces[r.Space])
	if r.Assignee != "" {
		fields.AssigneeID = new(h.users[r.Assignee])
	}
	s, err := call(ctx, caller, h.t.CreateSlice,
		api.CreateSlice{Body: api.NewSlice{WorkspaceID: &h.workspaceID, SliceFields: fields,
			Fingerprint: &r.Fingerprint, Evidence: &c.Evidence}})
	if err != nil {
		return "", fmt.Errorf("%s: %w", v.Capture, err)
	}
	return s.ID, upload(ctx, h.t, caller, picturesOf{sliceID: s.ID, capture: v.Capture}, c.Screenshots)
}

// fields returns the report of a visit.
func (r CapturedReport) fields(v Visit, c Capture) api.SliceFields {
	e := c.Environment
	e.Release, e.Commit, e.Branch, e.AppVersion = &v.Release, &v.Commit, new("main"), new("4.18.2")
	return api.SliceFields{Summary: r.Summary, Description: new(describe(r.Scenario, "in "+*e.Browser+" on "+*e.OS)),
		Labels:   r.Labels,
		Priority: &r.Priority, Severity: &r.Severity, Environment: e,
		SourceURL: new("https://shop.northwind.example/" + r.Page)}
}

// picturesOf says of which slice and capture screenshots are, and once what is not repeated, unless it is empty.
type picturesOf struct{ sliceID, capture, once string }

// upload adds the screenshots of a capture to a slice.
func upload(ctx context.Context, to *tracker.Tracker, c access.Caller, of picturesOf, shots []Screenshot) error {
	for i, s := range shots {
		png, err := captures.ReadFile("evidence/" + of.capture + "/" + s.Name)
		if err != nil {
			return err
		}
		in := api.CreateAttachment{SliceID: of.sliceID, Kind: api.KindScreenshot}
		if of.once != "" {
			in.IdempotencyKey = fmt.Sprintf("%s-%d", of.once, i)
		}
		up := tracker.Upload{Body: bytes.NewReader(png), ContentType: "image/png", Name: s.Name,
			Length: int64(len(png))}
		v, err := input.Check(in)
		if err == nil {
			_, err = to.CreateAttachment(ctx, c, v, up)
		}
		if err != nil {
			return fmt.Errorf("%s/%s: %w", of.capture, s.Name, err)
		}
	}
	return nil
}

// change makes a change on behalf of a person.
func (h historian) change(ctx context.Context, sliceID string, c Change) error {
	caller := h.callers[c.By]
	if c.Status != "" {
		patch := api.UpdateSlice{SliceID: sliceID, Patch: api.SlicePatch{"status": c.Status}}
		if _, err := call(ctx, caller, h.t.UpdateSlice, patch); err != nil {
			return err
		}
	}
	if c.Comment == "" {
		return nil
	}
	_, err := call(ctx, caller, h.t.CreateComment,
		api.CreateComment{SliceID: sliceID, Body: api.CommentFields{Body: c.Comment}})
	return err
}

// evidence returns the capture of a visit as if it had ended at a time.
func (v Visit) evidence(endedAt time.Time) (Capture, error) {
	c, err := ReadCapture(v.Capture)
	if err != nil {
		return c, err
	}
	c, err = c.Starting(endedAt.Add(-c.EndedAt.Sub(c.StartedAt.Time) - v.Flood.Duration))
	if err == nil && v.Flood.Duration > 0 {
		c, err = c.flooded(v.Flood.Duration)
	}
	return c, err
}
