package results

import (
	"errors"
	"fmt"

	"bugslice/internal/ci/xmlscan"
)

const maxCases = 1_000_000 // of a file

// reading is a file while it is read.
type reading struct {
	run    *Run
	budget budget
	cases  int
}

func (rd *reading) fault(line int, reason string) {
	const most = 100
	if len(rd.run.Faults) < most {
		rd.run.Faults = append(rd.run.Faults, Fault{rd.run.File, line, reason})
	}
}

// failed records the error that ended the reading.
func (rd *reading) failed(line int, err error) {
	if broken, ok := errors.AsType[*xmlscan.Error](err); ok {
		rd.fault(broken.Line, broken.Reason)
		return
	}
	rd.fault(line, err.Error())
}

// suite begins a suite.
func (rd *reading) suite(s *Suite) *Suite {
	rd.run.Suites = append(rd.run.Suites, s)
	return s
}

// add adds a test to a suite. It returns false when the file has more tests than are read.
func (rd *reading) add(s *Suite, c *Case) bool {
	if rd.cases >= maxCases {
		rd.fault(0, fmt.Sprintf("only the first %d tests are read", maxCases))
		return false
	}
	rd.cases++
	trim(c)
	lighten(c, &rd.budget)
	s.add(c)
	return true
}
