// Package github reads the issues of a repository and their comments, as GitHub's REST API returns them, and
// converts them to bug reports.
package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
)

// ErrZip is the error for a zip file, such as an export of Bugslice.
var ErrZip = errors.New("it is a zip file, not JSON of GitHub's REST API")

// Source names the files to read.
type Source struct {
	Repository string // OWNER/REPOSITORY: issues of any other are refused
	Issues     string // responses of GET /repos/OWNER/REPOSITORY/issues?state=all, one after the other
	Comments   string // responses of GET /repos/OWNER/REPOSITORY/issues/comments, or ""
}

// Report is an issue as a bug report.
type Report struct {
	Fields     api.SliceFields
	Reporter   api.Reporter
	FiledAt    time.Time
	Position   int        // among the issues of the same time, in the order of the file
	ResolvedAt *time.Time // of a closed issue
	Comments   []Comment
	Changes    Changes
}

// Comment is a comment on an issue.
type Comment struct {
	Author   api.Reporter
	Body     string
	At       api.Time
	Position int    // among the comments of the same time, in the order of the file
	Name     string // the id that it has at GitHub; empty when the file lacks it
}

// Changes counts what a report lacks of its issue.
type Changes struct {
	Titles, Texts int // truncated
	Labels        int // changed or left out
	Assignees     int // left out
}

// Add adds the counts of another report.
func (c *Changes) Add(o Changes) {
	c.Titles, c.Texts, c.Labels, c.Assignees = c.Titles+o.Titles, c.Texts+o.Texts, c.Labels+o.Labels, c.Assignees+
		o.Assignees
}

// Skipped counts what is left out of the files.
type Skipped struct {
	PullRequests  int
	Repeated      int // issues that are in the file already
	BlankComments int
	OtherComments int // on pull requests, or on issues that the file lacks
}

var (
	repositoryPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	addressPattern    = regexp.MustCompile(`^https?://[^/?#]+(?:/api/v3)?(?:/repos)?/([^/?#]+/[^/?#]+?)(?:/(?:issues|pull)/([0-9]+))?$`)
)

// ValidRepository reports whether a name is OWNER/REPOSITORY.
func ValidRepository(name string) bool {
	_, repository, _ := strings.Cut(name, "/")
	return repositoryPattern.MatchString(name) && repository != "." && repository != ".."
}

// issue is an issue or a pull request of GitHub's REST API.
type issue struct {
	Number        int64
	Title         string
	Body          *string
	State         string
	StateReason   *string `json:"state_reason"`
	User          *user
	Assignee      *user
	Labels        []label
	HTMLURL       string           `json:"html_url"`
	RepositoryURL string           `json:"repository_url"`
	CreatedAt     time.Time        `json:"created_at"`
	ClosedAt      *time.Time       `json:"closed_at"`
	PullRequest   *json.RawMessage `json:"pull_request"`
}

type user struct{ Login string }

type label struct{ Name string }

// UnmarshalJSON decodes a label, which is a string in old issues.
func (l *label) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &l.Name) == nil {
		return nil
	}
	var v struct{ Name string }
	err := json.Unmarshal(b, &v)
	l.Name = v.Name
	return err
}

type comment struct {
	ID        int64
	IssueURL  string `json:"issue_url"`
	Body      string
	User      *user
	CreatedAt time.Time `json:"created_at"`
}

// issueNumber parses the address of an issue or a repository, whose number is 0. It refuses an address of another
// repository, and adopts GitHub's spelling of the repository: GitHub ignores case, and an externalId does not.
func (s *Source) issueNumber(address string) (int64, error) {
	m := addressPattern.FindStringSubmatch(address)
	if m == nil {
		return 0, fmt.Errorf("%.200q is no address of GitHub", address)
	}
	repository, number := m[1], m[2]
	if !strings.EqualFold(repository, s.Repository) {
		return 0, fmt.Errorf("it belongs to the repository %s, not to %s", repository, s.Repository)
	}
	s.Repository = repository
	if number == "" {
		return 0, nil
	}
	return strconv.ParseInt(number, 10, 64)
}
