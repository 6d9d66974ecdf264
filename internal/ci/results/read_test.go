package results_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

func read(text string) *results.Run { return results.Read("r", strings.NewReader(text)) }

// TestBroken: a file that cannot be read to its end gives what stands before, and a fault with its place.
func TestBroken(t *testing.T) {
	const begin = "<testsuite>\n<testcase name='a'/>\n<testcase name='b'><failure message='x'/></testcase>\n"
	for _, c := range []struct {
		name, text, fault string
		tests             int
	}{
		{"empty", "", "r: the file is empty", 0},
		{"of another kind", "hello\n", "r: the file is in no format of test results that is known", 0},
		{"another XML", "<html>\n</html>", "r:1: <html> begins no test results that are known", 0},
		{"another JSON", `{"name":"bugslice"}`, "r: the file is in no format of test results that is known", 0},
		{"truncated", begin, "r:4: the document ends within <testsuite>", 2},
		{"truncated in a test", begin + "<testcase name='c'>\n<system-out>x",
			"r:5: the document ends within <system-out>", 2},
		{"truncated in a test that failed", begin + "<testcase name='c'><failure message='y'/>\n<system-out>x",
			"r:5: the document ends within <system-out>", 3},
		{"broken", begin + "<testcase name='c'></testsuite>", "r:4: </testsuite> ends <testcase>", 2},
		{"entities", "<!DOCTYPE testsuite [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n" +
			"<testsuite><testcase name='&x;'/></testsuite>",
			"r:1: the document declares entities or elements of its own, which are not read", 0},
		{"an encoding", "<?xml version='1.0' encoding='EBCDIC'?><testsuite/>",
			"r:1: the encoding EBCDIC is not read; UTF-8 is", 0},
		{"a truncated CTRF", `{"results":{"tests":[{"name":"a","status":"passed"},` + "\n" + `{"name":"b","sta`,
			"r:2: the document ends too early", 1},
		{"CTRF with a wrong member",
			`{"results":{"tests":[{"name":1,"status":"passed"},{"name":"b","status":"passed"}]}}`,
			"r:1: a test is not as CTRF says", 1},
		{"no list", `{"results":{"tests":{}}}`, "r:1: the document is not CTRF: there is no [ at byte 21", 0},
		{"broken events", `{"Action":"pass","Package":"p","Test":"T"}` + "\n" + `{"Action":"pass","Pack` + "\n" +
			`{"Action":"pass","Package":"p","Test":"U"}`, "r:2: the line is no event of go test -json", 2},
		{"a plan", "1..3\nok 1\nok 2\n", "r:4: 3 tests were planned, and 2 have a result", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := read(c.text)
			assert.Equal(t, "the tests", run.Totals().Tests, c.tests)
			if len(run.Faults) != 1 || !strings.HasPrefix(run.Faults[0].String(), c.fault) {
				t.Errorf("the faults are %v, not %s", run.Faults, c.fault)
			}
		})
	}
}

