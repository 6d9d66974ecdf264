package results

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// The lengths of texts that are kept.
const (
	maxOutputHead = 32 << 10
	maxOutputTail = 224 << 10
	maxMessage    = 8 << 10
	maxTexts      = 64 << 20 // bytes of all texts of a file
	maxName       = 4 << 10  // bytes of a name, a path, or a value of a property
	maxList       = 100      // properties, attachments, failures, or failed runs of a test
)

// text keeps the begin and the end of a text that is written piece by piece.
type text struct {
	head, tail []byte
	left       int // bytes between head and tail that were left out
}

func (t *text) write(p []byte) {
	if free := maxOutputHead - len(t.head); free > 0 && t.tail == nil {
		n := min(free, len(p))
		t.head = append(t.head, p[:n]...)
		p = p[n:]
	}
	if len(p) == 0 {
		return
	}
	t.tail = append(t.tail, p...)
	if over := len(t.tail) - maxOutputTail; over > maxOutputTail {
		t.left += over
		t.tail = append(t.tail[:0], t.tail[over:]...)
	}
}

// size is the number of bytes that are kept.
func (t *text) size() int { return len(t.head) + len(t.tail) }

// String returns the text, and a note in place of the part that was left out.
func (t *text) String() string {
	if over := len(t.tail) - maxOutputTail; over > 0 {
		t.left += over
		t.tail = t.tail[over:]
	}
	if t.left == 0 {
		return string(t.head) + string(t.tail)
	}
	head, tail := strings.ToValidUTF8(string(t.head), ""), strings.ToValidUTF8(string(t.tail), "")
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", head, t.left, tail)
}

// escapes are the ways in which runners write the begin of a control sequence of a terminal into XML.
var escapes = strings.NewReplacer("␛[", "\x1b[", "#x1B[", "\x1b[", "&#27;[", "\x1b[", "\ufffd[", "\x1b[")

// clean returns a text without control sequences of a terminal and without empty lines around it.
func clean(s string) string {
	if strings.ContainsAny(s, "␛\x1b\ufffd") || strings.Contains(s, "#x1B[") || strings.Contains(s, "&#27;[") {
		s = ansi.Strip(escapes.Replace(s))
	}
	return strings.TrimRight(strings.TrimLeft(s, "\r\n"), " \t\r\n")
}

// short returns the begin of a message.
func short(s string) string {
	s = strings.TrimSpace(clean(s))
	if len(s) > maxMessage {
		return strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// budget bounds the texts that are kept of one file.
type budget struct{ used int }

// over reports whether a file has more text than is kept, after it has counted that of a test.
func (b *budget) over(c *Case) bool {
	b.used += len(c.Output)
	for _, f := range c.Failures {
		b.used += len(f.Stack)
	}
	for _, a := range c.Attempts {
		b.used += len(a.Output)
		for _, f := range a.Failures {
			b.used += len(f.Stack)
		}
	}
	return b.used > maxTexts
}

// trim shortens what nobody writes as long by intention.
func trim(c *Case) {
	for _, s := range []*string{&c.Name, &c.Class, &c.File, &c.Reason} {
		*s = cut(*s)
	}
	c.Properties = c.Properties[:min(len(c.Properties), maxList)]
	for i, p := range c.Properties {
		c.Properties[i] = Property{cut(p.Name), cut(p.Value)}
	}
	c.Attachments = c.Attachments[:min(len(c.Attachments), maxList)]
	c.Failures = c.Failures[:min(len(c.Failures), maxList)]
	if n := len(c.Attempts); n > maxList {
		c.Attempts = c.Attempts[n-maxList:]
	}
}

func cut(s string) string {
	if len(s) <= maxName {
		return s
	}
	return strings.Clone(strings.ToValidUTF8(s[:maxName], ""))
}

// lighten leaves out the texts of a test that nobody asks for: all of one that simply passed, and in a file that is
// over its budget the output and the stacks.
func lighten(c *Case, b *budget) {
	if c.Outcome == Passed || c.Outcome == Skipped {
		c.Output, c.Failures, c.Attempts = "", nil, nil
		return
	}
	if !b.over(c) {
		return
	}
	c.Output = ""
	c.Failures = withoutStacks(c.Failures)
	for i, a := range c.Attempts {
		c.Attempts[i] = Attempt{Failures: withoutStacks(a.Failures)}
	}
}

func withoutStacks(failures []Failure) []Failure {
	for i := range failures {
		failures[i].Stack = ""
	}
	return failures
}

// duration returns a number of units, and 0 for one that no test takes.
func duration(value float64, unit time.Duration, err error) time.Duration {
	const longest = 1000 * time.Hour
	if err != nil || !(value > 0) || value > float64(longest/unit) {
		return 0
	}
	return time.Duration(value * float64(unit))
}

// joined returns two texts, one after the other.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
