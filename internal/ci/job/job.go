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
	"net/url"
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

// shortAddress matches an address of ssh, such as git@host.example:path.
var shortAddress = regexp.MustCompile(`^(?:[\w.-]+@)?((?:[\w-]+\.)+[\w-]+):([^/\\:][^:]*)$`)

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
