package results

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/internal/ci/xmlscan"
)

// The parts of a test that are kept.
const (
	maxNodes = 10_000  // elements
	maxTest  = 8 << 20 // bytes of texts and attributes
)

// node is an element with all that it contains.
type node struct {
	name     string
	attrs    []xmlscan.Attr
	text     text
	children []*node
	line     int
}

func newNode(t xmlscan.Token) *node {
	return &node{name: t.Name, attrs: slices.Clone(t.Attrs), line: t.Line}
}

// size is the number of bytes of its attributes.
func (n *node) size() int {
	total := 0
	for _, a := range n.attrs {
		total += len(a.Name) + len(a.Value)
	}
	return total
}

// attr returns the first of some attributes that has a value.
func (n *node) attr(names ...string) string {
	for _, name := range names {
		for _, a := range n.attrs {
			if a.Name == name && a.Value != "" {
				return a.Value
			}
		}
	}
	return ""
}

// child returns the first child of a name, or an empty element.
func (n *node) child(name string) *node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return &node{}
}

// all returns the children of a name.
func (n *node) all(name string) []*node {
	var found []*node
	for _, c := range n.children {
		if c.name == name {
			found = append(found, c)
		}
	}
	return found
}

// content returns the text of an element.
func (n *node) content() string { return clean(n.text.String()) }

// number returns the first of some attributes as a number. One that is missing or is no number counts as 0.
func (n *node) number(names ...string) int {
	value, _ := strconv.Atoi(strings.TrimSpace(n.attr(names...))) //nolint:errcheck // see above
	return max(value, 0)
}

// seconds returns the first of some attributes as a duration. 1,234.5 are as many seconds.
func (n *node) seconds(names ...string) time.Duration {
	value, err := strconv.ParseFloat(strings.ReplaceAll(n.attr(names...), ",", ""), 64)
	return duration(value, time.Second, err)
}

// dialect says how a form of XML tells of tests.
type dialect struct {
	format Format
	around []string // elements that only contain others
	suite  []string
	test   string
	begin  func(*node) *Suite
	// tests returns what an element says of a test, in most forms one.
	tests func(*Suite, *node) []*Case
	// detail takes every other element of a suite. It returns tests that stand for failures of the suite itself.
	detail func(*reader, *Suite, *node) []*Case
	stated func(*node) *Totals // of the root or of a suite
}

// reader is an XML file while it is read.
type reader struct {
	*reading
	in      *xmlscan.Scanner
	known   map[string]*dialect // by the name of the root element
	dialect *dialect
	open    []*Suite // a nil stands for an element around suites
	implied *Suite   // of tests that are in no suite
	byID    map[string]*Case
}

func readXML(rd *reading, r io.Reader, known map[string]*dialect) {
	in, err := xmlscan.New(r)
	if err != nil {
		rd.failed(1, err)
		return
	}
	x := &reader{reading: rd, in: in, known: known, byID: map[string]*Case{}}
	if err := x.read(); !errors.Is(err, io.EOF) {
		x.failed(0, err)
	}
	if rd.run.Stated == nil {
		rd.run.Stated = sum(rd.run.Suites)
	}
}

// sum returns the totals of the suites that are in no other one.
func sum(suites []*Suite) *Totals {
	var total *Totals
	for _, s := range suites {
		if len(s.Parents) > 0 || s.Stated == nil {
			continue
		}
		if total == nil {
			total = &Totals{}
		}
		total.add(*s.Stated)
	}
	return total
}

// read returns the error that ends the reading, io.EOF after a whole document.
func (x *reader) read() error {
	for {
		t, err := x.in.Next()
		if err != nil {
			return err
		}
		switch t.Kind {
		case xmlscan.Start:
			if err := x.start(t); err != nil {
				return err
			}
		case xmlscan.End:
			x.open = x.open[:len(x.open)-1]
		case xmlscan.Text:
		}
	}
}

// start takes an element that is not within a test.
func (x *reader) start(t xmlscan.Token) error {
	if len(x.open) == 0 {
		if err := x.root(t); err != nil {
			return err
		}
	}
	d := x.dialect
	switch {
	case slices.Contains(d.suite, t.Name):
		n := newNode(t)
		s := d.begin(n)
		s.Stated = d.stated(n)
		s.Parents = x.parents()
		x.open = append(x.open, x.suite(s))
		return nil
	case slices.Contains(d.around, t.Name):
		if len(x.open) == 0 {
			n := newNode(t)
			x.run.Stated, x.run.Tool = d.stated(n), n.attr("name")
		}
		x.open = append(x.open, nil)
		return nil
	}
	n, err := x.whole(t)
	if err != nil {
		x.rest(n)
		return err
	}
	s := x.innermost()
	cases := []*Case(nil)
	if t.Name == d.test {
		cases = d.tests(s, n)
	} else {
		cases = d.detail(x, s, n)
	}
	for _, c := range cases {
		if !x.add(s, c) {
			return io.EOF
		}
		if id := n.attr("testId"); id != "" {
			x.byID[id] = c
		}
	}
	return nil
}

func (x *reader) root(t xmlscan.Token) error {
	d := x.known[t.Name]
	if d == nil {
		return &xmlscan.Error{Line: t.Line, Reason: fmt.Sprintf("<%s> begins no test results that are known", t.Name)}
	}
	x.dialect, x.run.Format, x.implied = d, d.format, nil
	return nil
}

// parents returns the names of the open suites.
func (x *reader) parents() []string {
	var names []string
	for _, s := range x.open {
		if s != nil {
			names = append(names, s.Name)
		}
	}
	return names
}

// innermost returns the suite to which an element belongs, and makes one where the file has none.
func (x *reader) innermost() *Suite {
	for _, s := range slices.Backward(x.open) {
		if s != nil {
			return s
		}
	}
	if x.implied == nil {
		x.implied = x.suite(&Suite{Name: x.run.Tool})
	}
	return x.implied
}

// rest adds the test in which a file breaks off when it had failed until then. Whether another one passed is unknown.
func (x *reader) rest(n *node) {
	if n.name != x.dialect.test {
		return
	}
	s := x.innermost()
	for _, c := range x.dialect.tests(s, n) {
		if c.Outcome.Broken() {
			x.add(s, c)
		}
	}
}

// whole reads an element to its end. With an error it returns the part before.
func (x *reader) whole(t xmlscan.Token) (*node, error) {
	root := newNode(t)
	open, nodes, kept := []*node{root}, 1, 0
	for len(open) > 0 {
		t, err := x.in.Next()
		if err != nil {
			return root, err
		}
		last := open[len(open)-1]
		switch t.Kind {
		case xmlscan.Start:
			n := newNode(t)
			if nodes++; nodes <= maxNodes && kept <= maxTest {
				last.children = append(last.children, n)
				kept += n.size()
			}
			open = append(open, n)
		case xmlscan.End:
			open = open[:len(open)-1]
		case xmlscan.Text:
			if kept <= maxTest {
				kept -= last.text.size()
				last.text.write(t.Text)
				kept += last.text.size()
			}
		}
	}
	return root, nil
}
