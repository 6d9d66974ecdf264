package results

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// nunit is the form of NUnit 3 and NUnit 2.
var nunit = dialect{
	format: NUnit,
	around: []string{"test-run", "test-results", "results"},
	suite:  []string{"test-suite"},
	test:   "test-case",
	begin: func(n *node) *Suite {
		return &Suite{Name: cmp.Or(n.attr("fullname"), n.attr("name")), Started: n.attr("start-time"),
			Duration: n.seconds("duration", "time")}
	},
	tests:  func(_ *Suite, n *node) []*Case { return []*Case{nunitCase(n)} },
	detail: nunitDetail,
	stated: func(n *node) *Totals {
		switch {
		case n.attr("not-run") != "": // NUnit 2
			return &Totals{Tests: n.number("total") + n.number("not-run"), Failures: n.number("failures"),
				Errors: n.number("errors"), Skipped: n.number("not-run") + n.number("inconclusive")}
		case n.attr("testcasecount") == "":
			return nil
		}
		return &Totals{Tests: n.number("testcasecount"), Failures: n.number("failed"),
			Skipped: n.number("skipped") + n.number("inconclusive")}
	},
}

// nunitDetail takes the failure of a setup or a teardown of a suite, and passes over that of its tests.
func nunitDetail(_ *reader, s *Suite, n *node) []*Case {
	switch n.name {
	case "properties":
		s.Properties = append(s.Properties, properties(n)...)
	case "output":
		s.Output = joined(s.Output, n.content())
	case "failure":
		f := nunitFailure(n, "")
		if strings.Contains(f.Message, "child test") || f.Message == "" && f.Stack == "" {
			return nil
		}
		return []*Case{{Name: s.Name, Outcome: Errored, OfSuite: true, Failures: []Failure{f}}}
	}
	return nil
}

func nunitFailure(n *node, label string) Failure {
	message := n.child("message").content()
	return Failure{
		Message: short(message), Type: exception(message, label),
		Stack: joined(message, n.child("stack-trace").content()),
	}
}

// exception returns the type at the begin of a message such as "System.IO.IOException : no disk".
func exception(message, label string) string {
	name, _, found := strings.Cut(message, " : ")
	if found && !strings.ContainsAny(name, " \n") {
		return name
	}
	return label
}

func nunitCase(n *node) *Case {
	c := &Case{Name: n.attr("name"), Class: n.attr("classname"), Duration: n.seconds("duration", "time"),
		Output: n.child("output").content(), Properties: properties(n.child("properties"))}
	if c.Class == "" && n.attr("methodname") == "" { // NUnit 2: the name has the class before the method
		head, arguments, _ := strings.Cut(c.Name, "(")
		if dot := strings.LastIndexByte(head, '.'); dot > 0 {
			c.Class, c.Name = head[:dot], strings.TrimSuffix(head[dot+1:]+"("+arguments, "(")
		}
	}
	label := n.attr("label")
	switch nunitResult(n) {
	case "Failed", "Failure", "Error":
		c.Outcome = Failed
		if label != "" || n.attr("result") == "Error" {
			c.Outcome = Errored
		}
		c.Failures = []Failure{nunitFailure(n.child("failure"), label)}
	case "Skipped", "Inconclusive", "Ignored", "NotRunnable":
		c.Outcome, c.Reason = Skipped, short(n.child("reason").child("message").content())
	}
	for _, a := range n.child("attachments").all("attachment") {
		c.Attachments = append(c.Attachments, Attachment{Name: a.child("description").content(),
			Path: a.child("filePath").content()})
	}
	c.Attachments = append(c.Attachments, attachedIn(c.Output)...)
	return c
}

// nunitResult returns the result of a test. Versions before 2.5 say whether it was executed, and with success.
func nunitResult(n *node) string {
	switch {
	case n.attr("result") != "":
		return n.attr("result")
	case strings.EqualFold(n.attr("executed"), "false"):
		return "Ignored"
	case strings.EqualFold(n.attr("success"), "false"):
		return "Failure"
	}
	return "Success"
}

