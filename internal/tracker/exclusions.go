package tracker

import (
	"reflect"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// excluded returns the filter of the slices that a list of workspaces leaves out, nil for none.
func (t *Tracker) excluded(q store.Queries, c Caller, workspaces []string, in api.Exclusions) (*store.SliceFilter, error) {
	if reflect.ValueOf(in).IsZero() {
		return nil, nil
	}
	f := &store.SliceFilter{
		Spaces: in.SpaceID, Statuses: in.Status, Priorities: in.Priority, Severities: in.Severity, Has: in.Has,
		Labels: storedFormsOf(t.secrets, withNormalLabels(in.Label)), Unlabelled: in.WithoutLabels,
		Assignees: c.resolveMe(in.AssigneeID), Reporters: c.resolveMe(in.ReporterID),
		Texts: t.storedTexts(in.Texts()), Metadata: metadataFilters(in.Metadata),
	}
	if err := excludeWords(f, in.Q); err != nil {
		return nil, err
	}
	if len(in.Mentions) == 0 || len(workspaces) == 0 {
		return f, nil
	}
	names, err := q.MentionNames(workspaces, c.resolveMe(in.Mentions))
	f.Mentions = names
	return f, err
}

// excludeWords adds the words of a text, each of which leaves slices out. It refuses one that is several words for the search: slices
// with some of them would be left out, too.
func excludeWords(f *store.SliceFilter, text string) error {
	const parameter = "not[q]"
	if _, err := searchOf(parameter, text); err != nil {
		return err
	}
	for part := range strings.FieldsSeq(text) {
		search := words.ParseSearch(part)
		if search.Len() > 1 {
			return api.InvalidParameter(parameter, "several_words",
				parameter+" has single words, and "+input.Quote(part)+" is several")
		}
		f.Words, f.Prefixes = append(f.Words, search.Words...), append(f.Prefixes, search.Prefixes...)
	}
	return nil
}

// searchOf returns what a parameter searches for. It refuses a text without words, and prefixes that most texts have.
func searchOf(parameter, text string) (words.Search, error) {
	search := words.ParseSearch(text)
	switch {
	case text == "":
	case search.Len() == 0:
		return search, api.InvalidParameter(parameter, "no_words", parameter+" has no letters or digits to search for")
	case search.TooShort() != "":
		return search, api.InvalidParameter(parameter, "too_short",
			search.TooShort()+"* is too short: a beginning of words has at least 2 letters or digits")
	}
	return search, nil
}
