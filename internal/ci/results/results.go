// Package results reads the results of test runners: JUnit XML in the forms of its many writers, the XML of NUnit,
// xUnit.net and MSTest, go test -json, CTRF and TAP. All become one form: a Run of Suites of Cases.
//
// Read takes a file as a stream. It keeps what each test did, and of the tests that did not simply pass, the begin and
// the end of their texts, within a budget for the file. A file that is broken, truncated or in no known format is read
// as far as it goes; the Faults of its Run say at which line the reading ended, and why.
//
// The texts and paths of a Run were written by the code under test. Locate finds only attachments below a folder.
package results

import (
	"fmt"
	"time"
)

// Outcome says how a test ended.
type Outcome uint8

// The outcomes. A flaky test failed, and passed when it ran again. A test is errored when something else broke than
// what it asserts: an exception, its setup, or the end of the process.
const (
	Passed Outcome = iota
	Failed
	Errored
	Skipped
	Flaky
)

// String returns the name of an outcome.
func (o Outcome) String() string {
	return [...]string{"passed", "failed", "errored", "skipped", "flaky"}[o]
}

// Broken reports whether a test did not pass in the end.
func (o Outcome) Broken() bool { return o == Failed || o == Errored }

// failed reports whether a run of a test failed.
func (c *Case) failed() bool { return c.Outcome.Broken() || c.Outcome == Flaky }

// Run is what a file tells.
type Run struct {
	File   string
	Format Format
	Tool   string // the runner, when the file names it
	Suites []*Suite
	Stated *Totals // the totals that the file states
	Faults []Fault
}

// Suite is a suite of tests: a class, a file, a package, or a block of a file.
type Suite struct {
	Name       string
	Parents    []string // the names of the suites around it, the outermost first
	File       string
	Host       string
	Started    string // as the runner writes it
	Duration   time.Duration
	Properties []Property
	Output     string
	Stated     *Totals
	Cases      []*Case

	byKey   map[key]*Case
	repeats bool // a test of one name is one test, which its runner may repeat
}

// Case is a test.
type Case struct {
	Name, Class, File string
	Line              int
	Duration          time.Duration
	Outcome           Outcome
	Reason            string    // why it was skipped
	Failures          []Failure // of its last run, when it is broken
	Attempts          []Attempt // its failed runs before the last one, the first of them first
	Output            string    // what it printed, when it did not simply pass
	Properties        []Property
	Attachments       []Attachment
	Runs              int  // how often it ran, when one of its runs failed; otherwise 1
	Parent            bool // it contains other tests of its suite, as a test of Go does
	OfSuite           bool // it is no test: the suite itself failed, in its setup, its build or at its end

	several bool // the suite has several tests of this name
}

// Failure is a reason why a test failed.
type Failure struct {
	Message, Type string
	Stack         string // the whole text of the runner
}

// Attempt is a run of a test that failed, before the test ran again.
type Attempt struct {
	Failures []Failure
	Output   string
}

// Property is a name with a value that a test states.
type Property struct{ Name, Value string }

// Attachment is a file that belongs to a test.
type Attachment struct {
	Name, Path, Type string
	Folder           bool // all files of a folder belong to the test
}

// Totals counts tests by outcome. Failures does not include Errors. Tests includes all of them.
type Totals struct{ Tests, Failures, Errors, Skipped, Flaky int }

// Fault says at which line of a file the reading met something that it could not read.
type Fault struct {
	File   string
	Line   int
	Reason string
}

// String returns the place and the reason.
func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Reason
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Reason)
}

// Totals counts the tests of a run, each once, however often it ran.
func (r *Run) Totals() Totals {
	var t Totals
	for _, s := range r.Suites {
		for _, c := range s.Cases {
			t.count(c)
		}
	}
	return t
}

func (t *Totals) count(c *Case) {
	t.Tests++
	switch c.Outcome {
	case Failed:
		t.Failures++
	case Errored:
		t.Errors++
	case Skipped:
		t.Skipped++
	case Flaky:
		t.Flaky++
	case Passed:
	}
}

func (t *Totals) add(more Totals) {
	t.Tests += more.Tests
	t.Failures += more.Failures
	t.Errors += more.Errors
	t.Skipped += more.Skipped
	t.Flaky += more.Flaky
}

// key is what a test of a suite is known by.
type key struct {
	class, name string
	ofSuite     bool
}

// add adds a test to its suite. A test that the suite has already, when either failed, is a further run of it: a pass
// after a failure makes it flaky, and a failure breaks it. Tests of one name that did not fail are several, as those of
// a table are.
//
// A retry ends with the first pass. So a test that passes twice, or before it fails, is several tests of one name, of
// which one is broken: then it is, whatever follows. Not so where the runner repeats tests.
func (s *Suite) add(c *Case) {
	c.Runs = 1
	k := key{c.Class, c.Name, c.OfSuite}
	before := s.byKey[k]
	if before == nil || !before.failed() && !c.failed() {
		if s.byKey == nil {
			s.byKey = map[key]*Case{}
		}
		s.byKey[k] = c
		s.Cases = append(s.Cases, c)
		return
	}
	before.Runs++
	passed := before.Outcome == Passed || before.Outcome == Flaky && before.Runs > 2
	before.several = before.several || passed && c.Outcome != Skipped && !s.repeats
	before.merge(c)
	if n := len(before.Attempts); before.several && before.Outcome == Flaky && n > 0 {
		last := before.Attempts[n-1]
		before.Outcome, before.Failures, before.Output, before.Attempts = Failed, last.Failures, last.Output, before.Attempts[:n-1]
	}
}

// merge adds a further run to a test.
func (c *Case) merge(next *Case) {
	switch {
	case next.Outcome == Skipped:
		return
	case c.Outcome.Broken():
		c.Attempts = append(c.Attempts, Attempt{c.Failures, c.Output})
		c.Failures, c.Outcome = nil, Flaky
	case c.Outcome == Skipped || next.Outcome == Flaky:
		c.Outcome = next.Outcome
	}
	c.Attempts = append(c.Attempts, next.Attempts...)
	c.Duration += next.Duration
	c.Attachments = append(c.Attachments, next.Attachments...)
	if next.Outcome.Broken() {
		c.Outcome, c.Failures, c.Output = next.Outcome, next.Failures, next.Output
	}
}

// Format is the form of a file of results.
type Format string

// The formats. XML files are told apart by their first element.
const (
	Unknown Format = ""
	JUnit   Format = "JUnit XML"
	NUnit   Format = "NUnit XML"
	XUnit   Format = "xUnit.net XML"
	TRX     Format = "TRX"
	GoTest  Format = "go test -json"
	CTRF    Format = "CTRF"
	TAP     Format = "TAP"
	anyXML  Format = "XML"
)

func anyBroken(s *Suite) bool {
	for _, c := range s.Cases {
		if c.failed() {
			return true
		}
	}
	return false
}
