package recipients_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/recipients"
)

// everybody has a person for each relation to a slice.
var everybody = recipients.Slice{ReporterID: "reporter", AssigneeID: "assignee", Commenters: []string{"commenter"},
	Mentioned: []string{"mentioned"},
	Choices: []recipients.Choice{{"watcher", "slc", "slice", api.Watching}, {"in space", "spc", "space", api.Watching},
		{"in workspace", "wsp", "workspace", api.Watching}},
	Matches: []recipients.Match{{"viewer", "viw"}}}

// told returns the recipients of an event as person: reason.
func told(e recipients.Event, s recipients.Slice) string {
	var all []string
	for _, r := range recipients.Of(e, s) {
		text := fmt.Sprintf("%s: %s %s", r.UserID, r.Reason, r.SubjectID)
		all = append(all, strings.TrimSpace(text))
	}
	return strings.Join(all, ", ")
}

// TestRules: who is told of each type of event.
func TestRules(t *testing.T) {
	const (
		participants = "assignee: assigned, commenter: commented, "
		around       = "in space: space spc, in workspace: workspace wsp, "
		rest         = "reporter: reported, viewer: view viw, watcher: watching"
	)
	want := map[api.EventType]string{
		api.EventSliceCreated: "assignee: assigned, called: mentioned, " + around +
			"viewer: view viw, watcher: watching",
		api.EventSliceUpdated: "called: mentioned, viewer: view viw",
		api.EventSliceStatusChanged: participants + around +
			"mentioned: mentioned, " + rest,
		api.EventSliceAssigned: "assignee: assigned, " + around + "viewer: view viw, watcher: watching",
		api.EventSliceRestored: "viewer: view viw",
		api.EventCommentCreated: "assignee: assigned, called: mentioned, commenter: commented, " + around +
			"mentioned: mentioned, " + rest,
		api.EventCommentUpdated: "called: mentioned",
	}
	for _, row := range api.Events {
		e := recipients.Event{Type: row.Type, ActorType: "user", ActorID: "actor", Mentioned: []string{"called"},
			AssigneeID: "assignee"}
		assert.Equal(t, string(row.Type), told(e, everybody), want[row.Type])
		assert.Equal(t, string(row.Type)+" has a rule", slices.Contains(recipients.Types(), row.Type),
			want[row.Type] != "")
	}
}

// TestMayConcern: whoever is told of an event is expected before its slice is known.
func TestMayConcern(t *testing.T) {
	for kind := range recipients.Rules {
		for bits := range 1 << 6 {
			has := func(i int) bool { return bits>>i&1 == 1 }
			e, s := recipients.Event{Type: kind, ActorType: "user", ActorID: "actor"}, recipients.Slice{}
			if has(0) {
				e.Mentioned = []string{"called"}
			}
			if has(1) {
				e.AssigneeID = "assignee"
			}
			if has(2) {
				s.ReporterID, s.Commenters = "reporter", []string{"commenter"}
			}
			if has(3) && !recipients.Rules[kind].New {
				s.Choices = append(s.Choices, recipients.Choice{UserID: "watcher", SubjectID: "slc", Kind: "slice", Level: api.Watching})
			}
			if has(4) {
				s.Choices = append(s.Choices, recipients.Choice{UserID: "around", SubjectID: "wsp", Kind: "workspace", Level: api.Watching})
			}
			if has(5) {
				s.Matches = []recipients.Match{{UserID: "viewer", ViewID: "viw"}}
			}
			if told := recipients.Of(e, s); len(told) > 0 && !e.MayConcern(has(0), has(4) || has(5)) {
				t.Errorf("%s of %06b is not expected to tell %v", kind, bits, told)
			}
		}
	}
	if (recipients.Event{Type: api.EventSliceCreated, ActorType: "user"}).MayConcern(false, false) {
		t.Error("a report that names nobody, in a workspace that nobody watches, is read")
	}
}

// TestNobodyIsToldOfOwnActs: whatever the relation, and nobody is told of what the operator and the service do.
func TestNobodyIsToldOfOwnActs(t *testing.T) {
	for _, actor := range []string{"reporter", "assignee", "commenter", "mentioned", "watcher", "in space",
		"in workspace", "viewer", "called"} {
		e := recipients.Event{Type: api.EventCommentCreated, ActorType: "user", ActorID: actor,
			Mentioned: []string{"called"}}
		for _, r := range recipients.Of(e, everybody) {
			if r.UserID == actor {
				t.Errorf("%s is told of an own comment", actor)
			}
		}
		assert.Equal(t, "others", len(recipients.Of(e, everybody)), 8)
	}
	for _, actor := range []string{"operator", "system"} {
		e := recipients.Event{Type: api.EventCommentCreated, ActorType: actor, Mentioned: []string{"called"}}
		assert.Equal(t, actor, told(e, everybody), "")
	}
}

// TestChoices: the nearest choice counts, a muted slice tells of mentions in the event alone, and a person is
// told once, for the strongest reason.
func TestChoices(t *testing.T) {
	choice := func(kind string, level api.WatchLevel) recipients.Choice {
		return recipients.Choice{UserID: "a", SubjectID: kind, Kind: kind, Level: level}
	}
	for name, c := range map[string]struct {
		slice     recipients.Slice
		mentioned []string
		want      string
	}{
		"nothing": {recipients.Slice{}, nil, ""},
		"watched": {recipients.Slice{Choices: []recipients.Choice{choice("slice", api.Watching)}}, nil,
			"a: watching"},
		"muted": {recipients.Slice{ReporterID: "a", Choices: []recipients.Choice{choice("slice",
			api.Muted)}}, nil, ""},
		"muted and mentioned": {recipients.Slice{Choices: []recipients.Choice{choice("slice", api.Muted)}},
			[]string{"a"}, "a: mentioned"},
		"muted, and mentioned before": {recipients.Slice{Mentioned: []string{"a"},
			Choices: []recipients.Choice{choice("slice", api.Muted)}},
			nil, ""},
		"a muted workspace": {recipients.Slice{AssigneeID: "a", Mentioned: []string{"a"},
			Matches: []recipients.Match{{"a", "v"}},
			Choices: []recipients.Choice{choice("workspace", api.Muted)}}, nil, ""},
		"a watched slice of a muted workspace": {recipients.Slice{Choices: []recipients.Choice{choice("workspace",
			api.Muted),
			choice("slice", api.Watching)}}, nil, "a: watching"},
		"a watched space of a muted workspace": {recipients.Slice{Choices: []recipients.Choice{choice("workspace",
			api.Muted),
			choice("space", api.Watching)}}, nil, "a: space space"},
		"a muted slice of a watched workspace": {recipients.Slice{Choices: []recipients.Choice{choice("slice",
			api.Muted),
			choice("workspace", api.Watching)}}, nil, ""},
		"reasons": {recipients.Slice{ReporterID: "a", AssigneeID: "a", Commenters: []string{"a"},
			Matches: []recipients.Match{{"a", "v"}},
			Choices: []recipients.Choice{choice("workspace", api.Watching)}}, nil, "a: assigned"},
	} {
		e := recipients.Event{Type: api.EventCommentCreated, ActorType: "user", ActorID: "b", Mentioned: c.mentioned}
		assert.Equal(t, name, told(e, c.slice), c.want)
	}
}
