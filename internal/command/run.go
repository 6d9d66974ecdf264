package command

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
	"bugslice/internal/redact"
)

const shownLines = 12 // of the output that are shown before somebody is asked

// runFlags are the flags of run.
type runFlags struct {
	yes         bool
	summary     string
	labels      []string
	fingerprint string
}

func newRun(s *session) *cobra.Command {
	var f runFlags
	const short = "Run a command, and offer to file a report when it fails"
	cmd := s.changing(s.command("run -- COMMAND [ARGUMENT…]", short,
		arguments("command"), func(ctx context.Context, args []string) error { return f.run(ctx, s, args) }))
	cmd.Long = "Run a command. When it fails, offer to file a report with the end of its output, from which " +
		"secrets are removed, the system, " +
		"the commit and the branch. The report is shown first; --yes files it without a question. The exit code " +
		"is that of the command."
	cmd.Example = "  bugslice run -- make test\n  bugslice run --yes --label nightly -- ./nightly.sh"
	s.serverFlags(cmd)
	flags := cmd.Flags()
	flags.SetInterspersed(false)
	flags.BoolVarP(&f.yes, "yes", "y", false, "file the report without a question")
	flags.StringVarP(&f.summary, "summary", "s", "", "`line` that says what is wrong; made from the command by default")
	flags.StringSliceVarP(&f.labels, "label", "l", nil, "add a `label`; repeatable")
	flags.StringVar(&f.fingerprint, "fingerprint", "", "`text` that identifies the bug; the command by default, "+
		"so that its reports are counted as one")
	return cmd
}

func (f *runFlags) run(ctx context.Context, s *session, args []string) error {
	redactor, err := redact.New(redact.Rules{})
	if err != nil {
		return err
	}
	redactor = redactor.Report()
	captured := captureOutput(redactor)
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // the user's own command, which gets interruptions itself
	cmd.Dir, cmd.Stdin = s.env.Folder, s.env.Streams.In
	cmd.Stdout, cmd.Stderr = io.MultiWriter(s.out.Out, captured), io.MultiWriter(s.out.Err, captured)
	err = cmd.Run()
	text, cause := captured.end()
	exit, ended := errors.AsType[*exec.ExitError](err)
	if err != nil && !ended {
		return tree.Usagef("%w; name a program after --", err)
	}
	if err == nil || ctx.Err() != nil {
		return exitCode(exit)
	}
	if cause == nil {
		in := f.report(ctx, s, args, exit)
		describe(&in, redactor, "`"+strings.Join(args, " ")+"` ended with "+exit.String(), text)
		cause = f.file(ctx, s, in, text)
	}
	if err := failureOf(cause); err != nil {
		s.tell("bugslice: no report is filed: %v", err)
	}
	return exitCode(exit)
}

// exitCode returns the failure of a command, which has said itself what is wrong; nil for a success.
func exitCode(exit *exec.ExitError) error {
	if exit == nil {
		return nil
	}
	code := exit.ExitCode()
	if code < 0 { // ended by a signal
		code = codeInterrupted
	}
	return &Failure{Code: code}
}

// describe removes secrets from a report, and adds what happened and the output, from which they are removed.
func describe(r *api.NewSlice, redactor *redact.Redactor, what, text string) {
	counts := redact.Counts{}
	r.Summary = redactor.Text(r.Summary, counts)
	r.Fingerprint = given(redactor.Text(deref(r.Fingerprint), counts))
	description := redactor.Text(what, counts)
	if text == "" {
		description += " and printed nothing."
	} else {
		description += ".\n\n" + fenced(text)
	}
	r.Description = &description
}

func (f *runFlags) file(ctx context.Context, s *session, body api.NewSlice, text string) error {
	in := api.CreateSlice{Body: body}
	if !f.yes && !s.dryRun {
		s.preview(in.Body, text)
		if err := s.confirm(ctx, "File this report?"); err != nil {
			return err
		}
	}
	where, err := s.workspace(ctx)
	if err != nil {
		return err
	}
	in.Body.WorkspaceID = &where.ID
	filed, done, err := change(ctx, s, in)
	if err == nil && done {
		s.tell("Filed %s: %s", filed.Reference, filed.URL)
	}
	return err
}

// report returns the report of a command that failed, without its output.
func (f *runFlags) report(ctx context.Context, s *session, args []string, exit *exec.ExitError) api.NewSlice {
	r := api.NewSlice{}
	line := strings.Join(append([]string{filepath.Base(args[0])}, args[1:]...), " ")
	if r.Summary = f.summary; r.Summary == "" {
		r.Summary = truncated(line+" fails: "+exit.String(), 200)
	}
	r.Labels = f.labels
	r.Fingerprint = given(f.fingerprint)
	if f.fingerprint == "" {
		r.Fingerprint = given(truncated("run "+line, 200))
	}
	r.Environment.OS = given(runtime.GOOS + "/" + runtime.GOARCH)
	if host, err := os.Hostname(); err == nil {
		r.Environment.Device = &host
	}
	if commit, err := s.git(ctx, "rev-parse", "HEAD"); err == nil {
		r.Environment.Commit = &commit
	}
	if branch, err := s.git(ctx, "branch", "--show-current"); err == nil {
		r.Environment.Branch = given(branch)
	}
	return r
}

// truncated returns at most n characters of a text, in one line.
func truncated(text string, n int) string {
	text = output.OneLine(text)
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

// fenced returns a text as a block of code, whatever fences it has.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + fence + "\n"
}

func (s *session) preview(r api.NewSlice, text string) {
	where := deref(r.Environment.OS)
	for _, v := range []struct {
		name string
		text *string
	}{{"commit", r.Environment.Commit}, {"branch", r.Environment.Branch}} {
		if v.text != nil {
			where += ", " + v.name + " " + *v.text
		}
	}
	s.tell("\n%s\n  %s", r.Summary, where)
	if text = strings.TrimRight(text, "\n"); text == "" {
		s.tell("  without output")
		return
	}
	lines := strings.Split(text, "\n")
	s.tell("  with the last %s of its output, which end:", output.Count(int64(len(lines)), "line"))
	for _, line := range lines[max(0, len(lines)-shownLines):] {
		s.tell("  | %s", line)
	}
}
