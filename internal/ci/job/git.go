package job

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"
)

// fromGit returns what git says about a directory; nothing where git or a repository is missing. It takes at most some
// seconds, and changes nothing.
func fromGit(ctx context.Context, dir string) Job {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	head := git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	if head == "" {
		return Job{}
	}
	_, main, _ := strings.Cut(git(ctx, dir, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"), "/")
	return Job{
		Commit:        commit(head),
		Branch:        branch(git(ctx, dir, "symbolic-ref", "--quiet", "--short", "HEAD")),
		DefaultBranch: branch(main),
		Repository:    Address(git(ctx, dir, "config", "--get", "remote.origin.url")),
	}
}

// git returns the output of a command of git; empty when it fails.
func git(ctx context.Context, dir string, args ...string) string {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir, command.Env = dir, append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	command.WaitDelay = time.Second
	out, err := command.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
