package command

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
	"bugslice/internal/query"
)

// listFlags are the flags of slice list.
type listFlags struct {
	terms   [len(filterFlags)][]string
	state   string // open, closed or all, as gh has it
	search  string // a query, as gh has it
	sort    string
	limit   int
	compact bool
	all     bool // also reports of which no status says that they are open
	web     bool
	query   string // of the list, in the language of the search box
	format  output.Format
}

// filterFlags are the flags that are words of the search box.
var filterFlags = [...]struct{ flag, short, word, usage string }{
	{"status", "", query.Status, "only with this `status`: open, in_progress, resolved, closed, or all"},
	{"label", "l", query.Label, "only with this `label`"},
	{"assignee", "a", query.Assignee, "only assigned to this `user`, me or none"},
	{"reporter", "A", query.Reporter, "only reported by this `user`, or me"},
	{"priority", "p", query.Priority, "only with this `priority`: urgent, high, medium, low or none"},
	{"severity", "", query.Severity, "only with this `severity`, or none"},
	{"space", "", query.Space, "only in this `space`, or none"},
	{"resolution", "", query.Resolution, "only resolved or closed for this `reason`, such as fixed"},
	{"release", "", query.Release, "only first reported with this `release`; newest is the newest one"},
	{"last-release", "", query.LastRelease, "only last reported with this `release`, or newest"},
	{"fixed-in", "", query.FixedIn, "only fixed in this `release`, or newest"},
	{"mentions", "", query.Mentions, "only that mention this `user`, or me"},
}

func newSliceList(s *session) *cobra.Command {
	var f listFlags
	cmd := s.command("list [QUERY…]", "List reports", nil, func(ctx context.Context, args []string) error {
		if err := f.format.Check(); err != nil {
			return err
		}
		in, err := f.input(ctx, s, strings.TrimSpace(strings.Join(args, " ")+" "+f.search))
		if err != nil {
			return err
		}
		if f.web {
			return s.browse(ctx, s.credentials.URL+"/reports?q="+url.QueryEscape(f.query))
		}
		return f.list(ctx, s, in)
	})
	cmd.Aliases = []string{"ls"}
	cmd.Long = "List the reports that a query finds, newest first: those that are open or in progress, unless a status " +
		"is given.\n\nA query is what the search box of the web application takes: words, and terms such as " +
		"status:open,in_progress label:checkout -label:firefox assignee:me priority:urgent created:>=2026-11-01 " +
		"has:replay sort:updated is:open no:label browser:Chrome created:7d. The last word may be a beginning, and " +
		"(timeout OR crash) finds either word. docs/guide/search.md has the language. A word that reports must not have, " +
		"such as -firefox, comes after --."
	cmd.Example = "  bugslice slice list label:checkout discount\n" +
		"  bugslice slice list --status all --assignee me --json reference,summary,status"
	flags := cmd.Flags()
	for i, filter := range filterFlags {
		flags.StringSliceVarP(&f.terms[i], filter.flag, filter.short, nil, filter.usage+"; repeatable")
	}
	flags.StringVarP(&f.state, "state", "s", "", "`state`: open (with in progress), closed (with resolved), or all")
	flags.StringVarP(&f.search, "search", "S", "", "only what this `query` finds; the same as QUERY")
	synonyms(cmd, map[string]string{"author": "reporter", "mention": "mentions"})
	flags.StringVar(&f.sort, "sort", "", "`order`: created, updated or priority, newest or most urgent first; "+
		"created-asc and so on "+
		"for the reverse")
	flags.IntVarP(&f.limit, "limit", "L", api.DefaultLimit, "how many are listed at most; 0 for all")
	flags.BoolVar(&f.compact, "compact", false, "print each report in one line of words, for agents")
	flags.BoolVar(&f.web, "web", false, "open the list in the browser")
	output.Register[api.Slice](&f.format, cmd)
	return cmd
}

// input returns the filters of a text of the search box and of the flags.
func (f *listFlags) input(ctx context.Context, s *session, text string) (in api.ListSlices, err error) {
	q, err := query.Parse(termsOfGitHub(text))
	if err != nil {
		return in, queryError(err)
	}
	if q, err = f.withState(q); err != nil {
		return in, err
	}
	for i, filter := range filterFlags {
		if len(f.terms[i]) > 0 {
			q = q.With(filter.word, termValues(filter.word, f.terms[i])...)
		}
	}
	if f.sort != "" {
		q = q.With(query.Sort, query.Bare(f.sort))
	}
	if !f.all {
		q = withDefaultStatus(q)
	}
	if q, err = query.Parse(q.String()); err != nil { // the values of the flags, too
		return in, queryError(err)
	}
	where, err := s.findWorkspace(ctx)
	if err != nil {
		return in, err
	}
	if _, ok := q.Get(query.Workspace); !ok && where != nil {
		q = q.With(query.Workspace, query.Name(query.Workspace, where.Key))
	}
	f.query = q.String()
	n := names{ctx: ctx, s: s}
	if where != nil {
		n.in = []api.Workspace{*where}
	} else if n.in, err = s.allWorkspaces(ctx); err != nil {
		return in, err
	}
	in, err = q.List(n, time.Local)
	return in, queryError(err)
}

