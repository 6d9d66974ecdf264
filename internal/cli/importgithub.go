package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"bugslice/internal/command/tree"
	"bugslice/internal/github"
	"bugslice/internal/markdown"
	"bugslice/internal/operator"
	"bugslice/internal/portable"
	"bugslice/internal/redact"
)

// issuesPerTransaction bounds how many issues one transaction imports.
const issuesPerTransaction = 100

// checkRepository refuses a name that is not OWNER/REPOSITORY.
func checkRepository(name string) error {
	if !github.ValidRepository(name) {
		return tree.Usagef("--github must be OWNER/REPOSITORY, such as acme/shop of github.com/acme/shop, not %q", name)
	}
	return nil
}

// issueImport imports issues of GitHub into a workspace.
type issueImport struct {
	source         github.Source
	org, workspace string // ids or names
	workspaceID    string
	dryRun         bool

	created, comments int
	redacted          redact.Counts
	changes           github.Changes
}

// run imports the issues whose externalId no slice of the workspace has, and the new comments on the other issues. It
// prints how many they were.
func (im *issueImport) run(ctx context.Context, in *instance, s Streams) error {
	reports, skipped, err := github.Read(im.source)
	if errors.Is(err, github.ErrZip) {
		err = fmt.Errorf("%w; an export is imported without --github", err)
	}
	if err != nil {
		return err
	}
	to, ids, err := in.operatorFor(ctx, im.org, []string{im.workspace})
	if err != nil {
		return err
	}
	im.workspaceID = ids[0]
	if !im.dryRun {
		if err := to.RecordWorkspaceCommand(ctx, im.workspaceID, "admin import --github"); err != nil {
			return err
		}
	}
	im.redacted = redact.Counts{}
	bar := newProgress(s.Err, "issues", len(reports))
	for batch := range slices.Chunk(reports, issuesPerTransaction) {
		if err := im.importBatch(ctx, to, batch, s); err != nil {
			return err
		}
		bar.add(len(batch))
	}
	im.print(s, len(reports), skipped)
	return nil
}

// importBatch imports some issues in one transaction, and counts what it imported. In a dry run it prints the issues
// that would be imported, and changes nothing.
func (im *issueImport) importBatch(ctx context.Context, to operator.Organization, batch []github.Report,
	s Streams) error {
	results, err := portable.ImportReports(ctx, to.OrganizationOperator, im.workspaceID, externalReports(batch),
		im.dryRun)
	if err != nil {
		return err
	}
	for i, result := range results {
		im.comments += result.Comments
		im.redacted.Add(result.Redacted)
		if result.New {
			im.created++
			im.changes.Add(batch[i].Changes)
		}
		if im.dryRun && (result.New || result.Comments > 0) {
			fields := batch[i].Fields
			fmt.Fprintf(s.Out, "%-28s %-11s %s\n", *fields.ExternalID, fields.Status, printable(fields.Summary))
		}
	}
	return nil
}

// externalReports converts issues of GitHub to records of an import, whose relative links lead to GitHub.
func externalReports(issues []github.Report) []portable.ExternalReport {
	reports := make([]portable.ExternalReport, len(issues))
	for i, issue := range issues {
		fields := issue.Fields
		if fields.Description != nil {
			fields.Description = new(rebased(*fields.Description, fields.SourceURL))
		}
		reports[i].HistoricalSlice = portable.HistoricalSlice{
			Fields: fields, Reporter: issue.Reporter, FiledAt: issue.FiledAt, Position: issue.Position,
			ResolvedAt: issue.ResolvedAt}
		for _, c := range issue.Comments {
			c.Body = rebased(c.Body, fields.SourceURL)
			reports[i].Comments = append(reports[i].Comments, portable.ExternalComment(c))
		}
	}
	return reports
}

// maxText is how many characters a description or a comment has.
const maxText = 65536

// rebased returns a text of the page of an issue with relative links that lead to GitHub, unless that makes it too
// long.
func rebased(text string, page *string) string {
	if page == nil {
		return text
	}
	if longer := markdown.Rebase(text, *page); utf8.RuneCountInString(longer) <= maxText {
		return longer
	}
	return text
}

// print reports what was imported, and what differs from the issues.
func (im *issueImport) print(s Streams, total int, skipped github.Skipped) {
	existing := total - im.created
	if im.dryRun {
		fmt.Fprintf(s.Out, "Would be imported into %s: %s, %s. Imported already: %s. Would be left out: %s. Nothing was changed.\n",
			im.workspaceID, count(im.created, "issue"), count(im.comments, "comment"),
			count(existing, "issue"), count(skipped.PullRequests, "pull request"))
	} else {
		fmt.Fprintf(s.Out, "New: %s, %s. Imported already: %s. Left out: %s.\n", count(im.created, "issue"),
			count(im.comments, "comment"),
			count(existing, "issue"), count(skipped.PullRequests, "pull request"))
	}
	secrets, kinds := 0, []string{}
	byKind := im.redacted.ByKind()
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		secrets += byKind[kind]
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, byKind[kind]))
	}
	printCounts(s.Out, []counted{
		{secrets, "Secrets removed (" + strings.Join(kinds, ", ") + ")"},
		{im.changes.Titles, "Titles truncated to 200 characters"},
		{im.changes.Texts, "Descriptions and comments truncated to 65536 characters"},
		{im.changes.Labels, "Labels changed or left out, because a slice has at most 50, of 50 characters, without commas"},
		{im.changes.Assignees, "Issues assigned to nobody, whose metadata names the assignee at GitHub"},
		{skipped.Repeated, "Issues that are in the file more than once"},
		{skipped.BlankComments, "Blank comments left out"},
		{skipped.OtherComments, "Comments of pull requests, or of issues that the file lacks, left out"},
	})
}
