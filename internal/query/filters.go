package query

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/id"
	"bugslice/internal/words"
)

// Directory finds records by names, as the reader sees them.
type Directory interface {
	// Find returns the records that a value of workspace, space, assignee, reporter, mentions or duplicate may name.
	// One match means the record.
	Find(word, name string) ([]Match, error)
}

// Match is a record that a name may mean, and a value that means no other record.
type Match struct{ ID, Value string }

// List translates a query into the input of ListSlices, without a page. Days are those of a zone. The error is Faults
// when a name means no record, or several.
func (q Query) List(d Directory, zone *time.Location) (api.ListSlices, error) {
	t := translation{directory: d, zone: zone}
	for _, term := range q.Terms {
		if err := t.add(term); err != nil {
			return api.ListSlices{}, err
		}
	}
	t.in.Q, t.in.Not.Q = Query{t.free}.String(), strings.Join(t.excluded, " ")
	if len(t.faults) > 0 {
		return api.ListSlices{}, t.faults
	}
	return t.in, nil
}

type translation struct {
	directory Directory
	zone      *time.Location
	in        api.ListSlices
	free      []Term
	excluded  []string // free words
	faults    Faults
}

// add adds the filter of a term. The error is one of the directory.
func (t *translation) add(term Term) (err error) {
	texts := make([]string, len(term.Values))
	for i, v := range term.Values {
		texts[i] = v.Text
	}
	f := &t.in.SliceFilters
	if term.Negated {
		return t.exclude(term)
	}
	if name, ok := strings.CutPrefix(term.Word, metadata); ok {
		if f.Metadata == nil {
			f.Metadata = map[string][]string{}
		}
		f.Metadata[name] = texts
		return nil
	}
	if values := valuesOf(term.Word, f.Texts()); values != nil {
		for i, v := range term.Values {
			if begins(term.Word) && !v.Quoted && !strings.HasSuffix(v.Text, "*") {
				texts[i] += "*"
			}
		}
		*values = texts
		return nil
	}
	switch term.Word {
	case "":
		t.checkFree(term)
		t.free = append(t.free, term)
	case Status:
		f.Status = typed[api.Status](texts)
	case Resolution:
		f.Resolution = typed[api.Resolution](texts)
	case Priority:
		f.Priority = typed[api.PriorityFilter](texts)
	case Severity:
		f.Severity = typed[api.SeverityFilter](texts)
	case Has:
		f.Has = typed[api.EvidenceFilter](texts)
	case Number:
		f.Number, err = strconv.Atoi(texts[0])
	case Label:
		for _, v := range term.Values {
			if isBare(v, "none") {
				f.WithoutLabels = true
			} else {
				f.Label = append(f.Label, v.Text)
			}
		}
	case Created, Updated, Resolved, Sort:
		t.addOrder(term.Word, texts[0])
	default:
		return t.addNames(term)
	}
	return err
}

// exclude adds the values of a negated term to those that leave reports out. The error is one of the directory.
func (t *translation) exclude(term Term) error {
	if term.Word == "" {
		t.checkFree(term)
		t.excluded = append(t.excluded, term.Values[0].Text)
		return nil
	}
	term.Negated = false
	of := translation{directory: t.directory, zone: t.zone}
	err := of.add(term)
	t.faults = append(t.faults, of.faults...)
	f, not := of.in.SliceFilters, &t.in.Not
	not.SpaceID = append(not.SpaceID, f.SpaceID...)
	not.Status = append(not.Status, f.Status...)
	not.Resolution = append(not.Resolution, f.Resolution...)
	not.Priority = append(not.Priority, f.Priority...)
	not.Severity = append(not.Severity, f.Severity...)
	not.Label = append(not.Label, f.Label...)
	not.WithoutLabels = not.WithoutLabels || f.WithoutLabels
	not.AssigneeID = append(not.AssigneeID, f.AssigneeID...)
	not.ReporterID = append(not.ReporterID, f.ReporterID...)
	not.Mentions = append(not.Mentions, f.Mentions...)
	not.Has = append(not.Has, f.Has...)
	if values := valuesOf(term.Word, not.Texts()); values != nil {
		*values = append(*values, *valuesOf(term.Word, f.Texts())...)
	}
	for name, values := range f.Metadata {
		if not.Metadata == nil {
			not.Metadata = map[string][]string{}
		}
		not.Metadata[name] = append(not.Metadata[name], values...)
	}
	return err
}

