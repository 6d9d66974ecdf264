package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"bugslice/api"
)

// Trace is what a trace says about a test.
type Trace struct {
	Version    int    // of the format
	Playwright string // its version; empty where the trace does not name it
	Browser    string // such as chromium; empty for a test without one

	Evidence api.Evidence
	Pictures []Picture
	LeftOut  []string // sentences about what is not in the evidence
}

// The versions of the format that are known.
const (
	oldest      = 6
	newestKnown = 10
)

// Read reads a trace of size bytes. It fails when the file is not a zip file or has no trace in it.
func Read(r io.ReaderAt, size int64) (Trace, error) {
	a, err := openArchive(r, size)
	if err != nil {
		return Trace{}, err
	}
	parts := a.names(".trace")
	if len(parts) == 0 {
		return Trace{}, errors.New("the archive has no trace of Playwright: no entry ends in .trace")
	}
	t := &reader{archive: a, actions: newActions(), replay: newReplay()}
	for _, part := range parts {
		t.readPart(strings.TrimSuffix(part, ".trace"))
	}
	if t.events == 0 {
		return Trace{}, errors.Join(append([]error{errors.New("the trace has no events")}, t.faults...)...)
	}
	t.finish()
	return t.Trace, nil
}

// reader reads the parts of a trace: that of the test, and one for each context of the browser.
type reader struct {
	Trace
	archive  *archive
	part     *part
	console  console
	actions  *actions
	network  network
	replay   *replay
	pictures pictures

	events  int
	skipped int // lines that are no events
	faults  []error
}

// readPart reads the events of a part, then its requests, then its snapshots, whose style sheets are among the
// requests.
func (t *reader) readPart(prefix string) {
	t.part = &part{isTest: prefix == "test"} // in version 6, which does not say so
	for _, name := range []string{prefix + ".trace", prefix + ".network"} {
		if t.archive.files[name] == nil {
			continue
		}
		for line, err := range t.archive.lines(name) {
			if err != nil {
				t.faults = append(t.faults, err)
			} else if t.readLine(line) {
				t.events++
			} else {
				t.skipped++
			}
		}
	}
	t.replay.endPart(t.part, newPageFiles(t.archive, t.network.part.rows))
	t.network.endPart(t.part)
	clear(t.actions.calls)
}

// readLine reads a line, and reports whether it is an event.
func (t *reader) readLine(line []byte) bool {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Type == "" {
		return false
	}
	t.part.set(e)
	t.part.last = max(t.part.last, e.Time, e.StartTime, e.EndTime, e.Timestamp)
	switch e.Type {
	case "context-options":
		t.readOptions(e)
	case "before":
		t.actions.add(t.part, e)
	case "input":
		if e.Point != nil {
			t.replay.points[e.CallID] = *e.Point
		}
	case "log":
		t.actions.log(e)
	case "after":
		if e.Error != nil && e.Error.title() != "" {
			t.console.addFailure(t.part, e.Error.title(), e.Error.Stack, e.EndTime)
		}
		t.pictures.addAttached(t.part, e)
	case "error":
		t.console.addFailure(t.part, e.Message, stackText(e.Stack), t.part.last)
	case "console", "stdout", "stderr", "event":
		t.console.add(t.part, e)
	case "screencast-frame":
		t.pictures.addFrame(t.part, e)
	case "frame-snapshot":
		t.part.url = t.replay.snapshots.add(e.Snapshot, t.part.url)
	case "resource-snapshot":
		return t.network.add(e.Snapshot)
	}
	return true
}

func (t *reader) readOptions(e event) {
	t.part.isTest = t.part.isTest || e.Origin == "testRunner"
	t.Version = max(t.Version, e.Version)
	if e.Playwright != "" {
		t.Playwright = e.Playwright
	}
	if e.Browser != "" {
		t.Browser = e.Browser
	}
}

// finish puts the evidence in the order of time, fits it into its limits, and says in sentences what is not in it.
func (t *reader) finish() {
	messages, olderMessages, failures := t.console.rows()
	actions, olderActions := t.actions.rows()
	requests, err := t.network.har(t.archive, t.Playwright)
	t.Evidence = api.Evidence{Console: messages, Actions: actions, Network: requests, Replay: t.replay.rows()}
	t.Pictures = t.pictures.chosen(t.archive, failures)
	if t.Version < oldest || t.Version > newestKnown {
		t.LeftOut = append(t.LeftOut,
			fmt.Sprintf("version %d of the format is read like those from %d to %d", t.Version, oldest, newestKnown))
	}
	for _, left := range []struct {
		n    int
		what string
	}{
		{t.skipped, "lines of the trace are no events"},
		{olderMessages, "older messages of the console"},
		{olderActions, "older actions"},
		{t.network.older, "older requests"},
		{t.network.bodies, "bodies of requests"},
		{t.replay.left, "older or damaged snapshots of the page"},
		{t.replay.inner, "snapshots of frames within the page"},
		{t.pictures.left, "pictures"},
	} {
		if left.n > 0 {
			t.LeftOut = append(t.LeftOut, fmt.Sprintf("%d %s", left.n, left.what))
		}
	}
	if t.faults = append(t.faults, t.pictures.faults...); err != nil {
		t.faults = append(t.faults, fmt.Errorf("requests: %w", err))
	}
	for _, fault := range t.faults[:min(len(t.faults), 10)] {
		t.LeftOut = append(t.LeftOut, fault.Error())
	}
}
