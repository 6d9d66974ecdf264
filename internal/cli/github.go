package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// githubIssue is an issue as GitHub's REST API gives it, as far as it is imported.
type githubIssue struct {
	Number      int64
	Title       string
	Body        *string
	State       string
	StateReason *string `json:"state_reason"`
	User        *githubUser
	Labels      []githubLabel
	HTMLURL     string           `json:"html_url"`
	CreatedAt   time.Time        `json:"created_at"`
	ClosedAt    *time.Time       `json:"closed_at"`
	PullRequest *json.RawMessage `json:"pull_request"`
}

type githubUser struct{ Login string }

type githubLabel struct{ Name string }

// UnmarshalJSON reads a label, which old issues have as a mere name.
func (l *githubLabel) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &l.Name) == nil {
		return nil
	}
	var v struct{ Name string }
	err := json.Unmarshal(b, &v)
	l.Name = v.Name
	return err
}

type githubComment struct {
	IssueURL  string `json:"issue_url"`
	Body      string
	User      *githubUser
	CreatedAt time.Time `json:"created_at"`
}

// readPages reads arrays of JSON, one or several after the other as pages come.
func readPages[T any](file string) (all []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var page []T
		if err := d.Decode(&page); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, page...)
	}
}

// issues imports the issues of a repository of GitHub. Those that are there already, by their
// externalId, are passed over.
func (o *importOptions) issues(ctx context.Context, in *instance, s Streams) error {
	all, err := readPages[githubIssue](o.file)
	if err != nil {
		return err
	}
	said := map[int64][]githubComment{}
	if o.comments != "" {
		comments, err := readPages[githubComment](o.comments)
		if err != nil {
			return err
		}
		for _, c := range comments {
			if n, err := strconv.ParseInt(c.IssueURL[strings.LastIndexByte(c.IssueURL, '/')+1:], 10, 64); err == nil {
				said[n] = append(said[n], c)
			}
		}
	}
	var foreign []tracker.Foreign
	pulls := 0
	for i, issue := range all {
		if issue.PullRequest != nil {
			pulls++
			continue
		}
		f, err := issue.convert(o.github, said[issue.Number])
		if err != nil {
			return fmt.Errorf("issue %d of the file: %w", i+1, err)
		}
		foreign = append(foreign, f)
	}
	slices.SortFunc(foreign, func(a, b tracker.Foreign) int { return a.FiledAt.Compare(b.FiledAt) })
	if o.dryRun {
		return o.tell(s, foreign, pulls)
	}
	c, err := in.tracker.OperatorOf(ctx, o.into)
	if err != nil {
		return err
	}
	bar, made := newProgress(s.Err, "issues", len(foreign)), 0
	for batch := range slices.Chunk(foreign, importBatch) {
		n, err := in.tracker.ImportForeign(ctx, c, o.into, batch)
		if err != nil {
			return err
		}
		made += n
		bar.add(len(batch))
	}
	_, err = fmt.Fprintf(s.Out, "%d issues are new, %d were there already, %d pull requests were passed over.\n", made, len(foreign)-made, pulls)
	return err
}

// tell says what would be imported.
func (o *importOptions) tell(s Streams, foreign []tracker.Foreign, pulls int) error {
	comments := 0
	for _, f := range foreign {
		comments += len(f.Comments)
		fmt.Fprintf(s.Out, "%-28s %-11s %s\n", *f.Fields.ExternalID, f.Fields.Status, f.Fields.Summary)
	}
	_, err := fmt.Fprintf(s.Out, "%d issues with %d comments would be imported into %s, %d pull requests would not. Nothing was changed.\n", len(foreign), comments, o.into, pulls)
	return err
}

func (g githubIssue) convert(repository string, said []githubComment) (tracker.Foreign, error) {
	var f tracker.Foreign
	if g.Number < 1 || strings.TrimSpace(g.Title) == "" || g.CreatedAt.IsZero() {
		return f, errors.New("it has no number, title or created_at: is this an answer of GET /repos/OWNER/REPOSITORY/issues?state=all?")
	}
	external := "github:" + repository + "#" + strconv.FormatInt(g.Number, 10)
	f.Fields = api.SliceFields{Summary: cutRunes(strings.Join(strings.Fields(g.Title), " "), 200), ExternalID: &external, Labels: []string{}, Status: api.Open,
		Metadata: map[string]string{"github.repository": repository, "github.number": strconv.FormatInt(g.Number, 10)}}
	if g.Body != nil && *g.Body != "" {
		text := cutRunes(strings.ReplaceAll(*g.Body, "\x00", ""), 65536)
		f.Fields.Description = &text
	}
	if g.HTMLURL != "" {
		f.Fields.SourceURL = &g.HTMLURL
	}
	for _, l := range g.Labels {
		name := cutRunes(strings.TrimSpace(strings.Map(func(r rune) rune {
			if r < 0x20 || r == ',' {
				return ' '
			}
			return r
		}, l.Name)), 50)
		if name != "" && !slices.Contains(f.Fields.Labels, name) && len(f.Fields.Labels) < 50 {
			f.Fields.Labels = append(f.Fields.Labels, name)
		}
	}
	f.FiledAt, f.Reporter = g.CreatedAt, author(g.User)
	if g.State == "closed" {
		f.Fields.Status = api.Closed
		why := api.Fixed
		if g.StateReason != nil {
			switch *g.StateReason {
			case "not_planned":
				why = api.WontFix
			case "duplicate":
				why = api.Duplicate
			}
		}
		f.Fields.Resolution = &why
		if f.ResolvedAt = g.ClosedAt; f.ResolvedAt == nil {
			f.ResolvedAt = &g.CreatedAt
		}
	}
	for _, c := range said {
		if strings.TrimSpace(c.Body) != "" && !c.CreatedAt.IsZero() {
			f.Comments = append(f.Comments, tracker.ForeignComment{Author: author(c.User), Body: cutRunes(strings.ReplaceAll(c.Body, "\x00", ""), 65536), At: api.At(c.CreatedAt)})
		}
	}
	return f, nil
}

func author(u *githubUser) api.Reporter {
	name := "ghost"
	if u != nil && u.Login != "" {
		name = cutRunes(u.Login, 100)
	}
	return api.Reporter{Type: "guest", Name: name}
}

func cutRunes(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i]
		}
	}
	return strings.ToValidUTF8(s, "")
}
