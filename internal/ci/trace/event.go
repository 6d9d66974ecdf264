package trace

import (
	"encoding/json"
	"math"
	"time"

	"bugslice/api"
)

// event is a line of a trace. Each type of event has some of the members.
type event struct {
	Type       string
	Version    int
	Origin     string // testRunner or library
	Browser    string `json:"browserName"`
	Playwright string `json:"playwrightVersion"`

	CallID   string `json:"callId"`
	StepID   string `json:"stepId"` // the id of the step of the test, in the versions 7 to 9
	Class    string
	Method   string
	APIName  string `json:"apiName"`
	Title    string
	Params   json.RawMessage
	Error    *failure
	Stack    []frame
	Point    *point
	PageID   string `json:"pageId"`
	Attached []struct {
		Name        string
		ContentType string `json:"contentType"`
		SHA1        string `json:"sha1"`
		File        string
		Base64      []byte
	} `json:"attachments"`

	// Times in milliseconds: since 1970 (wallTime), and of the clock of the trace.
	WallTime  float64 `json:"wallTime"`
	Monotonic float64 `json:"monotonicTime"`
	StartTime float64 `json:"startTime"`
	EndTime   float64 `json:"endTime"`
	Time      float64
	Timestamp float64

	MessageType string `json:"messageType"`
	Message     string
	Text        string
	Base64      []byte
	Args        []struct{ Value json.RawMessage }
	Location    struct {
		URL          string
		LineNumber   int `json:"lineNumber"`
		ColumnNumber int `json:"columnNumber"`
	}

	SHA1     string `json:"sha1"`
	File     string
	Snapshot json.RawMessage
}

// failure is an error of a test or of a page.
type failure struct{ Name, Message, Stack string }

// frame is a frame of the stack of a test.
type frame struct {
	File         string
	Line, Column int
	Function     string
}

// point is a place in the viewport.
type point struct{ X, Y float64 }

// resource returns the name of the entry that a member names, as a path or, before version 9, as the name of a file in
// resources.
func resource(file, sha1 string) string {
	if file == "" && sha1 != "" {
		return "resources/" + sha1
	}
	return file
}

// clock converts times of a part of a trace, whose zero is arbitrary, to instants.
type clock struct{ zero float64 } // in milliseconds since 1970

// at returns the instant of a time; ok is false for one that cannot be that of a test.
func (c *clock) at(ms float64) (t api.Time, ok bool) {
	ms += c.zero
	if math.IsNaN(ms) || ms < 1e11 || ms > 1e13 {
		return api.Time{}, false
	}
	return api.At(time.UnixMicro(int64(ms * 1000))), true
}

// set sets the clock by an event that has both times. The first one counts. Before version 7 it is the first action.
func (c *clock) set(e event) {
	if monotonic := max(e.Monotonic, e.StartTime); c.zero == 0 && e.WallTime != 0 && monotonic != 0 {
		c.zero = e.WallTime - monotonic
	}
}
