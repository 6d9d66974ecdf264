package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

const maxValue = 32 << 20 // bytes of a test of CTRF

// ctrfTest is a test of CTRF. Times are in milliseconds.
type ctrfTest struct {
	Name     string          `json:"name"`
	Status   string          `json:"status"`
	Duration float64         `json:"duration"`
	Message  string          `json:"message"`
	Trace    string          `json:"trace"`
	File     string          `json:"filePath"`
	Line     int             `json:"line"`
	Suite    json.RawMessage `json:"suite"` // a text or, since version 0.0.1, a list of them
	Flaky    bool            `json:"flaky"`
	Retries  int             `json:"retries"`
	Out      []string        `json:"stdout"`
	Err      []string        `json:"stderr"`
	Files    []ctrfFile      `json:"attachments"`
	Attempts []struct {
		Status  string     `json:"status"`
		Message string     `json:"message"`
		Trace   string     `json:"trace"`
		Out     []string   `json:"stdout"`
		Files   []ctrfFile `json:"attachments"`
	} `json:"retryAttempts"`
}

type ctrfFile struct {
	Name string `json:"name"`
	Type string `json:"contentType"`
	Path string `json:"path"`
}

// bounded is a reader that fails when a value of the document is too long.
type bounded struct {
	r    io.Reader
	left int
	line int
}

var errLongValue = errors.New("a test is longer than " + strconv.Itoa(maxValue) + " bytes")

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongValue
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	for _, c := range p[:n] {
		if c == '\n' {
			b.line++
		}
	}
	return n, err
}

// ctrfReader is a CTRF document while it is read.
type ctrfReader struct {
	*reading
	source *bounded
	in     *json.Decoder
	suites map[string]*Suite
}

func readCTRF(rd *reading, r io.Reader) {
	source := &bounded{r: r, left: maxValue, line: 1}
	c := &ctrfReader{reading: rd, source: source, suites: map[string]*Suite{},
		in: json.NewDecoder(source)}
	err := c.object(func(name string) error {
		if name != "results" {
			return c.skip()
		}
		return c.object(c.member)
	})
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the document ends too early")
		}
		rd.fault(source.line, err.Error())
	}
}

// open reads the begin of an object or a list.
func (c *ctrfReader) open(begin json.Delim) error {
	t, err := c.in.Token()
	if err == nil && t != begin {
		err = fmt.Errorf("the document is not CTRF: there is no %s at byte %d", begin, c.in.InputOffset())
	}
	return err
}

// object reads an object. It passes each name to a function, which reads the value.
func (c *ctrfReader) object(member func(name string) error) error {
	if err := c.open('{'); err != nil {
		return err
	}
	for c.in.More() {
		c.source.left = maxValue
		t, err := c.in.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return errors.New("the document is not CTRF: a member has no name")
		}
		if err := member(name); err != nil {
			return err
		}
	}
	_, err := c.in.Token()
	return err
}

func (c *ctrfReader) skip() error {
	var value json.RawMessage
	return c.in.Decode(&value)
}

func (c *ctrfReader) member(name string) error {
	switch name {
	case "tool":
		var tool struct {
			Name string `json:"name"`
		}
		err := c.in.Decode(&tool)
		c.run.Tool = tool.Name
		return err
	case "summary":
		var sum struct {
			Tests   int `json:"tests"`
			Failed  int `json:"failed"`
			Skipped int `json:"skipped"`
			Pending int `json:"pending"`
			Other   int `json:"other"`
			Flaky   int `json:"flaky"`
		}
		err := c.in.Decode(&sum)
		c.run.Stated = &Totals{Tests: sum.Tests, Failures: sum.Failed,
			Skipped: sum.Skipped + sum.Pending + sum.Other, Flaky: sum.Flaky}
		return err
	case "tests":
		return c.tests()
	}
	return c.skip()
}

func (c *ctrfReader) tests() error {
	if err := c.open('['); err != nil {
		return err
	}
	for c.in.More() {
		c.source.left = maxValue
		var value json.RawMessage
		if err := c.in.Decode(&value); err != nil {
			return err
		}
		var test ctrfTest
		if err := json.Unmarshal(value, &test); err != nil {
			c.fault(c.source.line, "a test is not as CTRF says: "+err.Error())
			continue
		}
		if !c.add(c.suiteOf(test.Suite), test.result()) {
			return nil
		}
	}
	_, err := c.in.Token()
	return err
}

// suiteOf returns the suite of a test, whose names are a list or a text such as "shop.spec.js > basket".
func (c *ctrfReader) suiteOf(value json.RawMessage) *Suite {
	var names []string
	if json.Unmarshal(value, &names) != nil {
		var name string
		if json.Unmarshal(value, &name) == nil && name != "" {
			names = strings.Split(name, " > ")
		}
	}
	id := strings.Join(names, "\x00")
	s := c.suites[id]
	if s == nil {
		s = &Suite{}
		if n := len(names); n > 0 {
			s.Name, s.Parents = names[n-1], names[:n-1]
		}
		c.suites[id] = c.suite(s)
	}
	return s
}

func (t *ctrfTest) result() *Case {
	c := &Case{Name: t.Name, File: t.File, Line: t.Line, Duration: duration(t.Duration, time.Millisecond, nil),
		Output: clean(strings.Join(append(t.Out, t.Err...), ""))}
	switch t.Status {
	case "failed":
		c.Outcome = Failed
		c.Failures = []Failure{ctrfFailure(t.Message, t.Trace)}
	case "skipped", "pending", "other":
		c.Outcome, c.Reason = Skipped, short(t.Message)
	default:
		if t.Flaky {
			c.Outcome = Flaky
		}
	}
	files := t.Files
	for _, a := range t.Attempts {
		files = append(files, a.Files...)
		if a.Status == "failed" && c.Outcome != Skipped {
			failures := []Failure{ctrfFailure(a.Message, a.Trace)}
			c.Attempts = append(c.Attempts, Attempt{failures, clean(strings.Join(a.Out, ""))})
		}
	}
	if n := len(c.Attempts); n > 0 && c.Outcome == Failed && n > t.Retries {
		c.Attempts = c.Attempts[:n-1] // the last one is the failure itself
	}
	for _, f := range files {
		if a := (Attachment{Name: f.Name, Type: f.Type, Path: f.Path}); f.Path != "" && !has(c.Attachments, a) {
			c.Attachments = append(c.Attachments, a)
		}
	}
	return c
}

func has(all []Attachment, a Attachment) bool {
	for _, other := range all {
		if other.Path == a.Path {
			return true
		}
	}
	return false
}

func ctrfFailure(message, trace string) Failure {
	message, trace = clean(message), clean(trace)
	if message == "" {
		message = firstLines(trace)
	}
	return Failure{Message: short(message), Stack: trace}
}
