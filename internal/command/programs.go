package command

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"bugslice/internal/command/output"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
)

// browse opens an address in the browser. Without one it prints the address.
func (s *session) browse(ctx context.Context, address string) error {
	if openBrowser(ctx, s.variables, s.credentials.URL, address) {
		s.tell("Opened %s in the browser.", address)
		return nil
	}
	return s.out.Line(s.out.Out, "%s", address)
}

// browserStart is how long a browser may take to fail. One that runs longer is open.
const browserStart = 2 * time.Second

// isOf reports whether an address is a page of the server.
func isOf(server, address string) bool {
	s, err := url.Parse(server)
	a, failed := url.Parse(address)
	return err == nil && failed == nil && (a.Scheme == "http" || a.Scheme == "https") && a.Scheme == s.Scheme &&
		a.Host != "" && strings.EqualFold(a.Host, s.Host)
}

// openBrowser opens a page of the server in the browser, and reports whether it has: another address is not opened. The
// browser outlives the command.
func openBrowser(ctx context.Context, variables profile.Environment, server, address string) bool {
	if !isOf(server, address) {
		return false
	}
	program := variables["BROWSER"]
	if program == "" {
		program = map[string]string{"darwin": "open", "windows": "explorer"}[runtime.GOOS]
		if program == "" && (variables["DISPLAY"] != "" || variables["WAYLAND_DISPLAY"] != "") {
			program = "xdg-open"
		}
	}
	words := strings.Fields(program)
	if len(words) == 0 {
		return false
	}
	ctx = context.WithoutCancel(ctx)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], address)...) //nolint:gosec // the user's own browser
	if cmd.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(browserStart):
		return true
	}
}

// edit lets the user write a text in the editor. required is the error when there is no terminal.
func (s *session) edit(ctx context.Context, text, required string) (string, error) {
	if !s.isInteractive() {
		return "", tree.Usagef("%s", required)
	}
	f, err := os.CreateTemp("", "bugslice-*.md") // of mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := cmp.Or(err, f.Close()); err != nil {
		return "", err
	}
	words := strings.Fields(cmp.Or(s.variables["VISUAL"], s.variables["EDITOR"], "vi"))
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...) //nolint:gosec // the user's own editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.env.Streams.In, s.out.Out, s.out.Err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s: %w; set EDITOR to another one", words[0], err)
	}
	written, err := os.ReadFile(f.Name())
	if err == nil && strings.TrimSpace(string(written)) == "" {
		err = tree.Usagef("the text is empty; nothing was sent")
	}
	return string(written), err
}

// confirm asks a question on a terminal. Elsewhere --yes has to answer it.
func (s *session) confirm(ctx context.Context, question string) error {
	if !s.isInteractive() {
		return tree.Usagef("%s --yes is required where nobody can be asked", question)
	}
	fmt.Fprintf(s.out.Err, "%s [y/N] ", output.OneLine(question))
	answer, err := interruptible(ctx, func() (answer string, err error) {
		_, _ = fmt.Fscanln(s.env.Streams.In, &answer)
		return answer, nil
	})
	if err != nil {
		fmt.Fprintln(s.out.Err)
		return err
	}
	if !strings.EqualFold(answer, "y") && !strings.EqualFold(answer, "yes") {
		return &Failure{codeFailed, errNothingDone, ""}
	}
	return nil
}