// TestFiles: what is no file is refused, and a reader that fails gives a fault.
func TestFiles(t *testing.T) {
	if _, err := results.ReadFile(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
	if _, err := results.ReadFile(filepath.Join(t.TempDir(), "none.xml")); !os.IsNotExist(err) {
		t.Errorf("the error of a missing file is %v", err)
	}
	run := results.Read("r", iotest.ErrReader(io.ErrClosedPipe))
	assert.Equal(t, "the faults", run.Faults, []results.Fault{{File: "r", Reason: io.ErrClosedPipe.Error()}})
}

// TestStreams: a file is read alike in whatever pieces it comes.
func TestStreams(t *testing.T) {
	files, err := filepath.Glob(runners + "/*/*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		whole := results.Read("r", bytes.NewReader(data))
		pieces := results.Read("r", iotest.HalfReader(bytes.NewReader(data)))
		assert.Equal(t, file, pieces.Totals(), whole.Totals())
	}
}

// TestSeveralFailures: a test keeps each of its failures, and a failed assertion says more than an error.
func TestSeveralFailures(t *testing.T) {
	run := read(`<testsuite name="s"><testcase name="a"><error message="e"/><failure message="f"/><failure>g
at x</failure></testcase></testsuite>`)
	c := cases(run)[0]
	assert.Equal(t, "the outcome", c.Outcome, results.Failed)
	assert.Equal(t, "the failures", c.Failures, []results.Failure{
		{Message: "e"}, {Message: "f"}, {Message: "g", Stack: "g\nat x"},
	})
}

// TestTwice: the same test twice in a suite is a retry when one of both failed, and otherwise another test.
func TestTwice(t *testing.T) {
	const pass, fail, skip = `<testcase name="a"/>`, `<testcase name="a"><failure message="f"/></testcase>`,
		`<testcase name="a"><skipped/></testcase>`
	for _, c := range []struct {
		first, second string
		outcome       results.Outcome
		cases         int
	}{
		{fail, pass, results.Flaky, 1}, {pass, fail, results.Failed, 1}, {fail, fail, results.Failed, 1},
		{fail, skip, results.Failed, 1}, {skip, fail, results.Failed, 1}, {pass, pass, results.Passed, 2},
		{fail + pass, fail, results.Failed, 1}, {fail + fail, pass, results.Flaky, 1},
		// of a table whose tests have one name:
		{fail + pass, pass, results.Failed, 1}, {fail + pass + pass, pass, results.Failed, 1},
		{pass + fail, pass, results.Failed, 1}, {fail + pass + fail, pass, results.Failed, 1},
	} {
		run := read("<testsuite>" + c.first + c.second + "</testsuite>")
		found := cases(run)
		if len(found) != c.cases || found[0].Outcome != c.outcome {
			t.Errorf("%s%s is %d tests, the first %s", c.first, c.second, len(found), found[0].Outcome)
		}
	}
	run := read("<testsuites><testsuite name='x'>" + fail + "</testsuite><testsuite name='y'>" + pass +
		"</testsuite></testsuites>")
	assert.Equal(t, "in two suites", run.Totals(), results.Totals{Tests: 2, Failures: 1})
}

// TestNested: a suite knows those around it, and the totals of the file are those of its root or its outer suites.
func TestNested(t *testing.T) {
	const inner = `<testsuite name="outer" tests="2" failures="1"><testsuite name="inner" tests="1">
		<testcase name="a"/></testsuite>
		<testcase name="b"><failure/></testcase></testsuite>`
	run := read(inner)
	assert.Equal(t, "the suites around", run.Suites[1].Parents, []string{"outer"})
	assert.Equal(t, "the totals of the outer suite", *run.Stated, results.Totals{Tests: 2, Failures: 1})
	assert.Equal(t, "the test of the outer suite", run.Suites[0].Cases[0].Name, "b")
	run = read(`<testsuites tests="7" errors="3">` + inner + `</testsuites>`)
	assert.Equal(t, "the totals of the root", *run.Stated, results.Totals{Tests: 7, Errors: 3})
}

// TestLongOutput: of a long output the begin and the end are kept, for tests that did not pass.
func TestLongOutput(t *testing.T) {
	long := "first " + strings.Repeat("ü", 3<<20) + " last"
	run := read("<testsuite><testcase name='a'><failure message='" + long + "'>" + long +
		"</failure><system-out>" + long +
		"</system-out></testcase><testcase name='b'><system-out>" + long + "</system-out></testcase></testsuite>")
	found := cases(run)
	for what, text := range map[string]string{"the output": found[0].Output, "the stack": found[0].Failures[0].Stack} {
		if len(text) > 300<<10 || !strings.HasPrefix(text, "first ") || !strings.HasSuffix(text, "ü last") {
			t.Errorf("%s has %d bytes, from %.20q to %q", what, len(text), text, text[len(text)-20:])
		}
		assert.Contains(t, what, text, " bytes left out …")
	}
	if message := found[0].Failures[0].Message; len(message) > 9<<10 || !strings.HasPrefix(message, "first ") {
		t.Errorf("the message has %d bytes", len(message))
	}
	assert.Equal(t, "the output of a test that passed", found[1].Output, "")
}

// TestBudget: a file with more text than is kept has all its failures and their messages.
func TestBudget(t *testing.T) {
	parts := []io.Reader{strings.NewReader("<testsuite>")}
	const tests = 400
	for i := range tests {
		parts = append(parts, strings.NewReader(fmt.Sprintf("<testcase name='%d'><failure message='m'>", i)),
			io.LimitReader(filler{}, 200<<10), strings.NewReader("</failure></testcase>"))
	}
	run := results.Read("r", io.MultiReader(append(parts, strings.NewReader("</testsuite>"))...))
	kept := 0
	for _, c := range cases(run) {
		kept += len(c.Failures[0].Stack)
		if c.Failures[0].Message != "m" {
			t.Fatalf("the message is %q", c.Failures[0].Message)
		}
	}
	assert.Equal(t, "the failures", run.Totals().Failures, tests)
	if kept > 65<<20 || kept < 60<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}

// TestHostile: what a test may write without end takes bounded memory.
func TestHostile(t *testing.T) {
	times, limit := 40, int64(24<<20)
	if os.Getenv("BUGSLICE_TEST_FULL") != "" {
		times, limit = 300, 80<<20
	}
	long := strings.Repeat("x", 512<<10)
	for name, file := range map[string][3]string{
		"elements of a test": {"<testsuite><testcase name='a'><failure/>",
			"<property value='" + long + "'>" + long + "</property>", ""},
		"outputs of a test": {"<testsuite><testcase name='a'>",
			"<error>" + long + "</error><system-out>" + long + "</system-out>", ""},
		"names of tests": {"<testsuite>", "<testcase classname='" + long + "' name='" + long + "'/>", "</testsuite>"},
		"blocks of TAP": {"1..2\n",
			"    not ok\n      ---\n      a: " + long + "\n      ...\n# " + long + "\n", "ok\n"},
		"tests that do not end": {"",
			`{"Action":"output","Package":"p","Test":"` + long[:1000] + "%d" + `","Output":"` +
				long + `"}` + "\n",
			`{"Action":"fail","Package":"p"}`},
	} {
		readers := []io.Reader{strings.NewReader(file[0])}
		for i := range times {
			readers = append(readers, strings.NewReader(strings.Replace(file[1], "%d", fmt.Sprint(i), 1)))
		}
		before, within := heap(), int64(0)
		readers = append(readers, readerFunc(func([]byte) (int, error) {
			within = heap()
			return 0, io.EOF
		}), strings.NewReader(file[2]))
		run := results.Read("r", io.MultiReader(readers...))
		if kept := within - before; kept > limit || within == 0 {
			t.Errorf("%s: %d MB are kept", name, kept>>20)
		}
		if run.Totals().Tests == 0 {
			t.Errorf("%s: no test is read", name)
		}
		runtime.KeepAlive(run)
	}
}

// heap is the number of bytes that are in use.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// filler is an endless text.
type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "line of a log 42\n"[i%17]
	}
	return len(p), nil
}

