// Package finding turns the results of the tests of a job into what the job has to tell a server: one Failure for each
// cause, as a report with its evidence, and which tests passed and which are flaky.
//
//	runs := …                                        // of package results
//	found := finding.Of(runs, finding.Source{Job: j, Root: root, MaxFailures: 25, Budget: 50 << 20})
//
// A Finding can be written as JSON and be reported later, also by another process. What it contains was written by the
// code under test: texts are in Markdown only as code, files only from below the root of the source, and all of
// it within the budget. Notes say what is left out.
package finding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/ci/cause"
	"bugslice/internal/ci/job"
	"bugslice/internal/ci/results"
	"bugslice/internal/ci/summary"
)

// Finding is what a job has found.
type Finding struct {
	Job      job.Job
	At       time.Time // when the results were read
	Totals   results.Totals
	Failures []Failure
	Passed   []string // identities of tests, of which none failed in this job
	Flaky    []Test   // passed when they ran again
	Counts   []Count  // how the tests ended that were not skipped, by their names
	Faults   []string // what could not be read
	Notes    []string // what is left out
}

// Failure is a cause with its tests.
type Failure struct {
	Fingerprint string
	Others      []string // fingerprints of the tests alone, of which each may have a report of the same cause
	Title       string   // one line of at most 200 characters
	Description string   // Markdown
	Scope       cause.Scope
	Tests       []Test
	Evidence    *api.Evidence `json:",omitempty"`
	Files       []File        `json:",omitempty"`
	Owner       string        // of the file of the first test with one, as CODEOWNERS names it
	Email       string        // of that owner
}

// Test is a test of a job.
type Test struct {
	ID, Name string
}

// Count counts how a test ended, which may be in the results several times.
type Count struct {
	ID, Suite, Name       string
	Passed, Failed, Flaky int64
	Duration              time.Duration
}

// File is a file of a failure: a path, or a content.
type File struct {
	Name    string
	Path    string `json:",omitempty"`
	Content []byte `json:",omitempty"`
	Picture bool   `json:",omitempty"`
}

// Key returns the Idempotency-Key of the report of a failure by this job, so that a step that is repeated within a job
// counts once. It is empty when the run of the job is not known.
func (f *Finding) Key(fingerprint string) string {
	j := f.Job
	if j.Run == "" {
		return ""
	}
	parts := []string{j.Repository, j.Run, fmt.Sprint(j.Attempt), j.Name, fmt.Sprint(j.Shard), fingerprint}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "ci-" + hex.EncodeToString(sum[:20])
}

// Of returns what the runs of a job say.
func Of(runs []*results.Run, from Source) *Finding {
	f := &Finding{Job: from.Job, At: time.Now()}
	files := map[*results.Suite]string{}
	for _, run := range runs {
		for _, fault := range run.Faults {
			f.Faults = append(f.Faults, fault.String())
		}
		for _, s := range run.Suites {
			files[s] = run.File
		}
		add(&f.Totals, run.Totals())
	}
	f.addTests(runs)
	f.Counts = count(runs)
	causes := cause.Of(runs...)
	if more := len(causes) - from.MaxFailures; more > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%d further causes of failures are not reported: a job reports at most %d.",
			more, from.MaxFailures))
		causes = causes[:from.MaxFailures]
	}
	collector := collector{Source: from, files: files, left: from.Budget}
	for i := range causes {
		f.Failures = append(f.Failures, collector.failure(&causes[i]))
	}
	f.Notes = append(f.Notes, collector.notes...)
	return f
}

func add(sum *results.Totals, t results.Totals) {
	sum.Tests += t.Tests
	sum.Failures += t.Failures
	sum.Errors += t.Errors
	sum.Skipped += t.Skipped
	sum.Flaky += t.Flaky
}

