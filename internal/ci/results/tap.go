package results

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxPending = 100_000   // results within a test that has not come
	maxBlock   = 256 << 10 // bytes of a block of YAML
)

var (
	tapResultLine = regexp.MustCompile(`^(not )?ok\b(?:\s+(\d+))?\s*(?:-\s+)?(.*)$`)
	tapPlan       = regexp.MustCompile(`^1\.\.(\d+)(?:\s*#\s*(.*))?$`)
	tapDirective  = regexp.MustCompile(`(?i)(?:^|\s)#\s*(skip|todo)\b:?\S*\s*(.*)$`)
	tapTime       = regexp.MustCompile(`\s*# time=([0-9.]+)(ms|s)\s*$`)
	tapSummary    = regexp.MustCompile(`^# (tests|pass|fail|cancelled|skipped|skip|todo|suites|duration_ms)\s+[0-9.]+$`)
	tapPlace      = regexp.MustCompile(`(?:in test file |\bat )(\S+?),? line (\d+)`)
	tapLocation   = regexp.MustCompile(`([^\s()]+?):(\d+)(?::\d+)?\)?$`)
)

// tapResult is a line of a result with what follows it.
type tapResult struct {
	c              *Case
	depth          int
	ok             bool
	parents        []string
	comments       text
	members        map[string]string
	parent         bool // it stands for the results within it
	brokenChildren bool
}

// tapReader is a TAP stream while it is read.
type tapReader struct {
	*reading
	suite   *Suite
	last    *tapResult
	pending []*tapResult
	braces  []*tapResult // parents that came before the results within them
	block   []string     // of YAML
	indent  int          // of the block, or -1 outside of one
	size    int          // bytes of the block
	kept    int          // bytes of the blocks and comments of pending results
	output  text
	planned int
	seen    int
	full    bool
}

func readTAP(rd *reading, r io.Reader) {
	t := &tapReader{reading: rd, indent: -1, planned: -1,
		suite: rd.suite(&Suite{Name: filepath.Base(rd.run.File)})}
	end := 1 // the line after the last one
	for number, line := range rd.linesOf(r) {
		end = number + 1
		if t.line(strings.ToValidUTF8(string(line), "\ufffd")); t.full {
			break
		}
	}
	t.flush()
	t.suite.Output = clean(t.output.String())
	if t.planned > t.seen {
		rd.fault(end, fmt.Sprintf("%d tests were planned, and %d have a result", t.planned, t.seen))
		t.broken(fmt.Sprintf("%d tests were planned, and %d ran", t.planned, t.seen))
	}
	if t.planned >= 0 {
		rd.run.Stated = &Totals{Tests: t.planned}
	}
}

// broken adds the failure of the whole stream.
func (t *tapReader) broken(message string) {
	output := clean(t.output.String())
	t.add(t.suite, &Case{Name: t.suite.Name, Outcome: Errored, OfSuite: true, Output: output,
		Failures: []Failure{{Message: message, Stack: output}}})
}

func (t *tapReader) line(line string) {
	content := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if t.indent >= 0 {
		t.inBlock(line, content)
		return
	}
	if m := tapResultLine.FindStringSubmatch(content); m != nil {
		t.result(indent/4, m[1] == "", m[3])
		return
	}
	switch m := tapPlan.FindStringSubmatch(content); {
	case m != nil:
		if indent == 0 {
			t.plan(m[1], m[2])
		}
	case content == "---" && t.last != nil:
		t.indent, t.block, t.size = indent, nil, 0
	case content == "}" && len(t.braces) > 0:
		t.braces = t.braces[:len(t.braces)-1]
	case strings.HasPrefix(content, "Bail out!"):
		t.output.write([]byte(line + "\n"))
		t.broken(content)
	case strings.HasPrefix(content, "# Subtest: "), strings.HasPrefix(content, "TAP version "),
		tapSummary.MatchString(content):
	case strings.HasPrefix(content, "#") && t.last != nil && !t.last.ok:
		t.kept -= t.last.comments.size()
		t.last.comments.write([]byte(strings.TrimPrefix(strings.TrimPrefix(content, "#"), " ") + "\n"))
		t.kept += t.last.comments.size()
	default:
		t.output.write([]byte(line + "\n"))
	}
}

// plan takes the number of tests. A plan of none has the reason why the whole stream is skipped.
func (t *tapReader) plan(number, reason string) {
	t.planned, _ = strconv.Atoi(number) //nolint:errcheck // a number too large is no plan
	if t.planned == 0 && reason != "" {
		if word, rest, _ := strings.Cut(reason, " "); strings.HasPrefix(strings.ToLower(word), "skip") {
			reason = rest
		}
		t.add(t.suite, &Case{Name: t.suite.Name, Outcome: Skipped, Reason: short(reason), OfSuite: true})
	}
}

