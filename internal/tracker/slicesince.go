package tracker

import (
	"context"
	"encoding/json"
	"slices"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// maxSince is the number of changes of a slice in which SliceSince looks for those after a version.
const maxSince = 20

// SliceSince is a slice with the members that were changed since a version of it.
type SliceSince struct {
	api.Slice
	members []string
	unknown bool // whether more was changed than SliceSince reads, or there was no such version
}

// Changed reports whether a member, or one that depends on it, was changed, or may have been.
func (s SliceSince) Changed(member string) bool {
	return s.unknown || slices.ContainsFunc(s.members, func(m string) bool {
		return m == member || slices.Contains(workflowMembers, m) && slices.Contains(workflowMembers, member)
	})
}

// SliceSince returns a slice that the caller sees, and what was changed of it after a version.
func (t *Tracker) SliceSince(ctx context.Context, c access.Caller, reference string, version int64,
) (out SliceSince, err error) {
	for _, operation := range []string{api.OpGetSlice, api.OpListActivity} {
		if err := c.Allow(operation); err != nil {
			return out, err
		}
	}
	q := t.access.Read(ctx)
	s, err := c.Slice(q, reference)
	if err != nil {
		return out, err
	}
	out.Slice, out.unknown = t.show(s), version > s.Version
	if version == s.Version {
		return out, nil
	}
	events, err := q.NewestEventsAbout(s.ID, []api.EventType{api.EventSliceUpdated}, [2]string{}, maxSince)
	if err != nil {
		return out, err
	}
	return out, out.read(events, version)
}

// read reads the members that events after a version have changed. The events are the newest ones, the newest first.
func (s *SliceSince) read(events []store.Event, version int64) error {
	for _, e := range events {
		var data struct {
			Slice    struct{ Version int64 }
			Previous map[string]json.RawMessage
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return err
		}
		if data.Slice.Version <= version {
			return nil
		}
		for member := range data.Previous {
			s.members = append(s.members, member)
		}
	}
	s.unknown = s.unknown || len(events) == maxSince
	return nil
}