// addTests adds the tests that passed and those that are flaky. One of which several results differ has not passed.
func (f *Finding) addTests(runs []*results.Run) {
	outcomes := map[string]results.Outcome{}
	flaky := map[string]Test{}
	for _, run := range runs {
		for _, s := range run.Suites {
			for _, c := range s.Cases {
				id := cause.TestID(s, c)
				note(outcomes, id, c.Outcome)
				if c.Outcome == results.Flaky {
					flaky[id] = Test{id, nameOf(s, c)}
				}
				if c.Outcome == results.Passed {
					note(outcomes, cause.SuiteID(s), results.Passed) // unless the suite itself has failed
				}
			}
		}
	}
	for id, outcome := range outcomes {
		switch outcome {
		case results.Passed:
			f.Passed = append(f.Passed, id)
		case results.Flaky:
			f.Flaky = append(f.Flaky, flaky[id])
		case results.Failed, results.Errored, results.Skipped:
		}
	}
	slices.Sort(f.Passed)
	slices.SortFunc(f.Flaky, func(a, b Test) int { return strings.Compare(a.Name+a.ID, b.Name+b.ID) })
}

// note notes the outcome of a test: the worst one that it has in the job.
func note(outcomes map[string]results.Outcome, id string, outcome results.Outcome) {
	before, ok := outcomes[id]
	switch {
	case outcome == results.Skipped:
	case !ok, outcome.Broken(), outcome == results.Flaky && !before.Broken():
		outcomes[id] = outcome
	}
}

// nameOf returns the name of a test with that of its class or its suite.
func nameOf(s *results.Suite, c *results.Case) string {
	group := c.Class
	if group == "" {
		group = s.Name
	}
	if group == "" || strings.Contains(c.Name, group) {
		return c.Name
	}
	if c.Name == "" || strings.HasSuffix(group, c.Name) {
		return group
	}
	return group + " › " + c.Name
}

const (
	maxTitle   = 200
	maxListed  = 100      // tests
	maxList    = 20 << 10 // bytes of their list
	maxName    = 300
	maxMessage = 4 << 10  // bytes
	maxStack   = 12 << 10 // of each of the stack and the output
)

// title returns a line for a cause: of a test alone its name and the message, of a shared cause the message.
func title(c *cause.Cause) string {
	text := c.Title()
	if c.Scope == cause.Alone {
		text = nameOf(c.Tests[0].Suite, c.Tests[0].Case) + ": " + text
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == ' ' || r == 0x7f }), " ")
	if runes := []rune(text); len(runes) > maxTitle {
		text = string(runes[:maxTitle-1]) + "…"
	}
	if text == "" {
		return "A test failed"
	}
	return text
}

// description returns the Markdown of a cause.
func description(c *cause.Cause) string {
	var out strings.Builder
	switch c.Scope {
	case cause.Alone:
		out.WriteString("A test failed:\n\n")
	case cause.Setup:
		out.WriteString("A setup or a teardown failed, and with it these tests:\n\n")
	case cause.Environment:
		out.WriteString("Something outside of the tests is missing. These tests failed alike:\n\n")
	case cause.Program, cause.Place:
		out.WriteString("These tests failed at the same place:\n\n")
	}
	for i, test := range c.Tests {
		if i == maxListed || out.Len() > maxList {
			fmt.Fprintf(&out, "- and %d more\n", len(c.Tests)-i)
			break
		}
		out.WriteString("- " + summary.Code(begin(nameOf(test.Suite, test.Case), maxName)))
		if test.Case.File != "" {
			out.WriteString(" in " + summary.Code(begin(test.Case.File, maxName)))
		}
		out.WriteString("\n")
	}
	out.WriteString("\n" + summary.Block(begin(c.Failure.Message, maxMessage)))
	if stack := strings.TrimSpace(c.Failure.Stack); stack != "" && stack != strings.TrimSpace(c.Failure.Message) {
		out.WriteString("\nStack:\n\n" + summary.Block(begin(stack, maxStack)))
	}
	if output := strings.TrimSpace(c.Tests[0].Case.Output); output != "" {
		out.WriteString("\nOutput:\n\n" + summary.Block(end(output, maxStack)))
	}
	return out.String()
}

// begin returns the begin of a text, and says when it is cut.
func begin(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for text = text[:most]; !utf8.ValidString(text); {
		text = text[:len(text)-1]
	}
	return text + "…"
}

// end returns the end of a text, and says when it is cut.
func end(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for text = text[len(text)-most:]; !utf8.RuneStart(text[0]); {
		text = text[1:]
	}
	return "…" + text
}
