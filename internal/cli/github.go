package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/portable"
	"bugslice/internal/redact"
)

// githubIssue is an issue as GitHub's REST API gives it, as far as it is imported.
type githubIssue struct {
	Number        int64
	Title         string
	Body          *string
	State         string
	StateReason   *string `json:"state_reason"`
	User          *githubUser
	Assignee      *githubUser
	Labels        []githubLabel
	HTMLURL       string           `json:"html_url"`
	RepositoryURL string           `json:"repository_url"`
	CreatedAt     time.Time        `json:"created_at"`
	ClosedAt      *time.Time       `json:"closed_at"`
	PullRequest   *json.RawMessage `json:"pull_request"`
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

var (
	repositoryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}$`)
	addressForm    = regexp.MustCompile(`^https?://[^/?#]+(?:/api/v3)?(?:/repos)?/([^/?#]+/[^/?#]+?)(?:/(?:issues|pull)/([0-9]+))?$`)
)

// checkRepository refuses what is no OWNER/REPOSITORY.
func checkRepository(name string) error {
	if _, repository, _ := strings.Cut(name, "/"); !repositoryForm.MatchString(name) || repository == "." || repository == ".." {
		return usagef("--github must be OWNER/REPOSITORY, such as acme/shop of github.com/acme/shop, not %q", name)
	}
	return nil
}

// placed reads the repository and the number from an address of GitHub, and refuses another
// repository than the one meant.
func (o *importOptions) placed(address string) (number int64, err error) {
	m := addressForm.FindStringSubmatch(address)
	if m == nil {
		return 0, fmt.Errorf("%.200q is no address of GitHub", address)
	}
	if !strings.EqualFold(m[1], o.github) {
		return 0, fmt.Errorf("it is of the repository %s, and --github says %s", m[1], o.github)
	}
	o.github = m[1] // as GitHub spells it: case does not count there, and does in an externalId
	if m[2] == "" {
		return 0, nil
	}
	return strconv.ParseInt(m[2], 10, 64)
}

// readPages reads arrays of JSON, one or several after the other as pages come.
func readPages[T any](file, what string) (all []T, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if head, err := in.Peek(4); err == nil && string(head) == "PK\x03\x04" {
		return nil, fmt.Errorf("%s is a zip file and holds no %ss of GitHub; an export is imported without --github", file, what)
	}
	pages := 0
	for d := json.NewDecoder(in); ; pages++ {
		var page json.RawMessage
		if err := d.Decode(&page); errors.Is(err, io.EOF) && pages > 0 {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s is no JSON: %w", file, err)
		}
		var items []json.RawMessage
		if json.Unmarshal(page, &items) != nil {
			return nil, fmt.Errorf("%s holds no list of %ss%s", file, what, refusal(page))
		}
		for _, raw := range items {
			var item T
			if err := json.Unmarshal(raw, &item); err != nil {
				return nil, fmt.Errorf("%s %d of %s is not as GitHub gives it: %w", what, len(all)+1, file, plain(err))
			}
			all = append(all, item)
		}
	}
}

// refusal is what GitHub says in place of a list.
func refusal(page json.RawMessage) string {
	var r struct{ Message string }
	if json.Unmarshal(page, &r) != nil || r.Message == "" {
		return ""
	}
	return fmt.Sprintf(": GitHub answered %.200q", r.Message)
}

// plain says which member has a wrong type, without names of the program.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s must not be a %s", cmp.Or(strings.ToLower(wrong.Field), "it"), wrong.Value)
	}
	return err
}

// githubNotes counts what an import of issues changes or leaves out.
type githubNotes struct {
	titles, texts, labels, assignees int // of issues that are new
	pulls, twice, blank, elsewhere   int // of the files
}

// githubReport is an issue, ready to be filed, and what that takes from it.
type githubReport struct {
	portable.ExternalReport
	notes githubNotes
}

// issueBatch is how many issues are imported in one transaction.
const issueBatch = 100

