package job

import (
	"cmp"
	"context"
	"regexp"
	"strings"
)

// Source is where facts come from.
type Source struct {
	Getenv func(string) string
	Dir    string // a directory of the repository
}

// Detect returns the job of the first system whose variable a source has. What the system does not name, such as the
// repository, the commit and the default branch, is read from git; outside of CI all of it.
func Detect(ctx context.Context, from Source) Job {
	var j Job
	for _, s := range systems {
		if value := from.Getenv(s.variable); value != "" && (s.value == "" || strings.EqualFold(value, s.value)) {
			j = s.detect(from.Getenv)
			break
		}
	}
	return j.complete(fromGit(ctx, from.Dir))
}

// complete adds the facts that the job lacks from git. A job of CI keeps its lack of a branch, because it may be of a
// tag or of a pull request.
func (j Job) complete(git Job) Job {
	j.Repository, j.Commit = cmp.Or(j.Repository, git.Repository), cmp.Or(j.Commit, git.Commit)
	j.DefaultBranch = cmp.Or(j.DefaultBranch, git.DefaultBranch)
	if j.System == "" {
		j.Branch = cmp.Or(j.Branch, git.Branch)
	}
	return j
}

// detect returns the facts of a system.
func (s system) detect(getenv func(string) string) Job {
	get := func(sources []string) string { return first(sources, getenv) }
	j := Job{System: s.name, Repository: Address(get(s.repository)), Commit: commit(get(s.commit)),
		DefaultBranch: branch(get(s.defaultBranch)), PullRequest: pullRequest(get(s.pullRequest)),
		Name: clean(get(s.job)), Run: clean(get(s.run)), URL: Address(get(s.url)),
		Attempt: number(get(s.attempt), s.firstAttempt)}
	if s.tag == "" || getenv(s.tag) == "" {
		j.Branch = branch(get(s.branch))
	}
	if shards := number(get(s.shards), 1); shards > 1 {
		j.Shard, j.Shards = number(get(s.shard), s.firstShard), shards
	}
	if s.more != nil {
		j = s.more(j, getenv)
	}
	return j
}

var variable = regexp.MustCompile(`\$\{(\w+)\}`)

// first returns the first source that is set, with the values of its variables.
func first(sources []string, getenv func(string) string) string {
	for _, source := range sources {
		if !strings.Contains(source, "${") {
			source = "${" + source + "}"
		}
		complete := true
		text := variable.ReplaceAllStringFunc(source, func(name string) string {
			value := getenv(name[2 : len(name)-1])
			complete = complete && value != ""
			return value
		})
		if complete {
			return text
		}
	}
	return ""
}
