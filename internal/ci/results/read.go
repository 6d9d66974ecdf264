package results

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
)

const maxFile = 2 << 30

// dialects has the form of each root element.
var dialects = map[string]*dialect{
	"testsuites": &junit, "testsuite": &junit,
	"test-run": &nunit, "test-results": &nunit, "test-suite": &nunit,
	"assemblies": &xunit, "assembly": &xunit,
	"TestRun": &trx,
}

// ReadFile reads a file of results. The only error is that of opening it; everything else is a fault of the run.
func ReadFile(path string) (*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is no file", path))
	}
	return Read(path, f), nil
}

// Read reads the results of a file with a name, in the format that its first lines show.
func Read(name string, r io.Reader) *Run {
	in := bufio.NewReaderSize(io.LimitReader(r, maxFile), 64<<10)
	head, err := in.Peek(64 << 10)
	if err != nil && err != io.EOF {
		return &Run{File: name, Faults: []Fault{{name, 0, err.Error()}}}
	}
	return ReadAs(formatOf(head), name, in)
}

// ReadAs reads the results of a file whose format is known.
func ReadAs(format Format, name string, r io.Reader) *Run {
	rd := &reading{run: &Run{File: name, Format: format}}
	switch format {
	case GoTest:
		readGo(rd, r)
	case CTRF:
		readCTRF(rd, r)
	case TAP:
		readTAP(rd, r)
	case JUnit, NUnit, XUnit, TRX, anyXML:
		readXML(rd, r, dialects)
	case Unknown:
		if _, err := io.ReadFull(r, make([]byte, 1)); err == io.EOF {
			rd.fault(0, "the file is empty")
			break
		}
		rd.fault(0, "the file is in no format of test results that is known")
	}
	for _, s := range rd.run.Suites {
		markParents(s)
		for _, c := range s.Cases {
			explained(c)
		}
		if len(s.Cases) == 1 && s.Cases[0].Outcome.Broken() && s.Cases[0].Output == "" {
			s.Cases[0].Output = s.Output // of Bazel, whose suites have one test
		}
		s.byKey = nil
	}
	return rd.run
}

var (
	firstXML = regexp.MustCompile(`(?m)^\s*(<\?xml|<[A-Za-z!])|^(\xFF\xFE|\xFE\xFF|\xEF\xBB\xBF<|\x00<|<\x00)`)
	firstGo  = regexp.MustCompile(`(?m)^\{[^\n]*"Action":\s*"[a-z-]+"`)
	firstTAP = regexp.MustCompile(`(?m)^(TAP version \d+|1\.\.\d+|(not )?ok\b)`)
	nameCTRF = regexp.MustCompile(`"(results|reportFormat)"\s*:`)
)

// formatOf returns the format that begins first in a file: runners and shells print other lines before it.
func formatOf(head []byte) Format {
	format, first := Unknown, len(head)
	for f, pattern := range map[Format]*regexp.Regexp{anyXML: firstXML, GoTest: firstGo, TAP: firstTAP} {
		if at := pattern.FindIndex(head); at != nil && (at[0] < first || first == len(head)) {
			format, first = f, at[0]
		}
	}
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if format != GoTest && bytes.HasPrefix(trimmed, []byte("{")) && nameCTRF.Match(head) {
		return CTRF
	}
	return format
}

// markParents marks the tests of Go that have subtests, which fail because of them.
func markParents(s *Suite) {
	for _, c := range s.Cases {
		for i := len(c.Name) - 1; i > 0; i-- {
			if c.Name[i] != '/' {
				continue
			}
			if parent := s.byKey[key{class: c.Class, name: c.Name[:i]}]; parent != nil {
				parent.Parent = true
			}
		}
	}
}

// explained gives each failure a message, but for those of a test of Go that has failed because of its subtests.
func explained(c *Case) {
	for i := range c.Failures {
		f := &c.Failures[i]
		if f.Message == "" && !c.Parent {
			f.Message = cmp.Or(firstLines(f.Stack), short(f.Type), "the test failed without a message")
		}
	}
}
