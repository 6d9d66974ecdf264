package results

import (
	"cmp"
	"regexp"
	"strings"
)

// junit is the form that Ant began, and that most runners write in some way of their own.
var junit = dialect{
	format: JUnit,
	around: []string{"testsuites"},
	suite:  []string{"testsuite"},
	test:   "testcase",
	begin: func(n *node) *Suite {
		return &Suite{
			Name: stamp.ReplaceAllString(cmp.Or(n.attr("name"), n.attr("package")), ""),
			File: n.attr("file", "filepath"), Host: n.attr("hostname"),
			Started: n.attr("timestamp"), Duration: n.seconds("time"),
		}
	},
	tests: func(s *Suite, n *node) []*Case { return []*Case{junitCase(s, n)} },
	detail: func(_ *reader, s *Suite, n *node) []*Case {
		switch n.name {
		case "properties":
			s.Properties = append(s.Properties, properties(n)...)
		case "system-out", "system-err":
			s.Output = joined(s.Output, n.content())
		case "failure", "error":
			c := &Case{Name: s.Name, File: s.File, Outcome: Errored, OfSuite: true}
			c.Failures = []Failure{junitFailure(n, c)}
			if strings.HasPrefix(c.Failures[0].Message, "Dubious, test returned ") && anyBroken(s) {
				return nil // of Perl: the exit code after failed tests
			}
			return []*Case{c}
		}
		return nil
	},
	stated: func(n *node) *Totals {
		if n.attr("tests") == "" {
			return nil
		}
		return &Totals{
			Tests: n.number("tests"), Failures: n.number("failures"), Errors: n.number("errors"),
			Skipped: n.number("skipped", "skip", "ignored", "disabled"),
		}
	},
}

// stamp finds the time that unittest-xml-reporting puts at the end of the name of a suite.
var stamp = regexp.MustCompile(`-20\d{12}$`)

func properties(n *node) []Property {
	var found []Property
	for _, p := range n.all("property") {
		found = append(found, Property{p.attr("name"), cmp.Or(p.attr("value"), p.content())})
	}
	return found
}

// source finds the names of files among the names of classes: some runners write a file as the class.
var source = regexp.MustCompile(`\.(?:[cm]?[jt]sx?|py|rb|go|php|bats|feature)$`)

func junitCase(s *Suite, n *node) *Case {
	c := &Case{
		Name: n.attr("name"), Class: n.attr("classname", "class"), File: cmp.Or(n.attr("file", "filepath"), s.File),
		Line: n.number("line", "lineno"), Duration: n.seconds("time", "duration"),
	}
	if c.File == "" && source.MatchString(c.Class) {
		c.File = c.Class
	}
	for _, child := range n.children {
		junitDetail(c, child)
	}
	c.Attachments = append(c.Attachments, attachedIn(c.Output)...)
	c.Attachments = append(c.Attachments, attachedBy(c.Properties)...)
	for _, a := range c.Attempts {
		c.Attachments = append(c.Attachments, attachedIn(a.Output)...)
	}
	junitOutcome(c, n)
	if c.Name == "TestMain" && c.Class == "" { // of gotestsum: the package failed
		c.Class, c.OfSuite = s.Name, true
	}
	if strings.Contains(c.Reason, "--- SKIP: ") {
		c.Reason = goFailure(c.Reason).message
	}
	for i := range c.Failures {
		explain(c, &c.Failures[i])
	}
	return c
}

// junitDetail takes an element of a test.
func junitDetail(c *Case, n *node) {
	switch n.name {
	case "failure", "error":
		c.Failures = append(c.Failures, junitFailure(n, c))
		if c.Outcome != Skipped {
			c.Outcome = failedOr(c.Outcome, n.name == "error")
		}
	case "skipped", "ignored", "disabled":
		c.Outcome, c.Reason = Skipped, short(cmp.Or(n.attr("message"), n.content()))
	case "rerunFailure", "rerunError", "flakyFailure", "flakyError":
		attempt := Attempt{Failures: []Failure{junitFailure(n, c)}}
		attempt.Output = joined(n.child("system-out").content(), n.child("system-err").content())
		c.Attempts = append(c.Attempts, attempt)
	case "system-out", "system-err", "output":
		c.Output = joined(c.Output, n.content())
	case "properties":
		c.Properties = append(c.Properties, properties(n)...)
	}
}

// failedOr returns the outcome after a further failure or error: a failed assertion says more.
func failedOr(before Outcome, isError bool) Outcome {
	if isError && before != Failed {
		return Errored
	}
	return Failed
}

// junitOutcome sets the outcome by what no element of its own says.
func junitOutcome(c *Case, n *node) {
	status, result := n.attr("status"), n.attr("result")
	switch {
	case c.Outcome == Skipped && status == "notrun" && strings.HasPrefix(c.Reason, "Unable to find executable"):
		// CTest writes a test without its program as skipped, and fails because of it.
		c.Outcome, c.Failures = Errored, []Failure{{Message: c.Reason, Stack: c.Output}}
	case c.Outcome != Passed:
	case status == "notrun" || status == "disabled" || result == "skipped" || result == "suppressed":
		c.Outcome = Skipped
	case len(c.Attempts) > 0:
		c.Outcome = Flaky
	case strings.Contains(c.Output, "[FAILED] Failure recorded during attempt "):
		c.Outcome = Flaky // of Ginkgo
		c.Attempts = []Attempt{{Output: c.Output}}
	}
}

// junitFailure returns a failure or an error of a test.
func junitFailure(n *node, c *Case) Failure {
	stack := joined(n.content(), n.child("stackTrace").content())
	f := Failure{Type: n.attr("type"), Message: short(n.attr("message")), Stack: stack}
	if f.Message == "" {
		f.Message = firstLines(withoutName(stack, c))
	}
	return f
}

// withoutName returns a text without a first line that names the test, which PHPUnit writes.
func withoutName(stack string, c *Case) string {
	first, rest, found := strings.Cut(stack, "\n")
	if found && c.Class != "" && strings.HasPrefix(first, c.Class+"::") {
		return rest
	}
	return stack
}
