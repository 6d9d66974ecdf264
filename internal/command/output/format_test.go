package output_test

import (
	"context"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"bugslice/internal/command/output"
)

const hostile = "a\x1b]52;c;x\x07\u009b2J\u202eb\u200f\u061c\u200b\u200e\x7fc\nd"

func checkHarmless(t *testing.T, name, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\x1b\x07\u009b\u202e\u200f\u061c\u200b\u200e\x7f") {
		t.Errorf("%s prints %q", name, text)
	}
}

// TestHostileText prints what a server may send: a terminal gets no character that it would obey.
func TestHostileText(t *testing.T) {
	var out strings.Builder
	p := &output.Printer{Out: &out, Terminal: true}
	if err := p.Line(&out, "%s is: %s", hostile, hostile); err != nil {
		t.Fatal(err)
	}
	if checkHarmless(t, "Line", out.String()); strings.Count(out.String(), "\n") != 1 {
		t.Errorf("Line prints %q, want one line", out.String())
	}
	for _, args := range [][]string{{"--json=summary"}, {"--jq=.summary"}, {"--jq=."}, {"--template={{.summary}}"}} {
		var f output.Format
		cmd := &cobra.Command{}
		output.Register[struct {
			Summary string `json:"summary"`
		}](&f, cmd)
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatal(err)
		}
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if err := f.Print(context.Background(), p, map[string]string{"summary": hostile}); err != nil {
			t.Fatal(err)
		}
		if checkHarmless(t, args[0], out.String()); out.Len() < 10 {
			t.Errorf("%s prints %q", args[0], out.String())
		}
	}
}