// xunit is the form of xUnit.net.
var xunit = dialect{
	format: XUnit,
	around: []string{"assemblies"},
	suite:  []string{"assembly", "collection", "class"},
	test:   "test",
	begin: func(n *node) *Suite {
		return &Suite{Name: n.attr("name"), Duration: n.seconds("time"),
			Started: strings.TrimSpace(n.attr("run-date") + " " + n.attr("run-time"))}
	},
	tests: func(_ *Suite, n *node) []*Case { return []*Case{xunitCase(n)} },
	detail: func(_ *reader, s *Suite, n *node) []*Case {
		var cases []*Case
		for _, e := range n.all("error") {
			name := cmp.Or(e.attr("name"), e.attr("type"), s.Name)
			cases = append(cases, &Case{Name: name, Outcome: Errored, OfSuite: true,
				Failures: []Failure{xunitFailure(e.child("failure"))}})
		}
		return cases
	},
	stated: func(n *node) *Totals {
		if n.attr("total") == "" {
			return nil
		}
		return &Totals{Tests: n.number("total"), Failures: n.number("failed"), Errors: n.number("errors"),
			Skipped: n.number("skipped") + n.number("not-run")}
	},
}

func xunitFailure(n *node) Failure {
	message := n.child("message").content()
	return Failure{Message: short(message), Type: n.attr("exception-type"),
		Stack: joined(message, n.child("stack-trace").content())}
}

func xunitCase(n *node) *Case {
	c := &Case{Name: n.attr("name"), Class: n.attr("type"), Duration: n.seconds("time"),
		File: n.attr("source-file"), Line: n.number("source-line"), Output: n.child("output").content()}
	c.Name = strings.TrimPrefix(c.Name, c.Class+".")
	for _, t := range n.child("traits").all("trait") {
		c.Properties = append(c.Properties, Property{t.attr("name"), t.attr("value")})
	}
	switch n.attr("result") {
	case "Fail":
		f := xunitFailure(n.child("failure"))
		c.Outcome, c.Failures = Failed, []Failure{f}
		if f.Type != "" && !strings.HasPrefix(f.Type, "Xunit.") {
			c.Outcome = Errored
		}
	case "Skip", "NotRun":
		c.Outcome, c.Reason = Skipped, short(n.child("reason").content())
	}
	c.Attachments = attachedIn(c.Output)
	return c
}

// trx is the form of MSTest and of dotnet test --logger trx.
var trx = dialect{
	format: TRX,
	around: []string{"TestRun", "Results", "TestDefinitions"},
	test:   "UnitTestResult",
	tests:  func(_ *Suite, n *node) []*Case { return []*Case{trxCase(n)} },
	detail: func(x *reader, _ *Suite, n *node) []*Case {
		switch n.name {
		case "UnitTest": // a definition, after the results
			method := n.child("TestMethod")
			if c := x.byID[n.attr("id")]; c != nil {
				c.Class = strings.TrimSpace(strings.Split(method.attr("className")+",", ",")[0])
				c.Name = strings.TrimPrefix(c.Name, c.Class+".")
			}
		case "ResultSummary":
			counters := n.child("Counters")
			x.run.Stated = &Totals{Tests: counters.number("total"),
				Failures: counters.number("failed"), Errors: counters.number("error") + counters.number("timeout"),
				Skipped: max(counters.number("notExecuted"), counters.number("total")-counters.number("executed"))}
		}
		return nil
	},
	stated: func(*node) *Totals { return nil },
}

func trxCase(n *node) *Case {
	out := n.child("Output")
	c := &Case{Name: n.attr("testName"), Duration: clock(n.attr("duration")),
		Output: joined(out.child("StdOut").content(), out.child("StdErr").content())}
	info := out.child("ErrorInfo")
	message := info.child("Message").content()
	switch n.attr("outcome") {
	case "Failed":
		c.Outcome = Failed
	case "Error", "Timeout", "Aborted", "Disconnected":
		c.Outcome = Errored
	case "NotExecuted", "Inconclusive", "NotRunnable", "Pending":
		c.Outcome, c.Reason = Skipped, short(message)
	}
	if c.Outcome.Broken() {
		c.Failures = []Failure{{Message: short(message), Type: exception(message, ""),
			Stack: joined(message, info.child("StackTrace").content())}}
	}
	for _, f := range n.child("ResultFiles").all("ResultFile") {
		c.Attachments = append(c.Attachments, Attachment{Path: strings.ReplaceAll(f.attr("path"), `\`, "/")})
	}
	return c
}

// clock returns a duration such as 00:01:02.5000000, and 0 for a text that is none.
func clock(s string) time.Duration {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return 0
	}
	total := 0.0
	for _, part := range parts {
		value, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0
		}
		total = total*60 + value
	}
	return duration(total, time.Second, nil)
}