// issues imports the issues of a repository of GitHub. Of those that are there already, by their
// externalId, the comments that are not.
func (o *importOptions) issues(ctx context.Context, in *instance, s Streams) error {
	all, notes, err := o.readIssues()
	if err != nil {
		return err
	}
	to, err := in.operator.InOrganizationOf(ctx, o.into)
	if err != nil {
		return err
	}
	bar, made, comments, removed := newProgress(s.Err, "issues", len(all)), 0, 0, redact.Counts{}
	for batch := range slices.Chunk(all, issueBatch) {
		reports := make([]portable.ExternalReport, len(batch))
		for i, r := range batch {
			reports[i] = r.ExternalReport
		}
		results, err := portable.ImportReports(ctx, to.OrganizationOperator, o.into, reports, o.dryRun)
		if err != nil {
			return err
		}
		for i, b := range results {
			comments += b.Comments
			removed.Add(b.Redacted)
			if b.New {
				made++
				notes.add(batch[i].notes)
			}
			if f := batch[i].Fields; o.dryRun && (b.New || b.Comments > 0) {
				fmt.Fprintf(s.Out, "%-28s %-11s %s\n", *f.ExternalID, f.Status, printable(f.Summary))
			}
		}
		bar.add(len(batch))
	}
	if o.dryRun {
		fmt.Fprintf(s.Out, "%d issues with %d comments would be imported into %s, %d are there already, %d pull requests would not. Nothing was changed.\n", made, comments, o.into, len(all)-made, notes.pulls)
	} else {
		fmt.Fprintf(s.Out, "%d issues are new, %d were there already, %d pull requests were passed over. %d comments are new.\n", made, len(all)-made, notes.pulls, comments)
	}
	notes.tell(s.Out, removed)
	return nil
}

func (n *githubNotes) add(o githubNotes) {
	n.titles, n.texts, n.labels, n.assignees = n.titles+o.titles, n.texts+o.texts, n.labels+o.labels, n.assignees+o.assignees
}

// tell says what is not as it was.
func (n *githubNotes) tell(to io.Writer, removed redact.Counts) {
	total, kinds := 0, []string{}
	for _, kind := range slices.Sorted(maps.Keys(removed)) {
		total += removed[kind]
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, removed[kind]))
	}
	printCounts(to, []counted{
		{total, "secrets are removed: " + strings.Join(kinds, ", ")},
		{n.titles, "titles are cut to 200 characters"},
		{n.texts, "descriptions and comments are cut to 65536 characters"},
		{n.labels, "labels are changed or left out: a slice has 50 at most, of 50 characters, without commas"},
		{n.assignees, "issues are assigned to nobody: who has them at GitHub is in their metadata"},
		{n.twice, "issues are in the file more than once"},
		{n.blank, "comments are blank, and left out"},
		{n.elsewhere, "comments belong to pull requests, or to issues that the file lacks, and are left out"},
	})
}

// readIssues reads the files, oldest issue first.
func (o *importOptions) readIssues() (all []githubReport, notes githubNotes, err error) {
	issues, err := readPages[githubIssue](o.file, "issue")
	if err != nil {
		return nil, notes, err
	}
	for i, g := range issues {
		if err := o.checkIssue(g); err != nil {
			return nil, notes, fmt.Errorf("issue %d of the file: %w", i+1, err)
		}
	}
	said, err := o.readComments(&notes)
	if err != nil {
		return nil, notes, err
	}
	seen := map[int64]bool{}
	for _, g := range issues {
		switch {
		case seen[g.Number]:
			notes.twice++
		case g.PullRequest != nil:
			notes.pulls++
		default:
			all = append(all, g.convert(o.github, said[g.Number]))
			delete(said, g.Number)
		}
		seen[g.Number] = true
	}
	for _, left := range said {
		notes.elsewhere += len(left)
	}
	slices.SortStableFunc(all, func(a, b githubReport) int { return a.FiledAt.Compare(b.FiledAt) })
	return all, notes, nil
}