// valuesOf returns the values of the filter with a word, nil when there is none.
func valuesOf(word string, filters []api.TextFilter) *[]string {
	if i := slices.IndexFunc(filters, func(f api.TextFilter) bool { return f.Word == word }); i >= 0 {
		return filters[i].Values
	}
	return nil
}

// checkFree refuses a free text that finds nearly everything, and alternatives without words. The words of a text that
// is excluded would each leave reports out, so that it is one word or a reference.
func (t *translation) checkFree(term Term) {
	for _, v := range term.Values {
		_, _, isReference := api.ParseReference(v.Text)
		switch search := words.ParseSearch(v.Text); {
		case search.TooShort() != "":
			t.refuse(v, "too_short", quote(search.TooShort()+"*")+" is too short: two letters or digits stand before *")
		case term.Negated && search.Len() == 0:
			t.refuse(v, "no_words", quote(v.Text)+" has no letters or digits to leave out")
		case len(term.Values) > 1 && search.Len() == 0:
			t.refuse(v, "no_words", quote(v.Text)+" has no letters or digits to search for")
		case term.Negated && search.Len() > 1 && !isReference:
			t.refuse(v, "several_words", quote(v.Text)+" is several words; only one can be left out by a minus")
		}
	}
}

func (t *translation) refuse(v Value, code, detail string) {
	t.faults = append(t.faults, Fault{At: v.At, Code: code, Detail: detail})
}

func typed[T ~string](texts []string) []T {
	all := make([]T, len(texts))
	for i, text := range texts {
		all[i] = T(text)
	}
	return all
}

// addOrder adds a range of time, or the order of the list.
func (t *translation) addOrder(word, text string) {
	r, _ := parseRange(text)
	switch word {
	case Created:
		t.in.CreatedAfter, t.in.CreatedBefore = r.bounds(t.zone)
	case Updated:
		t.in.UpdatedAfter, t.in.UpdatedBefore = r.bounds(t.zone)
	case Resolved:
		t.in.ResolvedAfter, t.in.ResolvedBefore = r.bounds(t.zone)
	case Sort:
		by, ascending := strings.CutSuffix(text, "-asc")
		t.in.Sort = map[string]string{"created": "createdAt", "updated": "updatedAt"}[by]
		if t.in.Sort == "" {
			t.in.Sort = by
		}
		if ascending {
			t.in.Order = "asc"
		}
	}
}

// named has the prefixes of the ids, and the bare values with a meaning of their own, of the words whose values name
// records.
var named = map[string]struct{ prefixes, keywords []string }{
	Workspace: {[]string{id.Workspace}, nil},
	Space:     {[]string{id.Space}, []string{"none"}},
	Assignee:  {[]string{id.User}, []string{"me", "none"}},
	Reporter:  {[]string{id.User, id.Key}, []string{"me", visitor}},
	Mentions:  {[]string{id.User}, []string{"me"}},
	Duplicate: {[]string{id.Slice}, nil},
}

// addNames adds the filter of a term whose values name records.
func (t *translation) addNames(term Term) error {
	var ids []string
	for _, v := range term.Values {
		recordID, err := t.find(term.Word, v)
		if err != nil {
			return err
		}
		ids = append(ids, recordID)
	}
	switch term.Word {
	case Workspace:
		t.in.WorkspaceID = ids[0]
	case Space:
		t.in.SpaceID = ids
	case Assignee:
		t.in.AssigneeID = ids
	case Reporter:
		t.in.ReporterID = ids
	case Mentions:
		t.in.Mentions = ids
	case Duplicate:
		t.in.DuplicateOfID = ids
	}
	return nil
}

