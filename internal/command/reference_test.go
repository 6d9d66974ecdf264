package command_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/command"
)

// run runs a command without a server, and returns what it prints.
func run(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := command.Environment{Variables: []string{"HOME=" + t.TempDir()}, Folder: t.TempDir(),
		Streams: command.Streams{Out: &stdout, Err: &stderr}}
	code = command.Run(t.Context(), args, e, "")
	return stdout.String(), stderr.String(), code
}

// TestReference: docs/commands.md has the commands as they are. make commands writes it.
func TestReference(t *testing.T) {
	text, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := run(t, "reference")
	if _, found, _ := strings.Cut(string(text), "\n## "); "## "+found != want {
		t.Error("docs/commands.md is old: make commands writes it")
	}
}

var exampleBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")

// TestExamples: the examples of the commands have arguments and flags that exist. Without a server each ends with the
// exit code of somebody who is not signed in, or of a file that does not exist.
func TestExamples(t *testing.T) {
	const notSignedIn = 3 // an exit code
	reference, _, _ := run(t, "reference")
	seen := 0
	for _, block := range exampleBlock.FindAllStringSubmatch(reference, -1) {
		for line := range strings.Lines(block[1]) {
			_, line, found := strings.Cut(strings.TrimSpace(line), "bugslice ")
			line, _, _ = strings.Cut(line, " < ")
			args := words(line)
			asksServer := strings.HasPrefix(line, "auth login") && !strings.Contains(line, "--with-token")
			if !found || args[0] == "run" || asksServer { // run starts another program
				continue
			}
			seen++
			_, errs, code := run(t, args...)
			noFile := strings.Contains(errs, "there is no file") || strings.Contains(errs, "there is no standard input")
			if code != notSignedIn && !noFile {
				t.Errorf("bugslice %s: exit code %d: %s", line, code, errs)
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d examples", seen)
	}
}

// words splits a line as a shell does, with quotes.
func words(line string) (all []string) {
	for _, found := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		all = append(all, found[1]+found[2])
	}
	return all
}

// TestSkillIsShort: the skill has at most 900 tokens, of about 3.6 bytes each.
func TestSkillIsShort(t *testing.T) {
	skill, _, _ := run(t, "skill")
	if n := len(skill); n > 900*36/10 {
		t.Errorf("%d bytes", n)
	}
}

// TestArguments: terms of a query that begin with a minus are no flags.
func TestArguments(t *testing.T) {
	for line, want := range map[string]string{
		"slice list -label:x -l y":           "slice list -l y -- -label:x",
		"slice ls -has:replay a":             "slice ls a -- -has:replay",
		"report list -metadata.order:1 -- b": "report list -- b -metadata.order:1",
		"slice list -l x":                    "slice list -l x",
		"api GET /v1/me -H a:b":              "api GET /v1/me -H a:b",
	} {
		got := strings.Join(command.Arguments(strings.Fields(line)), " ")
		assert.Equal(t, line, got, want)
	}
}