// inBlock takes a line of a block of YAML.
func (t *tapReader) inBlock(line, content string) {
	if content == "..." && !strings.HasPrefix(line, strings.Repeat(" ", t.indent+1)) {
		t.indent = -1
		t.last.members = yamlish(outdented(t.block))
		return
	}
	if t.size += len(line) + 1; t.size <= maxBlock {
		t.block = append(t.block, line)
		t.kept += len(line)
	}
}

// result begins a result.
func (t *tapReader) result(depth int, ok bool, description string) {
	whole := len(t.braces) == 0 && t.last != nil && t.last.depth == 0
	if whole || len(t.pending) > maxPending || t.kept > maxTexts {
		t.flush()
	}
	r := &tapResult{c: &Case{}, depth: depth, ok: ok}
	description, opens := strings.CutSuffix(description, " {")
	if m := tapTime.FindStringSubmatch(description); m != nil {
		value, err := strconv.ParseFloat(m[1], 64)
		r.c.Duration = duration(value, map[string]time.Duration{"ms": time.Millisecond, "s": time.Second}[m[2]], err)
		description = strings.TrimSuffix(description, m[0])
	}
	if m := tapDirective.FindStringSubmatchIndex(description); m != nil {
		if todo := strings.EqualFold(description[m[2]:m[3]], "todo"); !todo || !ok { // a thing to do that is done has passed
			r.c.Outcome, r.c.Reason = Skipped, short(strings.Trim(description[m[4]:m[5]], " -"))
		}
		description = description[:m[0]]
	}
	r.c.Name = strings.TrimSpace(strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(description))
	if depth == 0 {
		t.seen++
	}
	for _, parent := range t.braces {
		r.parents = append(r.parents, parent.c.Name)
		parent.parent = true
		parent.brokenChildren = parent.brokenChildren || !ok && r.c.Outcome != Skipped
	}
	if len(t.braces) == 0 {
		t.adopt(r)
	}
	t.pending, t.last = append(t.pending, r), r
	if opens {
		r.parent = true
		t.braces = append(t.braces, r)
	}
}

// adopt makes the results that are deeper, and have come since the last result of a depth, those within a result.
func (t *tapReader) adopt(r *tapResult) {
	for i := len(t.pending) - 1; i >= 0 && t.pending[i].depth > r.depth; i-- {
		child := t.pending[i]
		child.parents = append([]string{r.c.Name}, child.parents...)
		r.parent = true
		r.brokenChildren = r.brokenChildren || !child.ok && child.c.Outcome != Skipped
	}
}

// flush adds the results that are complete.
func (t *tapReader) flush() {
	for i, r := range t.pending {
		if t.full {
			break
		}
		ownFailure := !r.ok && (!r.brokenChildren || r.members["failureType"] == "hookFailed")
		if r.parent && (!ownFailure || r.c.Outcome == Skipped) {
			continue
		}
		t.complete(r, i)
		t.full = !t.add(t.suite, r.c)
	}
	t.pending, t.kept = t.pending[:0], 0
}

// complete sets what follows from the lines after a result.
func (t *tapReader) complete(r *tapResult, position int) {
	c := r.c
	c.Class = strings.Join(r.parents, " > ")
	if c.Name == "" {
		c.Name = fmt.Sprintf("test %d", t.seen+position)
	}
	value, err := strconv.ParseFloat(cmp.Or(r.members["duration_ms"], "0"), 64)
	c.Duration = max(c.Duration, duration(value, time.Millisecond, err))
	if m := tapLocation.FindStringSubmatch(cmp.Or(r.members["location"], r.members["at"])); m != nil {
		c.File = m[1]
		c.Line, _ = strconv.Atoi(m[2]) //nolint:errcheck // a number too large is none
	}
	if r.ok || c.Outcome == Skipped {
		return
	}
	c.Outcome, c.OfSuite = Failed, r.parent
	if r.parent {
		c.Outcome = Errored
	}
	if r.members["failureType"] == "cancelledByParent" {
		c.Outcome, c.Reason = Skipped, short(r.members["error"])
		return
	}
	comments := clean(r.comments.String())
	message := cmp.Or(r.members["message"], r.members["error"], r.members["operator"])
	stack := joined(cmp.Or(message, c.Name), clean(r.members["stack"]))
	if message == "" {
		message, stack = cmp.Or(comments, c.Name), comments
	}
	if r.members["operator"] != "" && r.members["actual"] != "" {
		message = fmt.Sprintf("%s\nactual: %s\nexpected: %s", message, r.members["actual"], r.members["expected"])
	}
	if m := tapPlace.FindStringSubmatch(comments); m != nil && c.File == "" {
		c.File = m[1]
		c.Line, _ = strconv.Atoi(m[2]) //nolint:errcheck // a number too large is none
	}
	c.Failures = []Failure{{Message: short(message), Type: r.members["name"], Stack: stack}}
}