// TestHuge: a file is read in bounded memory: one whose log is long, and one with 100,000 tests.
func TestHuge(t *testing.T) {
	length := int64(20 << 20)
	if os.Getenv("BUGSLICE_TEST_FULL") != "" {
		length *= 10
	}
	log := func() io.Reader {
		return io.MultiReader(
			strings.NewReader("<testsuite><testcase name='a'><failure message='m'/><system-out><![CDATA["),
			io.LimitReader(filler{}, length), strings.NewReader("]]></system-out></testcase></testsuite>"))
	}
	many := func() io.Reader {
		var b strings.Builder
		b.WriteString("<testsuites>")
		for suite := range 1000 {
			fmt.Fprintf(&b, "<testsuite name='suite %d' tests='100'>", suite)
			for i := range 100 {
				fmt.Fprintf(&b, "<testcase name='test %d' classname='com.example.Suite%d' time='0.01'>", i, suite)
				if i == 0 {
					fmt.Fprintf(&b, "<failure message='order %d is missing'>at Orders:12</failure>", suite)
				}
				b.WriteString("<system-out>opened the basket</system-out></testcase>\n")
			}
			b.WriteString("</testsuite>")
		}
		b.WriteString("</testsuites>")
		return strings.NewReader(b.String())
	}
	for name, c := range map[string]struct {
		file   io.Reader
		want   results.Totals
		memory int64
	}{
		"a long log":    {log(), results.Totals{Tests: 1, Failures: 1}, 16 << 20},
		"100,000 tests": {many(), results.Totals{Tests: 100_000, Failures: 1000}, 100 << 20},
	} {
		before, began := heap(), time.Now()
		run := results.Read("r", c.file)
		took := time.Since(began)
		kept := heap() - before
		assert.Equal(t, name, run.Totals(), c.want)
		t.Logf("%s: %s, %d kB kept", name, took.Round(time.Millisecond), kept>>10)
		if kept > c.memory {
			t.Errorf("%s keeps %d MB", name, kept>>20)
		}
		runtime.KeepAlive(run)
	}
}

// FuzzRead: no file panics, whatever its format is, and what is read holds together.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(runners + "/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil { // the fuzzer is slow with long texts
			f.Add(data[:min(len(data), 1500)])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		formats := []results.Format{results.Unknown, results.JUnit, results.GoTest, results.CTRF, results.TAP}
		for _, format := range formats {
			run := results.ReadAs(format, "r", bytes.NewReader(data))
			if format == results.Unknown {
				run = results.Read("r", bytes.NewReader(data))
			}
			total := run.Totals()
			if total.Tests < total.Failures+total.Errors+total.Skipped+total.Flaky || len(run.Faults) > 100 {
				t.Errorf("the totals are %+v, with %d faults", total, len(run.Faults))
			}
			for _, c := range cases(run) {
				if c.Outcome.Broken() && len(c.Failures) == 0 || c.Duration < 0 || c.Runs < 1 {
					t.Errorf("a test is %+v", c)
				}
			}
		}
	})
}
