package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"unicode"

	"bugslice/internal/command/tree"
)

// branchReference finds the reference with which a segment of the name of a branch begins.
var branchReference = regexp.MustCompile(`(?i)(?:^|/)([a-z][a-z0-9]{1,5}-[1-9][0-9]{0,12})(?:[-_/]|$)`)

// git runs git in the folder of the command, and returns what it prints.
func (s *session) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // its arguments are those of this package
	cmd.Dir = s.env.Folder
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// reference returns the report that is meant: that of the argument, or that of the branch.
func (s *session) reference(ctx context.Context, args []string) (string, error) {
	if len(args) > 0 {
		return sliceID(ctx, s, args[0])
	}
	branch, err := s.git(ctx, "branch", "--show-current")
	if err == nil {
		if found := branchReference.FindStringSubmatch(branch); found != nil {
			return strings.ToUpper(found[1]), nil
		}
	}
	return "", tree.Usagef("say which report, such as WEB-161; without one, the git branch must be named after " +
		"it, such as web-161-checkout")
}

var digits = regexp.MustCompile(`^[1-9][0-9]*$`)

// sliceID returns the reference or the id in an argument, which may be the address of the report's page, or the number
// of a report of the workspace.
func sliceID(ctx context.Context, s *session, argument string) (string, error) {
	if i := strings.LastIndex(argument, "/"); strings.Contains(argument, "://") && i >= 0 {
		argument = argument[i+1:]
	}
	argument = strings.TrimPrefix(argument, "#")
	if !digits.MatchString(argument) {
		return argument, nil
	}
	w, err := s.workspace(ctx)
	return w.Key + "-" + argument, err
}

// branchName returns the name of the branch for a report: its reference, and words of its summary.
func branchName(reference, summary string) string {
	const longest = 50
	name := strings.ToLower(reference)
	for _, word := range strings.FieldsFunc(strings.ToLower(summary), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(name)+1+len(word) > longest {
			break
		}
		name += "-" + word
	}
	return name
}