// find returns the id of the record that a value names. A name of no record, or of several, is a fault.
func (t *translation) find(word string, v Value) (string, error) {
	kind := named[word]
	isID := slices.ContainsFunc(kind.prefixes, func(prefix string) bool { return id.Valid(prefix, v.Text) })
	if isID || slices.ContainsFunc(kind.keywords, func(keyword string) bool { return isBare(v, keyword) }) {
		return v.Text, nil
	}
	found, err := t.directory.Find(word, v.Text)
	if err != nil {
		return "", err
	}
	switch len(found) {
	case 1:
		return found[0].ID, nil
	case 0:
		t.refuse(v, "unknown_name", "there is no "+nouns[word]+" "+quote(v.Text))
		return "", nil
	}
	var values []string
	for _, m := range found[:min(len(found), 3)] {
		values = append(values, m.Value)
	}
	t.refuse(v, "ambiguous_name", "there are several "+nouns[word]+"s "+quote(v.Text)+"; write "+
		strings.Join(values, " or "))
	return "", nil
}

var nouns = map[string]string{Workspace: "workspace", Space: "space", Assignee: "member", Reporter: "member",
	Mentions: "member", Duplicate: "report"}

// parameters has the word of each parameter of ListSlices that is not named like its word.
var parameters = map[string]string{"workspaceId": Workspace, "spaceId": Space, "assigneeId": Assignee,
	"reporterId":    Reporter,
	"duplicateOfId": Duplicate,
	"externalId":    "external", "createdAfter": Created, "createdBefore": Created, "updatedAfter": Updated,
	"updatedBefore": Updated,
	"resolvedAfter": Resolved, "resolvedBefore": Resolved,
	"order": Sort, "withoutLabels": Label}

// FaultsOf returns the faults of a query that the validation or the operation has refused; ok is false for an error
// that is not about the query.
func (q Query) FaultsOf(err error) (faults Faults, ok bool) {
	var p *api.Problem
	if !errors.As(err, &p) || p.Code != api.CodeInvalidParameter {
		return nil, false
	}
	for _, f := range p.Errors {
		parameter, negated := strings.CutPrefix(f.Parameter, "not[")
		if negated {
			parameter = strings.Replace(parameter, "]", "", 1)
		}
		word := parameters[parameter]
		name, isMetadata := strings.CutPrefix(parameter, "metadata[")
		switch {
		case isMetadata:
			word = Metadata(strings.TrimSuffix(name, "]"))
		case parameter == "cursor" || parameter == "limit":
			return nil, false
		case parameter == "q":
			word = ""
		case word == "":
			word = parameter
		case word == Workspace && f.Code == "required":
			word = q.ofOneWorkspace()
		}
		at := Span{}
		if i := slices.IndexFunc(q.Terms, func(t Term) bool { return t.Word == word && t.Negated == negated }); i >= 0 {
			at = q.Terms[i].At
		}
		faults = append(faults, Fault{At: at, Code: f.Code, Detail: detailOf(f)})
	}
	return faults, len(faults) > 0
}

// ofOneWorkspace returns the word of the first term that has a meaning in one workspace alone: the newest release, or the
// order by priority.
func (q Query) ofOneWorkspace() string {
	for _, t := range q.Terms {
		if slices.ContainsFunc(t.Values, func(v Value) bool { return v.Text == api.NewestRelease }) && t.Word != Sort {
			return t.Word
		}
	}
	return Sort
}

// detailOf returns the detail of a fault in the words of the search box.
func detailOf(f api.Fault) string {
	switch f.Parameter + " " + f.Code {
	case "q no_words":
		return "the search has no letters or digits"
	case "workspaceId required":
		return "newest, and an order by priority, are of one workspace; add workspace: and its name"
	}
	return f.Detail
}

// In returns the query with the instants of a zone in place of days. It selects the same reports for readers of all
// zones.
func (q Query) In(zone *time.Location) Query {
	for _, word := range []string{Created, Updated, Resolved} {
		if t, ok := q.Get(word); ok && len(t.Values) == 1 {
			if r, ok := parseRange(t.Values[0].Text); ok {
				q = q.With(word, Bare(r.in(zone)))
			}
		}
	}
	return q
}
