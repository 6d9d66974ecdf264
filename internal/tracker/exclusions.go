package tracker

import (
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
	if in.Q != "" {
		without, err := wordFilter(q, c, "not[q]", in.Q)
		if err == nil {
			err = checkSingleWords("not[q]", in.Q)
		}
		if err == nil && isEmpty(without) {
			err = noWords("not[q]")
		}
		if err != nil {
			return nil, err
		}
		f.Words, f.Prefixes, f.References = without.Words, without.Prefixes, without.References
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
