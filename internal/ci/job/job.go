// Package job tells which job of which CI system a program runs in, from the variables that the system documents, and
// from git where they say nothing.
//
//	j := job.Detect(ctx, job.Source{Getenv: os.Getenv, Dir: "."}).With(flags)
//
// Every fact is optional. Credentials are removed from addresses, and what is no commit, no number or no address is
// left out. A fact of the flags wins.
package job

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"bugslice/api"
)

// Job is a job of a CI system, as far as it is known.
type Job struct {
	System        string // such as GitHub Actions; empty outside of CI
	Repository    string // its address, such as https://github.com/acme/shop
	Commit        string // in hexadecimal; that of the branch, not of its merge with another one
	Branch        string // of a pull request, its source; empty for a tag
	DefaultBranch string
	PullRequest   string // its number
	Name          string
	Run           string // identifies the run to which parallel jobs belong
	Attempt       int    // from 1; 0 when it is not known
	Shard, Shards int    // from 1; 0 for a job that is not split
	URL           string
}

// Source is where facts come from.
type Source struct {
	Getenv func(string) string
	Dir    string // a directory of the repository
}

// Detect returns the job of a source. Of a system that does not name the repository, the commit or the default branch,
// and outside of CI, git does.
func Detect(ctx context.Context, from Source) Job {
	var j Job
	for _, s := range systems {
		if value := from.Getenv(s.variable); value != "" && (s.value == "" || strings.EqualFold(value, s.value)) {
			j = s.detect(from.Getenv)
			break
		}
	}
	return j.With(Job{}).complete(fromGit(ctx, from.Dir))
}

// With returns the job with the facts of flags in place of its own.
func (j Job) With(flags Job) Job {
	return Job{
		System:        cmp.Or(clean(flags.System), j.System),
		Repository:    cmp.Or(Address(flags.Repository), j.Repository),
		Commit:        cmp.Or(commit(flags.Commit), j.Commit),
		Branch:        cmp.Or(branch(flags.Branch), j.Branch),
		DefaultBranch: cmp.Or(branch(flags.DefaultBranch), j.DefaultBranch),
		PullRequest:   cmp.Or(pullRequest(flags.PullRequest), j.PullRequest),
		Name:          cmp.Or(clean(flags.Name), j.Name),
		Run:           cmp.Or(clean(flags.Run), j.Run),
		Attempt:       cmp.Or(flags.Attempt, j.Attempt),
		Shard:         cmp.Or(flags.Shard, j.Shard),
		Shards:        cmp.Or(flags.Shards, j.Shards),
		URL:           cmp.Or(Address(flags.URL), j.URL),
	}
}

// complete adds the facts that the job lacks from git. A job of CI keeps its lack of a branch, because it may be of a
// tag or of a pull request.
func (j Job) complete(git Job) Job {
	j.Repository, j.Commit = cmp.Or(j.Repository, git.Repository), cmp.Or(j.Commit, git.Commit)
	j.DefaultBranch = cmp.Or(j.DefaultBranch, git.DefaultBranch)
	if j.System == "" || j.System == "TeamCity" {
		j.Branch = cmp.Or(j.Branch, git.Branch)
	}
	return j
}

// OnDefaultBranch reports whether the job is known to test the default branch, and no pull request into it.
func (j Job) OnDefaultBranch() bool {
	return j.PullRequest == "" && j.Branch != "" && j.Branch == j.DefaultBranch
}

// Environment returns what a report says about the job.
func (j Job) Environment() api.Environment {
	return api.Environment{Commit: optional(j.Commit), Branch: optional(j.Branch), BuildURL: optional(j.URL)}
}

// Metadata returns the facts that have no member of their own in a report.
func (j Job) Metadata() map[string]string {
	facts := map[string]string{"ci.system": j.System, "ci.repository": j.Repository, "ci.pullRequest": j.PullRequest,
		"ci.job": j.Name, "ci.run": j.Run}
	if j.Attempt > 0 {
		facts["ci.attempt"] = strconv.Itoa(j.Attempt)
	}
	if j.Shards > 1 {
		facts["ci.shard"] = strconv.Itoa(j.Shard) + "/" + strconv.Itoa(j.Shards)
	}
	for name, fact := range facts {
		if fact == "" {
			delete(facts, name)
		}
	}
	return facts
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
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
	if s.name == "Jenkins" {
		j.Branch = strings.TrimPrefix(j.Branch, "origin/")
		if getenv("BRANCH_IS_PRIMARY") == "true" {
			j.DefaultBranch = j.Branch
		}
	}
	if s.event != "" {
		j = j.With(fromEvent(getenv(s.event)))
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

// maxEvent is the size of a file with an event that is read. GitHub sends at most 25 MB.
const maxEvent = 32 << 20

// fromEvent returns the facts of the file in which GitHub describes the event. For a pull request, the commit of the
// variable is a merge that nobody has made; the file has that of its branch.
func fromEvent(path string) Job {
	file, err := os.Open(path)
	if err != nil {
		return Job{}
	}
	defer file.Close()
	var event struct {
		Repository struct {
			DefaultBranch string `json:"default_branch"`
		}
		PullRequest struct {
			Number int
			Head   struct{ SHA string }
		} `json:"pull_request"`
	}
	if json.NewDecoder(io.LimitReader(file, maxEvent)).Decode(&event) != nil {
		return Job{}
	}
	j := Job{DefaultBranch: event.Repository.DefaultBranch, Commit: event.PullRequest.Head.SHA}
	if event.PullRequest.Number > 0 {
		j.PullRequest = strconv.Itoa(event.PullRequest.Number)
	}
	return j
}

// clean returns a text without control characters, at most 200 characters of it.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.TrimSpace(text), ""))
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200])
	}
	return text
}

var hexadecimal = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

func commit(text string) string {
	if text = strings.ToLower(clean(text)); !hexadecimal.MatchString(text) { // such as HEAD
		return ""
	}
	return text
}

// branch returns a branch or a reference as the name of a branch; empty for another reference.
func branch(text string) string {
	text = strings.TrimPrefix(clean(text), "refs/heads/")
	if strings.HasPrefix(text, "refs/") {
		return ""
	}
	return text
}

var request = regexp.MustCompile(`^(?:refs/pull/|https?://\S+/)?([0-9]+)(?:/(?:merge|head))?$`)

// pullRequest returns the number of a pull request from its number, its address or its reference.
func pullRequest(text string) string {
	if found := request.FindStringSubmatch(clean(text)); found != nil {
		return found[1]
	}
	return ""
}

// number returns a number that counts from first, counted from 1; 0 for no such number.
func number(text string, first int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < first || n > 1e6 {
		return 0
	}
	return n - first + 1
}

var shortAddress = regexp.MustCompile(`^(?:[\w.-]+@)?((?:[\w-]+\.)+[\w-]+):([^/\\:][^:]*)$`) // of ssh, such as git@host:path

// Address returns the address of a repository or a page without credentials and without .git, as HTTPS for one of ssh
// or git; empty for a text that is no address.
func Address(text string) string {
	text = clean(text)
	if found := shortAddress.FindStringSubmatch(text); found != nil {
		text = "ssh://" + found[1] + "/" + found[2]
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	switch u.User = nil; u.Scheme {
	case "http", "https":
	case "ssh", "git":
		u.Scheme, u.Host = "https", u.Hostname()
	default:
		return ""
	}
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), ".git"), ""
	return u.String()
}
