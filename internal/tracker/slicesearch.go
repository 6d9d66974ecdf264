package tracker

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/query"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// withoutTerms returns a list in which the terms of its text are filters: status:open in q is the filter status. It
// refuses a filter that is given twice, and names of no record or of several. Free words stay in q.
func withoutTerms(q access.Queries, c access.Caller, in api.ListSlices) (api.ListSlices, error) {
	parsed, err := parseSearch("q", in.Q)
	isFree := func(term query.Term) bool { return term.Word == "" && !term.Negated }
	if err != nil || !slices.ContainsFunc(parsed.Terms, func(term query.Term) bool { return !isFree(term) }) {
		return in, err
	}
	d := directory{q: q, c: c, workspaceID: in.WorkspaceID}
	if d.workspaceID == "" {
		if d.workspaceID, err = d.workspaceOf(parsed); err != nil {
			return in, err
		}
	}
	zone, err := zoneOf(q, c)
	if err != nil {
		return in, err
	}
	terms, err := parsed.List(d, zone)
	if err != nil {
		return in, refusedSearch("q", in.Q, err)
	}
	if terms.Sort != "" {
		if in.Sort != "" && in.Sort != "createdAt" || in.Order == "asc" {
			return in, givenTwice("sort")
		}
		in.Sort, in.Order = terms.Sort, terms.Order
	}
	in.Q = ""
	err = addFilters(reflect.ValueOf(&in.SliceFilters).Elem(), reflect.ValueOf(&terms.SliceFilters).Elem(), false)
	return in, err
}

// parseSearch parses the text of a parameter, which may be pasted. It refuses faults with their positions.
func parseSearch(parameter, text string) (query.Query, error) {
	parsed, err := query.ParseText(text)
	return parsed, refusedSearch(parameter, text, err)
}

// refusedSearch returns the faults of a text as those of a parameter, and any other error as it is.
func refusedSearch(parameter, text string, err error) error {
	found, ok := errors.AsType[query.Faults](err)
	if !ok {
		return err
	}
	faults := make([]api.Fault, len(found))
	for i, f := range found {
		at := utf8.RuneCountInString(text[:f.At.From]) + 1
		faults[i] = api.Fault{Parameter: parameter, Code: f.Code,
			Detail: fmt.Sprintf("%s: %s (at character %d)", parameter, f.Detail, at)}
	}
	return api.NewProblem(api.CodeInvalidParameter, faults[0].Detail, faults...)
}

func givenTwice(parameter string) error {
	return api.InvalidParameter("q", "repeated", "q has a filter that the parameter "+parameter+" has, too; give it once")
}

// addFilters adds the filters that are set, and refuses one that is set already. Exclusions with several values are
// joined: each leaves slices out by itself.
func addFilters(to, from reflect.Value, excludes bool) error {
	for field, value := range from.Fields() {
		target := to.FieldByIndex(field.Index)
		switch {
		case value.IsZero():
		case field.Name == "Not":
			if err := addFilters(target, value, true); err != nil {
				return err
			}
		case target.IsZero():
			target.Set(value)
		case excludes && value.Kind() == reflect.Slice:
			target.Set(reflect.AppendSlice(target, value))
		case excludes && value.Kind() == reflect.String:
			target.SetString(target.String() + " " + value.String())
		default:
			return givenTwice(field.Tag.Get("query"))
		}
	}
	return nil
}

// zoneOf returns the time zone of a user, and UTC for a service and for a user who has chosen none.
func zoneOf(q access.Queries, c access.Caller) (*time.Location, error) {
	if c.Type == access.ServiceCaller {
		return time.UTC, nil
	}
	u, err := q.User(c.ID)
	if err != nil {
		return nil, err
	}
	zone, err := loadZone(u.TimeZone)
	if err != nil {
		return time.UTC, nil //nolint:nilerr // the user has chosen no zone
	}
	return zone, nil
}

// addSearch adds what a parameter searches for to a filter: words, beginnings of words, and references, which are
// resolved as the caller sees them. It refuses a text without words, and beginnings that most texts have.
func addSearch(q access.Queries, c access.Caller, f *store.SliceFilter, parameter, text string) error {
	if text == "" {
		return nil
	}
	parsed, err := parseSearch(parameter, text)
	if err != nil {
		return err
	}
	found := false
	for _, texts := range parsed.Searches() {
		alternatives := make([]store.SliceFilter, len(texts))
		for i, text := range texts {
			if alternatives[i], err = wordFilter(q, c, parameter, text); err != nil {
				return err
			}
		}
		alternatives = slices.DeleteFunc(alternatives, isEmpty)
		if len(alternatives) == 0 {
			continue
		}
		found = true
		if first := alternatives[0]; len(alternatives) == 1 {
			f.Words, f.Prefixes = append(f.Words, first.Words...), append(f.Prefixes, first.Prefixes...)
			f.References = append(f.References, first.References...)
			continue
		}
		f.AnyOf = append(f.AnyOf, alternatives)
	}
	if !found {
		return noWords(parameter)
	}
	return nil
}

func noWords(parameter string) error {
	return api.InvalidParameter(parameter, "no_words", parameter+" has no letters or digits to search for")
}

func isEmpty(f store.SliceFilter) bool { return len(f.Words)+len(f.Prefixes)+len(f.References) == 0 }

// wordFilter returns the filter of a text.
func wordFilter(q access.Queries, c access.Caller, parameter, text string) (f store.SliceFilter, err error) {
	if short := words.ParseSearch(text).TooShort(); short != "" {
		return f, api.InvalidParameter(parameter, "too_short",
			short+"* is too short: a beginning of words has at least 2 letters or digits")
	}
	var others []string
	for part := range strings.FieldsSeq(text) {
		key, number, ok := api.ParseReference(part)
		if !ok {
			others = append(others, part)
			continue
		}
		workspaceID, err := q.WorkspaceOfKey(c.Organization.ID, c.ReferenceReader(), key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return f, err
		}
		f.References = append(f.References,
			store.ReferenceFilter{WorkspaceID: workspaceID, Number: number, Words: words.Split(part)})
	}
	search := words.ParseSearch(strings.Join(others, " "))
	f.Words, f.Prefixes = search.Words, search.Prefixes
	return f, nil
}