// withState adds the statuses of the state. The states open and closed exclude other statuses.
func (f *listFlags) withState(q query.Query) (query.Query, error) {
	_, hasStatus := q.Get(query.Status)
	hasStatus = hasStatus || len(f.terms[0]) > 0
	switch f.state {
	case "":
		return q, nil
	case "open", "closed":
		if hasStatus {
			return q, tree.Usagef("--state and a status exclude each other; choose one")
		}
		if f.state == "open" { // the default
			return q, nil
		}
		return q.With(query.Status, query.Bare(string(api.Resolved)), query.Bare(string(api.Closed))), nil
	case "all":
		if hasStatus {
			return q, nil
		}
		return q.With(query.Status, query.Bare("all")), nil
	}
	return q, tree.Usagef("--state must be open, closed or all, not %q; --status takes %s", f.state,
		strings.Join(api.Status("").Values(), ", "))
}

func termValues(word string, texts []string) []query.Value {
	values := make([]query.Value, len(texts))
	for i, text := range texts {
		if text == "@me" { // as gh has it
			text = "me"
		}
		values[i] = query.Name(word, text)
		if text == "me" || text == "none" {
			values[i] = query.Bare(text)
		}
	}
	return values
}

// withDefaultStatus selects open reports and those in progress, unless the query has a status. The status all selects
// every one.
func withDefaultStatus(q query.Query) query.Query {
	for i, term := range q.Terms {
		if term.Word != query.Status {
			continue
		}
		if len(term.Values) == 1 && term.Values[0].Text == "all" && !term.Negated {
			return q.Without(i)
		}
		return q
	}
	return q.With(query.Status, query.Bare(string(api.Open)), query.Bare(string(api.InProgress)))
}

// queryError returns the faults of a query as a usage error.
func queryError(err error) error {
	faults, ok := errors.AsType[query.Faults](err)
	if !ok {
		return err
	}
	details := make([]string, len(faults))
	for i, f := range faults {
		details[i] = f.Detail
	}
	return tree.Usagef("%s; bugslice slice list --help shows what a query is", strings.Join(details, "; "))
}

// negatedTerm finds a term of a query that leaves reports out, which would be taken for flags.
var negatedTerm = regexp.MustCompile(`^-[a-z]+(-[a-z]+)*[.:]`)

// Arguments returns the arguments of a process, with the terms of a query that begin with a minus after --, so that
// they are not taken for flags.
func Arguments(args []string) []string {
	if len(args) < 2 || !slices.Contains([]string{"slice", "report", "issue"}, args[0]) ||
		args[1] != "list" && args[1] != "ls" {
		return args
	}
	flags, terms := cutArguments(args)
	isTerm := func(arg string) bool { return negatedTerm.MatchString(arg) }
	for _, arg := range flags {
		if isTerm(arg) {
			terms = append(terms, arg)
		}
	}
	flags = slices.DeleteFunc(flags, isTerm)
	if len(terms) == 0 {
		return flags
	}
	return append(append(flags, "--"), terms...)
}

// cutArguments returns the arguments before -- and those after it.
func cutArguments(args []string) (before, after []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return slices.Clone(args[:i]), slices.Clone(args[i+1:])
	}
	return slices.Clone(args), nil
}

// read reads the reports of a list up to the limit.
func (f *listFlags) read(ctx context.Context, s *session, in api.ListSlices) ([]api.Slice, error) {
	in.Limit = api.MaxLimit
	if f.limit > 0 {
		in.Limit = min(f.limit, api.MaxLimit)
	}
	return all(ctx, s, in, f.limit)
}

func (f *listFlags) list(ctx context.Context, s *session, in api.ListSlices) error {
	reports, err := f.read(ctx, s, in)
	if err != nil {
		return err
	}
	if f.format.IsSet() {
		return f.format.Print(ctx, s.out, reports)
	}
	if len(reports) == 0 {
		if s.out.Terminal {
			s.tell("No report matches. --status all also lists those that are resolved or closed.")
		}
		return nil
	}
	people, err := s.assignees(ctx, reports)
	if err != nil {
		return err
	}
	if !f.compact {
		return output.Table(s.out, reports, sliceColumns(s, people))
	}
	for _, r := range reports {
		if err := s.out.Line(s.out.Out, "%s", compactLine(r, people)); err != nil {
			return err
		}
	}
	return nil
}
