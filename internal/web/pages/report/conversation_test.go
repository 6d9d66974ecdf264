package report

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// activity returns a change of members of a report, at a minute.
func activity(minutes int, actor string, changes ...api.Change) api.Activity {
	return api.Activity{Type: api.EventSliceUpdated,
		Timestamp: api.At(time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute)),
		Actor:     api.Actor{Type: "user", ID: &actor}, Changes: changes}
}

func of(member string, from, to any) api.Change {
	return api.Change{Field: member, From: &from, To: &to}
}

// TestEntries: the changes that one actor makes in a row are one entry, of which those that undo each other are left
// out. A comment, another actor and half an hour end it.
func TestEntries(t *testing.T) {
	d := &data{Report: page.Report{Names: map[string]string{"a": "Ada", "b": "Bob"}}}
	d.Activity = []api.Activity{
		activity(0, "a", of("status", "open", "in_progress"), of("labels", []any{}, []any{"x"})),
		activity(1, "a", of("priority", nil, "high"), of("labels", []any{"x"}, []any{"x", "y"})),
		activity(2, "a", of("priority", "high", nil), of("assigneeId", nil, "b"),
			of("labels", []any{"x", "y"}, []any{"y"})),
		activity(3, "b", of("occurrenceCount", 1, 2)),
		activity(4, "b", of("occurrenceCount", 2, 3), of("lastOccurrence", nil, nil)),
		activity(5, "a", of("status", "in_progress", "resolved"), of("resolution", nil, "fixed")),
		activity(6, "a", of("version", 1, 2)),
		activity(40, "a", of("summary", "a", "b")),
		activity(50, "a", of("description", "a", "b")), activity(60, "a", of("description", "b", "c")),
	}
	d.CreatedAt, d.Reporter.Name = api.At(time.Unix(-9999, 0)), "Ida" // filed before it was imported
	d.Activity = append(d.Activity, api.Activity{Type: api.EventSliceCreated,
		Timestamp: api.At(time.Unix(99999, 0)), Actor: api.Actor{Type: "operator"}})
	d.Comments = []api.Comment{{ID: "c", CreatedAt: d.Activity[8].Timestamp, UpdatedAt: d.Activity[8].Timestamp}}
	want := [][]change{
		{{Kind: "created"}},
		{{Kind: "status", From: "open", To: "in_progress"}, {Kind: "labels", Added: []string{"y"}, Removed: []string{}},
			{Kind: "assigneeId", To: "Bob"}},
		{{Kind: "reported", Count: 2}},
		{{Kind: "resolution", To: "fixed"}},
		{{Kind: "summary", From: "a", To: "b"}},
		nil,
		{{Kind: "description"}},
	}
	got := entries(d)
	if len(got) != len(want) {
		t.Fatalf("%d entries: %+v", len(got), got)
	}
	if got[0].Actor != "Ida" {
		t.Errorf("%s has filed it", got[0].Actor)
	}
	for i, e := range got {
		same := slices.EqualFunc(e.Changes, want[i], func(a, b change) bool {
			return a.Kind == b.Kind && a.From == b.From && a.To == b.To &&
				a.Count == b.Count && slices.Equal(a.Added, b.Added) && slices.Equal(a.Removed, b.Removed)
		})
		if !same || (e.Comment != nil) != (want[i] == nil) {
			t.Errorf("entry %d: %+v, not %+v", i, e, want[i])
		}
	}
}

// TestEveryFieldIsTold: the activity tells of a change of each member of a slice that clients write.
func TestEveryFieldIsTold(t *testing.T) {
	d := &data{Report: page.Report{Names: map[string]string{"to": "Ada"},
		Original: &api.Slice{ID: "to", Reference: "WEB-1"}}}
	for f := range reflect.TypeFor[api.SliceFields]().Fields() {
		name := f.Tag.Get("json")
		c := of(name, "from", "to")
		if name == "labels" {
			c = of(name, []any{"from"}, []any{"to"})
		}
		if _, ok := d.shownChange(c); !ok {
			t.Errorf("a change of %s is not told", name)
		}
	}
	if name := (change{Kind: "externalId"}).Name(); name != "external id" {
		t.Errorf("a change of externalId is told as one of the %s", name)
	}
}
