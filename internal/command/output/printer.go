// Package output prints what commands find: tables that fit the terminal, Markdown, and JSON; for other programs
// lines separated by tabs. Text of others cannot move the cursor of a terminal: control characters are replaced.
package output

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
)

// Printer prints to the streams of a command.
type Printer struct {
	Out, Err io.Writer
	Terminal bool // whether Out is one
	Width    int  // of the terminal in columns
	height   int
	color    bool
	pager    string
}

const (
	defaultWidth = 80
	maxText      = 100 // the longest line of a text
)

// NewPrinter returns a printer to streams. The variables NO_COLOR, TERM and PAGER of the environment are heeded.
func NewPrinter(out, err io.Writer, environ map[string]string) *Printer {
	p := &Printer{Out: out, Err: err, Width: defaultWidth}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.Terminal = true
	if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		p.Width, p.height = width, height
	}
	dumb := environ["TERM"] == "dumb"
	p.color = environ["NO_COLOR"] == "" && !dumb
	if pager, set := environ["PAGER"]; set {
		p.pager = pager
	} else if !dumb {
		p.pager = "less"
	}
	return p
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Style is how a text looks on a terminal, as the parameters of an escape sequence.
type Style string

// The styles.
const (
	Plain   Style = ""
	Bold    Style = "1"
	Dim     Style = "2"
	Italic  Style = "3"
	Line    Style = "4"
	Red     Style = "31"
	Green   Style = "32"
	Yellow  Style = "33"
	Magenta Style = "35"
	Cyan    Style = "36"
)

// Styled returns a text in a style, where colours are shown.
func (p *Printer) Styled(style Style, text string) string {
	if !p.color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// isUnsafe reports whether a character is a control character, except line breaks and tabs, changes the direction of
// text, or is a space without width.
func isUnsafe(r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u061c', '\u200b', '\u200e', '\u200f':
		return true
	}
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Safe replaces the characters of a text that a terminal would not only show.
func Safe(text string) string {
	return strings.Map(func(r rune) rune {
		if isUnsafe(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// OneLine returns a text as one line without tabs.
func OneLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(Safe(text))
}

// Time returns a time as it is read: on a terminal how long ago it was, and otherwise in full.
func (p *Printer) Time(at time.Time) string {
	if !p.Terminal {
		return at.UTC().Format("2006-01-02T15:04:05Z")
	}
	return Ago(time.Since(at))
}

// Page prints what write writes: through the pager when it is longer than the terminal is high.
func (p *Printer) Page(write func(io.Writer) error) error {
	if !p.Terminal {
		return write(p.Out)
	}
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	if words := strings.Fields(p.pager); len(words) > 0 && bytes.Count(text.Bytes(), []byte("\n")) >= p.height {
		if program, err := exec.LookPath(words[0]); err == nil {
			cmd := exec.Command(program, words[1:]...) //nolint:gosec // the user's own pager
			cmd.Env = append(os.Environ(), "LESS=FRX", "LESSCHARSET=utf-8")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = &text, p.Out, p.Err
			return cmd.Run()
		}
	}
	_, err := text.WriteTo(p.Out)
	return err
}
