package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
)

// completer returns what may be typed; a description follows after a tab.
type completer func(ctx context.Context, s *session, typed string) ([]string, error)

// flagCompleters are the completions of flags by their names, unless a flag lists its choices.
var flagCompleters = map[string]completer{"workspace": completeWorkspaces, "label": completeLabels,
	"add-label":    completeLabels,
	"remove-label": completeLabels, "assignee": completePeople, "reporter": completePeople, "mentions": completePeople,
	"space": completeSpaces, "of": completeReports, "duplicate-of": completeReports, "profile": completeProfiles,
	"status": choices(append(api.Status("").Values(), "all")...), "state": choices("open", "closed", "all"),
	"priority": choices(api.PriorityFilter("").Values()...),
	"severity": choices(api.SeverityFilter("").Values()...), "reason": choices(api.Resolution("").Values()...),
	"sort": choices("created", "updated", "priority"), "show": choices(api.SharePart("").Values()...)}

// argumentCompleters are the completions of arguments by the word that stands for them in the usage.
var argumentCompleters = map[string]completer{"REFERENCE": completeReports, "USER": completePeople,
	"WORKSPACE": completeWorkspaces,
	"SPACE":     completeSpaces, "PROFILE": completeProfiles, "VIEW": completeViews}

// addCompletions adds completions to a command and those below it.
func addCompletions(s *session, cmd *cobra.Command) {
	for name, complete := range flagCompleters {
		if f := cmd.Flags().Lookup(name); f != nil && f.Annotations[tree.Choices] == nil {
			_ = cmd.RegisterFlagCompletionFunc(name, s.completion(complete))
		}
		if f := cmd.PersistentFlags().Lookup(name); f != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, s.completion(complete))
		}
	}
	for _, name := range []string{"scope", "scopes", "event", "type"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Annotations[tree.Choices] != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, s.completion(choices(f.Annotations[tree.Choices]...)))
		}
	}
	if words := usageWords(cmd); len(words) > 1 {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string,
			cobra.ShellCompDirective) {
			at := min(len(args)+1, len(words)-1)
			if complete := argumentCompleters[words[at]]; complete != nil && (len(args)+1 < len(words) ||
				strings.Contains(cmd.Use, "…")) {
				return s.completion(complete)(cmd, args, typed)
			}
			return nil, cobra.ShellCompDirectiveDefault // files
		}
	}
	for _, child := range cmd.Commands() {
		addCompletions(s, child)
	}
}

// completion returns a completion for cobra. Without a server it completes nothing.
func (s *session) completion(complete completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		values, err := complete(cmd.Context(), s, typed)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var fitting []string
		for _, v := range values {
			value, description, _ := strings.Cut(v, "\t") // a shell prints both
			v = strings.TrimSuffix(output.OneLine(value)+"\t"+output.OneLine(description), "\t")
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(typed)) {
				fitting = append(fitting, v)
			}
		}
		return fitting, cobra.ShellCompDirectiveNoFileComp
	}
}

func choices(values ...string) completer {
	return func(context.Context, *session, string) ([]string, error) { return values, nil }
}

func described(value, description string) string {
	return value + "\t" + strings.Join(strings.Fields(description), " ")
}

func completeWorkspaces(ctx context.Context, s *session, _ string) (values []string, err error) {
	workspaces, err := s.allWorkspaces(ctx)
	for _, w := range workspaces {
		values = append(values, described(w.Key, w.Name))
	}
	return values, err
}

func completeProfiles(_ context.Context, s *session, _ string) (values []string, err error) {
	c, err := s.profiles.Load()
	for name, p := range c.Profiles {
		values = append(values, described(name, p.URL))
	}
	return values, err
}

// meant returns the workspaces whose names are completed: the one that is asked for, or all.
func (s *session) meant(ctx context.Context) ([]api.Workspace, error) {
	found, err := s.findWorkspace(ctx)
	if err != nil || found != nil {
		return []api.Workspace{deref(found)}, err
	}
	return s.allWorkspaces(ctx)
}

func completeLabels(ctx context.Context, s *session, _ string) (values []string, err error) {
	workspaces, err := s.meant(ctx)
	for _, w := range workspaces {
		labels, err := cached(ctx, s, "labels-"+w.ID, api.ListLabels{WorkspaceID: w.ID})
		if err != nil {
			return nil, err
		}
		for _, l := range labels {
			values = append(values, described(l.Label, countText(l.Count, l.More)+" reports"))
		}
	}
	return values, err
}

func completePeople(ctx context.Context, s *session, _ string) (values []string, err error) {
	workspaces, err := s.meant(ctx)
	values = []string{"me", "none"}
	for _, w := range workspaces {
		members, err := s.members(ctx, w.ID)
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			if m.Email != nil {
				values = append(values, described(*m.Email, m.Name))
			} else {
				values = append(values, m.Name)
			}
		}
	}
	return values, err
}

func completeSpaces(ctx context.Context, s *session, _ string) (values []string, err error) {
	workspaces, err := s.meant(ctx)
	for _, w := range workspaces {
		spaces, err := cached(ctx, s, "spaces-"+w.ID, api.ListSpaces{WorkspaceID: w.ID})
		if err != nil {
			return nil, err
		}
		for _, space := range spaces {
			values = append(values, space.Name)
		}
	}
	return values, err
}

func completeViews(ctx context.Context, s *session, _ string) (values []string, err error) {
	views, err := s.views(ctx, 0)
	for _, v := range views {
		values = append(values, described(v.Name, v.Query))
	}
	return values, err
}

// completeReports completes the references of the newest reports.
func completeReports(ctx context.Context, s *session, _ string) (values []string, err error) {
	found, err := s.findWorkspace(ctx)
	if err != nil {
		return nil, err
	}
	reports, err := cachedPage(ctx, s, "reports-"+deref(found).ID,
		api.ListSlices{Paging: api.Paging{Limit: api.MaxLimit}, Sort: "updatedAt",
			SliceFilters: api.SliceFilters{WorkspaceID: deref(found).ID}})
	for _, r := range reports {
		values = append(values, described(r.Reference, r.Summary))
	}
	return values, err
}
