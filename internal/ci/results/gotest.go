package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// goEvent is a line of go test -json.
type goEvent struct {
	Action, Package, Test, Output, FailedBuild string
	ImportPath, Key, Value, Path               string
	Time                                       string
	Elapsed                                    float64
}

// goTest is a test, or a package, that has not ended.
type goTest struct {
	c      *Case
	output text
}

// goReader is a stream of go test -json while it is read.
type goReader struct {
	*reading
	suites map[string]*Suite
	tests  map[string]map[string]*goTest // by package and name; that of the package itself has no name
	order  map[string][]string
	builds map[string]*text
	full   bool
	loose  text // lines that are no events: before Go 1.24, those of the compiler
	kept   int  // bytes of the outputs of tests that have not ended
}

func readGo(rd *reading, r io.Reader) {
	g := &goReader{reading: rd, suites: map[string]*Suite{}, tests: map[string]map[string]*goTest{},
		order: map[string][]string{}, builds: map[string]*text{}}
	rd.run.Tool = "go test"
	for number, line := range rd.linesOf(r) {
		var e goEvent
		switch {
		case len(line) == 0 || line[0] != '{':
			g.loose.write(append(line, '\n'))
		case json.Unmarshal(line, &e) != nil:
			rd.fault(number, "the line is no event of go test -json")
		default:
			g.event(&e)
		}
		if g.full {
			break
		}
	}
	for _, s := range rd.run.Suites {
		for _, name := range g.order[s.Name] {
			g.unfinished(s, name, "the results end while the test runs")
		}
	}
}

func (g *goReader) event(e *goEvent) {
	switch e.Action {
	case "build-output":
		if g.builds[e.ImportPath] == nil {
			g.builds[e.ImportPath] = &text{}
		}
		g.write(g.builds[e.ImportPath], e.Output)
		return
	case "build-fail", "bench":
		return
	}
	if e.Package == "" {
		return
	}
	s := g.suites[e.Package]
	if s == nil {
		s = g.suite(&Suite{Name: e.Package, Started: e.Time, repeats: true})
		g.suites[e.Package] = s
	}
	switch e.Action {
	case "pass", "fail", "skip":
		g.end(s, e)
	case "run":
		g.test(s, e.Test)
	case "output":
		g.write(&g.test(s, e.Test).output, e.Output)
	case "attr":
		c := g.test(s, e.Test).c
		c.Properties = append(c.Properties, Property{e.Key, e.Value})
	case "artifacts":
		c := g.test(s, e.Test).c
		c.Attachments = append(c.Attachments, Attachment{Path: e.Path, Folder: true})
	}
}

// write adds to an output, unless those of all tests that run are too long together.
func (g *goReader) write(to *text, output string) {
	if g.kept > maxTexts {
		return
	}
	g.kept -= to.size()
	to.write([]byte(output))
	g.kept += to.size()
}

// test returns a test that runs, and begins it where needed.
func (g *goReader) test(s *Suite, name string) *goTest {
	tests := g.tests[s.Name]
	if tests == nil {
		tests = map[string]*goTest{}
		g.tests[s.Name] = tests
	}
	t := tests[name]
	if t == nil {
		t = &goTest{c: &Case{Name: name, Class: s.Name}}
		tests[name] = t
		g.order[s.Name] = append(g.order[s.Name], name)
	}
	return t
}

// end ends a test or, without a name, a package.
func (g *goReader) end(s *Suite, e *goEvent) {
	t := g.test(s, e.Test)
	t.c.Duration = duration(e.Elapsed, time.Second, nil)
	if e.Test == "" {
		s.Duration += t.c.Duration
		g.endPackage(s, t, e)
		return
	}
	delete(g.tests[s.Name], e.Test)
	g.kept -= t.output.size()
	output := clean(t.output.String())
	t.c.Output = output
	t.c.Attachments = append(t.c.Attachments, attachedIn(output)...)
	switch e.Action {
	case "fail":
		t.c.Outcome = Failed
		g.explain(t.c, output)
	case "skip":
		t.c.Outcome, t.c.Reason = Skipped, goFailure(output).message
	}
	g.full = !g.add(s, t.c)
}

func (g *goReader) explain(c *Case, output string) {
	p := goFailure(output)
	if strings.HasPrefix(p.message, "panic: ") || strings.HasPrefix(p.message, "fatal error: ") {
		c.Outcome = Errored
	}
	c.Failures = []Failure{{Message: p.message, Stack: output}}
	located(c, p.file, p.line)
}

// endPackage ends a package: its tests that did not end are errored, and a failure that is of no test is its own.
func (g *goReader) endPackage(s *Suite, t *goTest, e *goEvent) {
	open := g.order[s.Name]
	g.order[s.Name] = nil
	broken := e.Action == "fail"
	for _, name := range open {
		if name != "" && broken {
			g.unfinished(s, name, "the package ended while the test ran")
		}
	}
	delete(g.tests, s.Name)
	if !broken || anyBroken(s) {
		return
	}
	output := clean(t.output.String())
	if build := g.builds[e.FailedBuild]; build != nil {
		output = clean(build.String())
	}
	c := &Case{Name: s.Name, Class: s.Name, Outcome: Errored, OfSuite: true, Output: output}
	message := goFailure(output).message
	if loose := clean(g.loose.String()); message == "" && strings.Contains(output, "[build failed]") && loose != "" {
		message, output = short(loose), joined(loose, output)
	}
	if message == "" {
		message = cmp.Or(output, "the package failed without a failed test")
	}
	c.Failures = []Failure{{Message: short(message), Stack: output}}
	g.full = !g.add(s, c)
}

// unfinished adds a test that began and did not end.
func (g *goReader) unfinished(s *Suite, name, reason string) {
	t := g.tests[s.Name][name]
	if t == nil || name == "" || g.full {
		return
	}
	delete(g.tests[s.Name], name)
	g.kept -= t.output.size()
	output := clean(t.output.String())
	t.c.Outcome, t.c.Output = Errored, output
	if g.explain(t.c, output); t.c.Failures[0].Message == "" {
		t.c.Failures[0].Message = fmt.Sprintf("%s did not end: %s", name, reason)
	}
	t.c.Outcome = Errored
	g.full = !g.add(s, t.c)
}
