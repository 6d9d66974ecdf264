package command

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugslice/internal/command/tree"
	"bugslice/internal/suggest"
)

// githubTerms are the terms of GitHub's search that have other words here.
var githubTerms = map[string]string{
	"is:open": "status:open,in_progress", "state:open": "status:open,in_progress",
	"is:closed": "status:resolved,closed", "state:closed": "status:resolved,closed",
	"is:issue": "", "type:issue": "", "no:assignee": "assignee:none", "no:label": "label:none",
	"sort:created-desc": "sort:created", "sort:updated-desc": "sort:updated",
}

var word = regexp.MustCompile(`\S+`)

// termsOfGitHub returns a query in which the terms of GitHub's search that mean the same are those of the search box.
// Texts in quotes stay as they are.
func termsOfGitHub(text string) string {
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 { // the others are in quotes
		parts[i] = word.ReplaceAllStringFunc(parts[i], func(term string) string {
			if same, ok := githubTerms[term]; ok {
				return same
			}
			if name, ok := strings.CutPrefix(term, "author:"); ok {
				term = "reporter:" + name
			}
			return strings.Replace(term, ":@me", ":me", 1)
		})
	}
	return strings.Join(parts, `"`)
}

// synonyms lets a command take flags by further names, which its help does not list.
func synonyms(cmd *cobra.Command, names map[string]string) {
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if same, ok := names[name]; ok {
			name = same
		}
		return pflag.NormalizedName(name)
	})
}

// missingFlags are flags of gh that no command has, with what does the same.
var missingFlags = map[string]string{
	"repo": "--workspace chooses the workspace", "R": "--workspace chooses the workspace",
	"milestone": "there are no milestones; use --label", "m": "there are no milestones; use --label",
	"project":         "there are no projects; --space puts a report in a space",
	"app":             "--reporter takes the name of a service",
	"remove-assignee": "a report has one assignee at most: --assignee none removes it",
	"edit-last":       "bugslice api PATCH /v1/slices/REFERENCE/comments/ID --field body=TEXT changes a comment",
	"delete-last":     "bugslice api DELETE /v1/slices/REFERENCE/comments/ID deletes a comment",
}

// flagError returns a function for errors of flags. To that of an unknown flag it adds which one does the same, or is
// similar, and passes it on.
func flagError(next func(*cobra.Command, error) error) func(*cobra.Command, error) error {
	return func(cmd *cobra.Command, err error) error {
		unknown, ok := errors.AsType[*pflag.NotExistError](err)
		if !ok {
			return next(cmd, err)
		}
		name := unknown.GetSpecifiedName()
		if advice := missingFlags[name]; advice != "" {
			return tree.Usagef("%w; %s", err, advice)
		}
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if similar := suggest.DidYouMean(name, known); similar != "" && len(name) > 1 {
			err = fmt.Errorf("%w%s", err, strings.Replace(similar, "did you mean ", "did you mean --", 1))
		}
		return next(cmd, err)
	}
}

// workspaceFlag is the value of --workspace. It is no flag, as which gh would take what follows its -w.
type workspaceFlag string

func (w *workspaceFlag) String() string { return string(*w) }

// Type is the name of the value in the help.
func (w *workspaceFlag) Type() string { return "string" }

// Set takes a workspace.
func (w *workspaceFlag) Set(text string) error {
	if strings.HasPrefix(text, "-") {
		return errors.New("-w takes a workspace, such as WEB; --web opens the browser")
	}
	*w = workspaceFlag(text)
	return nil
}

// otherNames are names of commands elsewhere, by the commands that do the same here.
var otherNames = map[string][]string{
	"slice": {"bug", "bugs", "issues", "reports", "slices", "ticket", "pr"}, "workspace": {"repo", "project", "org"},
	"slice list": {"find", "query"}, "slice view": {"show", "get", "read"}, "slice create": {"file", "add", "report"},
	"slice edit": {"update", "set", "label"}, "slice delete": {"rm", "remove"}, "slice restore": {"undelete"},
	"slice resolve": {"fix", "done"}, "slice comment": {"note", "reply"}, "slice attach": {"upload"},
	"slice open": {"browse"}, "slice start": {"checkout", "branch"}, "event": {"events", "watch"},
	"event tail": {"follow", "watch"},
}

// suggestCommands lets the errors of unknown commands suggest the commands that do what these do elsewhere.
func suggestCommands(root *cobra.Command) {
	for path, names := range otherNames {
		if cmd, _, err := root.Find(strings.Fields(path)); err == nil {
			cmd.SuggestFor = names
		}
	}
}
