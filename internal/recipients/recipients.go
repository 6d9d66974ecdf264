// Package recipients has the rules by which people are told of the events of slices.
//
//	told := recipients.Of(recipients.Event{Type: api.EventCommentCreated, ActorID: author, Mentioned: ids}, report)
//
// Rules says for each type of event who is told. Of returns each person once, with the strongest reason, and never
// the actor. It decides nothing about rights: its caller leaves out who may not read the slice.
//
// The nearest choice of a person counts: that of the slice, else that of its space, else that of its workspace. Somebody
// who has muted it is told of mentions alone.
package recipients

import (
	"maps"
	"slices"
	"strings"

	"bugslice/api"
)

// Rule says who is told of a type of event.
type Rule struct {
	Mentioned    bool // those whom the event mentions
	Assignee     bool // the user to whom the event assigns the slice
	Participants bool // the reporter, the assignee, and those who have commented or were mentioned
	Watchers     bool // those who watch the slice, its space or its workspace
	Views        bool // those who watch a view that has the slice now, and did not have it before
	New          bool // the slice is new: nobody has chosen to watch it before
}

// Rules has a row for each type of event of which somebody is told.
var Rules = map[api.EventType]Rule{
	api.EventSliceCreated:       {Mentioned: true, Assignee: true, Watchers: true, Views: true, New: true},
	api.EventSliceUpdated:       {Mentioned: true, Views: true},
	api.EventSliceStatusChanged: {Participants: true, Watchers: true, Views: true},
	api.EventSliceAssigned:      {Assignee: true, Watchers: true, Views: true},
	api.EventSliceRestored:      {Views: true},
	api.EventCommentCreated:     {Mentioned: true, Participants: true, Watchers: true, Views: true},
	api.EventCommentUpdated:     {Mentioned: true},
}

// Types returns the types of the rules, in their order.
func Types() []api.EventType { return slices.Sorted(maps.Keys(Rules)) }

// silent are the actors of whose changes nobody is told: the operator, who imports, and the service itself, which
// detaches what is gone.
var silent = []string{"operator", "system"}

// visitor is the actor of what visitors of sources do, who are strangers: their texts mention nobody.
const visitor = "guest"

// rule returns the rule of the event.
func (e Event) rule() Rule {
	r := Rules[e.Type]
	if e.ActorType == visitor {
		r.Mentioned = false
	}
	return r
}

// ByVisitor reports whether a visitor of a source has caused the event.
func (e Event) ByVisitor() bool { return e.ActorType == visitor }

// Event is an event of a slice.
type Event struct {
	Type       api.EventType
	ActorType  string
	ActorID    string   // of a user or a key
	Mentioned  []string // the users whom its text mentions, and did not before
	AssigneeID string   // of the slice after the event
}

// Tells reports whether anybody may be told of the event.
func (e Event) Tells() bool {
	_, ok := Rules[e.Type]
	return ok && !slices.Contains(silent, e.ActorType)
}

// MayConcern reports whether somebody may be told of the event, by what is known without its slice: whether its text
// mentions somebody, and whether somebody watches the workspace, a space of it, or a view.
func (e Event) MayConcern(mentions, watched bool) bool {
	r := e.rule()
	return e.Tells() && (r.Participants || r.Mentioned && mentions || r.Assignee && e.AssigneeID != "" ||
		r.Watchers && !r.New || watched && (r.Watchers || r.Views))
}

// Choice is what somebody has chosen for a slice, its space or its workspace.
type Choice struct {
	UserID, SubjectID string
	Kind              string // slice, space or workspace
	Level             api.WatchLevel
}

// Match says that a view which somebody watches has the slice, of which the person was not told.
type Match struct{ UserID, ViewID string }

// Slice is what rules need of a slice.
type Slice struct {
	ReporterID, AssigneeID string   // users; empty for none
	Commenters             []string // users
	Mentioned              []string // users whom a text has mentioned before
	Choices                []Choice
	Matches                []Match
}

// Recipient is somebody who is told of an event.
type Recipient struct {
	UserID    string
	Reason    api.NoticeReason
	SubjectID string // of the watched view, space or workspace, when that is the reason
}

// nearest returns the choice that counts for each person.
func (s Slice) nearest() map[string]Choice {
	all := map[string]Choice{}
	for _, kind := range []string{"slice", "space", "workspace"} {
		for _, c := range s.Choices {
			if _, ok := all[c.UserID]; !ok && c.Kind == kind {
				all[c.UserID] = c
			}
		}
	}
	return all
}

// telling collects the recipients of an event, who are added in the order of the strength of their reasons.
type telling struct {
	event  Event
	rule   Rule
	chosen map[string]Choice // the nearest of each person
	all    map[string]Recipient
}

// add adds a person who is told for a reason, unless it is the actor, or the person has muted the slice.
func (t *telling) add(userID string, reason api.NoticeReason, subjectID string) {
	called := t.rule.Mentioned && slices.Contains(t.event.Mentioned, userID)
	if userID == "" || userID == t.event.ActorID || t.chosen[userID].Level == api.Muted && !called {
		return
	}
	if _, ok := t.all[userID]; !ok {
		t.all[userID] = Recipient{userID, reason, subjectID}
	}
}

func (t *telling) addAll(userIDs []string, reason api.NoticeReason) {
	for _, userID := range userIDs {
		t.add(userID, reason, "")
	}
}

// addWatchers adds those whose nearest choice is to watch a kind of subject.
func (t *telling) addWatchers(kind string, reason api.NoticeReason) {
	for _, c := range t.chosen {
		if c.Kind != kind || c.Level != api.Watching {
			continue
		}
		if kind == "slice" { // the notice names it
			c.SubjectID = ""
		}
		t.add(c.UserID, reason, c.SubjectID)
	}
}

// Of returns who is told of an event of a slice, by the id of the person.
func Of(e Event, s Slice) []Recipient {
	if !e.Tells() {
		return nil
	}
	t := telling{e, e.rule(), s.nearest(), map[string]Recipient{}}
	if t.rule.Mentioned {
		t.addAll(e.Mentioned, api.ReasonMentioned)
	}
	if t.rule.Assignee {
		t.add(e.AssigneeID, api.ReasonAssigned, "")
	}
	if t.rule.Participants {
		t.add(s.AssigneeID, api.ReasonAssigned, "")
		t.add(s.ReporterID, api.ReasonReported, "")
		t.addAll(s.Commenters, api.ReasonCommented)
		t.addAll(s.Mentioned, api.ReasonMentioned)
	}
	if t.rule.Watchers {
		t.addWatchers("slice", api.ReasonWatching)
	}
	if t.rule.Views {
		for _, m := range s.Matches {
			t.add(m.UserID, api.ReasonView, m.ViewID)
		}
	}
	if t.rule.Watchers {
		t.addWatchers("space", api.ReasonSpace)
		t.addWatchers("workspace", api.ReasonWorkspace)
	}
	return slices.SortedFunc(maps.Values(t.all), func(a, b Recipient) int { return strings.Compare(a.UserID, b.UserID) })
}
