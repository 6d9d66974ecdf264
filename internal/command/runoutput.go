package command

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"bugslice/internal/command/output"
	"bugslice/internal/redact"
)

const (
	maxLines  = 2_000  // of the output of a command that are filed
	maxLine   = 4_000  // bytes of a line
	maxOutput = 60_000 // bytes of the output, which is a part of a description
)

// capturedOutput keeps the end of the output of a command. Secrets are removed before it is cut, so that a key whose
// first line is cut off is removed, too.
type capturedOutput struct {
	*io.PipeWriter
	redactor *redact.Redactor
	tail     lastLines
	failed   chan error
}

// captureOutput returns a writer for the output. Nobody else may use the redactor until it has ended.
func captureOutput(r *redact.Redactor) *capturedOutput {
	source, w := io.Pipe()
	c := &capturedOutput{PipeWriter: w, redactor: r, failed: make(chan error, 1)}
	go func() {
		_, err := io.Copy(&c.tail, r.Reader(source, redact.Counts{}))
		_, _ = io.Copy(io.Discard, source) // a command that prints more does not fail
		c.failed <- err
	}()
	return c
}

// end returns the end of the output. An error says that it has not been redacted.
func (c *capturedOutput) end() (text string, err error) {
	_ = c.Close()
	if err := <-c.failed; err != nil {
		return "", err
	}
	return c.redactor.Text(c.tail.String(), redact.Counts{}), nil
}

// lastLines keeps the last lines that are written to it.
type lastLines struct {
	mu    sync.Mutex
	lines [][]byte
	part  []byte // of a line without its end
}

func (l *lastLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range bytes.Lines(b) {
		l.part = append(l.part, line[:min(len(line), max(0, maxLine-len(l.part)))]...)
		if line[len(line)-1] != '\n' {
			continue
		}
		l.lines, l.part = append(l.lines, append(bytes.TrimRight(l.part, "\r\n"), '\n')), nil
		if len(l.lines) >= 2*maxLines {
			l.lines = append([][]byte{}, l.lines[len(l.lines)-maxLines:]...)
		}
	}
	return len(b), nil
}

// String returns the lines as valid text.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	if len(l.part) > 0 {
		lines = append(lines, append(bytes.Clone(l.part), '\n'))
	}
	lines = lines[max(0, len(lines)-maxLines):]
	size, first := 0, len(lines)
	for first > 0 && size+len(lines[first-1]) <= maxOutput {
		first--
		size += len(lines[first])
	}
	return output.Safe(strings.ToValidUTF8(string(bytes.Join(lines[first:], nil)), "\uFFFD"))
}