// checkIssue refuses what is no issue, or one of another repository.
func (o *importOptions) checkIssue(g githubIssue) error {
	if g.Number < 1 || strings.TrimSpace(clean(g.Title)) == "" || g.CreatedAt.Before(time.UnixMilli(0)) {
		return errors.New("it has no number, title or created_at: is this an answer of GET /repos/OWNER/REPOSITORY/issues?state=all?")
	}
	for _, address := range []string{g.HTMLURL, g.RepositoryURL} {
		if address == "" {
			continue
		}
		if n, err := o.placed(address); err != nil {
			return fmt.Errorf("#%d: %w", g.Number, err)
		} else if n != 0 && n != g.Number {
			return fmt.Errorf("#%d: its html_url says #%d", g.Number, n)
		}
	}
	return nil
}

// readComments reads comments by the numbers of their issues.
func (o *importOptions) readComments(notes *githubNotes) (map[int64][]githubComment, error) {
	said := map[int64][]githubComment{}
	if o.comments == "" {
		return said, nil
	}
	all, err := readPages[githubComment](o.comments, "comment")
	for i, c := range all {
		if c.IssueURL == "" || c.CreatedAt.Before(time.UnixMilli(0)) {
			return nil, fmt.Errorf("comment %d of %s has no issue_url or created_at: is this an answer of GET /repos/OWNER/REPOSITORY/issues/comments?", i+1, o.comments)
		}
		n, err := o.placed(c.IssueURL)
		if err == nil && n == 0 {
			err = errors.New("its issue_url names no issue")
		}
		if err != nil {
			return nil, fmt.Errorf("comment %d of %s: %w", i+1, o.comments, err)
		}
		if strings.TrimSpace(clean(c.Body)) == "" {
			notes.blank++
			continue
		}
		said[n] = append(said[n], c)
	}
	return said, err
}

// convert makes a report of an issue that was checked.
func (g githubIssue) convert(repository string, said []githubComment) githubReport {
	var f githubReport
	number := strconv.FormatInt(g.Number, 10)
	external := "github:" + repository + "#" + number
	f.Fields = api.SliceFields{Summary: cutRunes(strings.Join(strings.Fields(clean(g.Title)), " "), 200, &f.notes.titles), ExternalID: &external, Status: api.Open,
		Metadata: map[string]string{"github.repository": repository, "github.number": number}}
	if g.Body != nil && *g.Body != "" {
		text := cutRunes(clean(*g.Body), 65536, &f.notes.texts)
		f.Fields.Description = &text
	}
	if g.HTMLURL != "" {
		f.Fields.SourceURL = &g.HTMLURL
	}
	if g.Assignee != nil && g.Assignee.Login != "" {
		f.notes.assignees++
		f.Fields.Metadata["github.assignee"] = author(g.Assignee).Name
	}
	f.Fields.Labels = labels(g.Labels, &f.notes.labels)
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
		f.Comments = append(f.Comments, portable.ExternalComment{Author: author(c.User), Body: cutRunes(clean(c.Body), 65536, &f.notes.texts), At: api.At(c.CreatedAt)})
	}
	return f
}

// labels makes labels of those that an issue has, and counts which differ.
func labels(all []githubLabel, changed *int) []string {
	names := []string{}
	for _, l := range all {
		name := cutRunes(strings.TrimSpace(strings.Map(func(r rune) rune {
			if r < 0x20 || r == ',' {
				return ' '
			}
			return r
		}, l.Name)), 50, new(int))
		fits := name != "" && !slices.Contains(names, name) && len(names) < 50
		if fits {
			names = append(names, name)
		}
		if !fits || name != l.Name {
			*changed++
		}
	}
	return names
}

func author(u *githubUser) api.Reporter {
	name := "ghost"
	if u != nil && clean(u.Login) != "" {
		name = cutRunes(clean(u.Login), 100, new(int))
	}
	return api.Reporter{Type: "guest", Name: name}
}

// clean leaves U+0000 out, which no text of the API has.
func clean(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// cutRunes returns at most so many characters, and counts what it cuts.
func cutRunes(s string, most int, cuts *int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			*cuts++
			return s[:i]
		}
	}
	return strings.ToValidUTF8(s, "")
}
