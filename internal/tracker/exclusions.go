package tracker

import (
	"errors"
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// excluded returns the filter of the slices that a list of workspaces leaves out, nil for none.
func (t *Tracker) excluded(q access.Queries, c access.Caller, workspaces []string, in api.Exclusions,
) (*store.SliceFilter, error) {
	if reflect.ValueOf(in).IsZero() {
		return nil, nil
	}
	f := &store.SliceFilter{
		Spaces: in.SpaceID, Statuses: in.Status, Resolutions: in.Resolution, Priorities: in.Priority,
		Severities: in.Severity, Has: in.Has,
		Labels: storedFormsOf(t.secrets, withNormalLabels(in.Label)), Unlabelled: in.WithoutLabels,
		Assignees: resolveMe(c, in.AssigneeID), Reporters: resolveMe(c, in.ReporterID),
		Texts: storedTexts(t.secrets, in.Texts()), Metadata: metadataFilters(in.Metadata),
	}
	err := addSearch(q, c, f, "not[q]", in.Q)
	if err == nil {
		err = checkSingleWords("not[q]", in.Q)
	}
	if err != nil {
		return nil, err
	}
	if len(in.Mentions) == 0 || len(workspaces) == 0 {
		return f, nil
	}
	names, err := q.MentionNames(workspaces, resolveMe(c, in.Mentions))
	f.Mentions = names
	return f, err
}

// checkSingleWords refuses a text with a part that is several words for the search, unless it is a reference: slices
// with some of them would be left out, too.
func checkSingleWords(parameter, text string) error {
	for part := range strings.FieldsSeq(text) {
		if _, _, isReference := api.ParseReference(part); !isReference && words.ParseSearch(part).Len() > 1 {
			return api.InvalidParameter(parameter, "several_words",
				parameter+" has single words, and "+input.Quote(part)+" is several")
		}
	}
	return nil
}

// search adds what a parameter searches for to a filter: words, beginnings of words, and references, which are
// resolved as the caller sees them. It refuses a text without words, and prefixes that most texts have.
func addSearch(q access.Queries, c access.Caller, f *store.SliceFilter, parameter, text string) error {
	switch search := words.ParseSearch(text); {
	case text == "":
		return nil
	case search.Len() == 0:
		return api.InvalidParameter(parameter, "no_words", parameter+" has no letters or digits to search for")
	case search.TooShort() != "":
		return api.InvalidParameter(parameter, "too_short",
			search.TooShort()+"* is too short: a beginning of words has at least 2 letters or digits")
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
			return err
		}
		f.References = append(f.References,
			store.ReferenceFilter{WorkspaceID: workspaceID, Number: number, Words: words.Split(part)})
	}
	search := words.ParseSearch(strings.Join(others, " "))
	f.Words, f.Prefixes = search.Words, search.Prefixes
	return nil
}
