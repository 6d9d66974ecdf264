package tracker

import (
	"slices"

	"bugslice/internal/recipients"
	"bugslice/internal/store/notices"
)

const (
	maxWatchedViews = 20   // of a user
	maxViewMatches  = 1000 // slices of a view that are no news when somebody begins to watch it
)

// addMatches adds the views to slices which have them now, and of which their watchers were not told.
func (b *noticesOf) addMatches(all []toldEvent, people map[string]*recipients.Slice) error {
	var ids []string
	for _, e := range all {
		if recipients.Rules[e.Type].Views && people[e.SliceID] != nil && !slices.Contains(ids, e.SliceID) {
			ids = append(ids, e.SliceID)
		}
	}
	if len(ids) == 0 || len(b.views) == 0 {
		return nil
	}
	told, err := b.q.Notices().Told(ids)
	if err != nil {
		return err
	}
	for _, v := range b.views {
		untold := slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
			return told[notices.Match{SliceID: id, ViewID: v.ViewID, UserID: v.UserID}]
		})
		found, err := b.t.matching(b.q, b.t.authority.Reader(v.UserID, b.at.OrgID), viewIn{b.at.WorkspaceID, v.Query}, untold, len(untold))
		if unlessRefused(err) != nil {
			return err
		}
		for _, id := range found {
			people[id].Matches = append(people[id].Matches, recipients.Match{UserID: v.UserID, ViewID: v.ViewID})
			b.matches = append(b.matches, notices.Match{SliceID: id, ViewID: v.ViewID, UserID: v.UserID})
		}
	}
	return nil
}
