package evidence

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPastedCommands: a command that is pasted into a terminal with zsh or bash sends the captured request, and
// nothing else is run: neither comments, completion, history nor patterns are meant by a text of others. Terminals
// mark what is pasted (bracketed paste) or send it as keys.
func TestPastedCommands(t *testing.T) {
	t.Parallel()
	texts := append([]string{"it's !! here's !echo", "a\n!!\n!echo 'b'!c\n",
		"#1\n# two", `"!x" \!y 'z`, "=ls ~root ^a^b^", "** [a-z]? (x) <1-9>"}, hostile...)
	for _, shell := range [][]string{{"zsh", "-f", "-i"}, {"bash", "--norc", "--noprofile", "-i"}} {
		for _, bracketed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %t", shell[0], bracketed), func(t *testing.T) {
				t.Parallel()
				pasteAll(t, shell, bracketed, texts)
			})
		}
	}
}

// pasteAll pastes the requests of each text into one shell, each once the one before was received.
func pasteAll(t *testing.T, shell []string, bracketed bool, texts []string) {
	received := make(chan sent, 16)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		received <- sent{r.Method, r.RequestURI, string(body), r.Header}
	}))
	defer server.Close()
	dir := t.TempDir()
	terminal := startShell(t, dir, shell)
	const ready = "READY-7"
	terminal.send(bracketed, "echo REA''DY-7")
	if !terminal.shows(ready) {
		t.Fatalf("the shell does not start: %q", terminal.output())
	}
	redacted := Exchange{Request: Message{Headers: []Pair{{"Authorization", "[redacted:authorization]"}, {"X y", "1"}}}}
	redacted.Summary.Method, redacted.Summary.URL = "GET", server.URL+"/a?token=REDACTED"
	for _, text := range append([]string{""}, texts...) {
		all := exchanges(server.URL, text)
		if text == "" {
			all = append(all, redacted)
		}
		for _, x := range all {
			command := x.Commands().Curl
			terminal.send(bracketed, command)
			select {
			case got := <-received:
				if len(x.Request.Headers) > 2 || x.Request.Body != "" {
					compare(t, x, got, shell[0], command)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("no request by %q\nthe terminal shows %q", command, terminal.output())
			}
		}
	}
	terminal.send(bracketed, "echo EN''D-7")
	if !terminal.shows("END-7") || strings.Contains(terminal.output(), "not found") {
		t.Errorf("the terminal shows %q", terminal.output())
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("a command has made files: %q, %v", left, err)
	}
}

// terminal is a terminal in which a shell runs.
type terminal struct {
	control *os.File
	mu      sync.Mutex
	shown   bytes.Buffer
}

// startShell starts an interactive shell in a terminal of its own, which ends with the test.
func startShell(t *testing.T, dir string, argv []string) *terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...) //nolint:gosec // the programs are fixed
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, tty, tty, tty
	cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=xterm", "LC_ALL=C.UTF-8", "HISTFILE=/dev/null", "PS1=$ ")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	s := &terminal{control: control}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := make([]byte, 4096)
		for {
			n, err := control.Read(buffer)
			s.mu.Lock()
			s.shown.Write(buffer[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		<-ended
		_ = control.Close()
	})
	return s
}

// send pastes a text as a terminal does, and presses Enter.
func (s *terminal) send(bracketed bool, text string) {
	text = strings.ReplaceAll(text, "\n", "\r")
	if bracketed {
		text = "\x1b[200~" + text + "\x1b[201~"
	}
	_, _ = io.WriteString(s.control, text+"\r")
}

func (s *terminal) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// shows waits until the terminal shows a text.
func (s *terminal) shows(text string) bool {
	for range 1000 {
		if strings.Contains(s.output(), text) {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
