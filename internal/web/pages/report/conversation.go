package report

import (
	"cmp"
	"reflect"
	"slices"
	"time"
	"unicode"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// entry is a part of the conversation: a comment, or the changes that one actor made in a row.
type entry struct {
	At       api.Time
	Comment  *api.Comment // nil for changes
	Own      bool         // whether the reader wrote the comment
	Actor    string       // of the changes; empty for the service
	Via      string       // the name of the key of the changes; empty without one, and for a key that is the actor itself
	Imported bool         // whether the changes came with an import, which does not say the key
	Changes  []change
	Last     api.Time // of the last change
}

// change is what a part of the conversation says about one change.
type change struct {
	Kind     string // a member such as status, or created, deleted, restored, comment_deleted, file_added and so on, reported
	From, To string
	Added    []string // labels, or rules whose removals were marked as mistakes
	Removed  []string
	Count    int64 // of changes of this kind in a row
}

// foldWithin is the time between two changes of an actor that are shown as one entry.
const foldWithin = 30 * time.Minute

// entries returns the conversation: comments and changes in the order of their time.
func entries(d *data) (all []entry) {
	for i := range d.Comments {
		c := &d.Comments[i]
		all = append(all, entry{At: c.CreatedAt, Comment: c, Own: c.Author.Type == "user" &&
			value(c.Author.ID) == d.Me})
	}
	for _, a := range d.Activity {
		if changes := d.changes(a); len(changes) > 0 {
			e := entry{At: a.Timestamp, Last: a.Timestamp, Actor: d.actor(a.Actor), Changes: changes,
				Imported: a.Imported}
			e.Via = via(a.Via, e.Actor)
			if a.Type == api.EventSliceCreated && a.Actor.ID == nil { // it was imported, and had been filed before
				e.At, e.Last, e.Actor = d.CreatedAt, d.CreatedAt, d.Reporter.Name
			}
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return a.At.Compare(b.At.Time) })
	return fold(all)
}

// via returns the name of a key; empty without one, and for that of a service, which has the name of its key.
func via(v *api.Via, author string) string {
	if v == nil || v.Name == author {
		return ""
	}
	return v.Name
}

// Via returns the name of the key with which the comment of an entry was written, as via does.
func (d *data) Via(c api.Comment) string { return via(c.Via, c.Author.Name) }

// FiledVia returns the name of the key with which the report was filed, as via does.
func (d *data) FiledVia() string { return via(d.Slice.Via, d.Reporter.Name) }

// actor returns the name of an actor, empty for the service itself.
func (d *data) actor(a api.Actor) string {
	if a.Type == "guest" {
		return "A visitor"
	}
	if a.ID != nil {
		return d.Names[*a.ID]
	}
	return ""
}

// fold joins the changes that one actor made in a row.
func fold(all []entry) (folded []entry) {
	for _, e := range all {
		if n := len(folded) - 1; n >= 0 && e.Comment == nil && folded[n].Comment == nil &&
			folded[n].Actor == e.Actor && folded[n].Via == e.Via && folded[n].Imported == e.Imported &&
			e.At.Sub(folded[n].Last.Time) < foldWithin {
			folded[n].Changes, folded[n].Last = join(folded[n].Changes, e.Changes), e.Last
			continue
		}
		folded = append(folded, e)
	}
	return slices.DeleteFunc(folded, func(e entry) bool { return e.Comment == nil && len(e.Changes) == 0 })
}

// join adds changes to others. Two changes of one field are one, and none when the second undoes the first.
func join(all, more []change) []change {
	for _, c := range more {
		if c.Kind == "resolution" { // it says the status, too
			all = slices.DeleteFunc(all, func(o change) bool { return o.Kind == "status" })
		}
		i := slices.IndexFunc(all, func(o change) bool { return o.Kind == c.Kind })
		switch {
		case i < 0:
			all = append(all, c)
		case c.Kind == "labels" || c.Kind == "redaction":
			all[i].Added, all[i].Removed = joinLabels(all[i], c)
			if len(all[i].Added)+len(all[i].Removed) == 0 {
				all = slices.Delete(all, i, i+1)
			}
		case c.Count > 0:
			all[i].Count += c.Count
			all[i].To = c.To
		case all[i].From == c.To && slices.Contains(valued, c.Kind):
			all = slices.Delete(all, i, i+1)
		default:
			all[i].To = c.To
		}
	}
	return all
}

// valued are the fields whose changes are told with their values.
var valued = []string{"status", "resolution", "fixedInRelease", "priority", "severity", "assigneeId",
	"spaceId", "duplicateOfId", "summary"}

func joinLabels(a, b change) (added, removed []string) {
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(l string) bool { return slices.Contains(other, l) })
	}
	added = append(without(a.Added, b.Removed), without(b.Added, a.Removed)...)
	removed = append(without(a.Removed, b.Added), without(b.Removed, a.Added)...)
	return added, removed
}

// changes returns what an activity says.
func (d *data) changes(a api.Activity) (all []change) {
	switch a.Type {
	case api.EventSliceCreated:
		return []change{{Kind: "created"}}
	case api.EventSliceDeleted:
		return []change{{Kind: "deleted"}}
	case api.EventSliceRestored:
		return []change{{Kind: "restored"}}
	case api.EventCommentDeleted:
		return []change{{Kind: "comment_deleted", Count: 1}}
	case api.EventAttachmentCreated:
		return []change{{Kind: "file_added", Count: 1, To: a.Attachment.Name}}
	case api.EventAttachmentDeleted:
		return []change{{Kind: "file_deleted", Count: 1, To: a.Attachment.Name}}
	case api.EventAttachmentUpdated:
		return []change{{Kind: fileChange(a), Count: 1, To: a.Attachment.Name}}
	}
	for _, c := range a.Changes {
		if told, ok := d.shownChange(c); ok {
			all = append(all, told)
		}
	}
	if i := slices.IndexFunc(all, func(c change) bool {
		return c.Kind == "resolution" &&
			c.To != ""
	}); i >= 0 { // it says the status, too
		all = slices.DeleteFunc(all, func(c change) bool { return c.Kind == "status" && c.To == string(api.Resolved) })
	}
	return all
}

// fileChange returns the kind of a change of a file: whether it was reviewed, or another one.
func fileChange(a api.Activity) string {
	switch {
	case len(a.Changes) != 1 || a.Changes[0].Field != "reviewed":
		return "file_changed"
	case a.Attachment.Reviewed:
		return "file_reviewed"
	}
	return "file_unreviewed"
}

// shownChange returns the change of a member as the conversation shows it. ok is false for a member that follows from
// others.
func (d *data) shownChange(c api.Change) (told change, ok bool) {
	told = change{Kind: c.Field, From: text(c.From), To: text(c.To)}
	switch c.Field {
	case "status", "priority", "severity", "summary":
		return told, true
	case "resolution", "fixedInRelease":
		return told, told.To != ""
	case "assigneeId":
		told.From, told.To = d.Names[told.From], d.Names[told.To]
		return told, true
	case "spaceId":
		told.From, told.To = d.space(told.From), d.space(told.To)
		return told, true
	case "duplicateOfId":
		if d.Original != nil && told.To == d.Original.ID {
			told.To = d.Original.Reference
			return told, true
		}
		return told, false
	case "labels":
		from, to := texts(c.From), texts(c.To)
		told.Added, told.Removed = difference(to, from), difference(from, to)
		return told, true
	case "redaction":
		from, to := mistakes(c.From), mistakes(c.To)
		told.Added, told.Removed = difference(to, from), difference(from, to)
		return told, len(told.Added)+len(told.Removed) > 0
	case "occurrenceCount":
		told.Kind, told.Count = "reported", 1
		return told, true
	}
	return change{Kind: c.Field}, slices.Contains(fields, c.Field)
}

// fields are the members that clients write.
var fields = func() (names []string) {
	for f := range reflect.TypeFor[api.SliceFields]().Fields() {
		names = append(names, f.Tag.Get("json"))
	}
	return names
}()

// Name returns the name of a member as words: external id for externalId.
func (c change) Name() (words string) {
	for _, letter := range c.Kind {
		if unicode.IsUpper(letter) {
			words += " "
		}
		words += string(unicode.ToLower(letter))
	}
	return words
}

func text(v *any) string {
	if v == nil {
		return ""
	}
	s, _ := (*v).(string)
	return s
}

func texts(v *any) (all []string) {
	if v == nil {
		return nil
	}
	list, _ := (*v).([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// mistakes returns the rules whose removals are marked as mistakes in the value of redaction.
func mistakes(v *any) (rules []string) {
	if v == nil {
		return nil
	}
	redaction, _ := (*v).(map[string]any)
	counts, _ := redaction["byRule"].([]any)
	for _, count := range counts {
		n, _ := count.(map[string]any)
		if n["mistake"] == true {
			rule, _ := n["rule"].(string)
			kind, _ := n["kind"].(string)
			rules = append(rules, cmp.Or(rule, kind))
		}
	}
	return rules
}

func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// Edited returns whether a comment was edited.
func (entry) Edited(c *api.Comment) bool { return c.UpdatedAt.After(c.CreatedAt.Time) }

// MayDelete returns whether the reader may delete the comment of an entry.
func (d *data) MayDelete(e entry) bool { return e.Own || d.Admin }

// spacesOf returns the ids of the spaces that the report and its activity name.
func spacesOf(r page.Report) (ids []string) {
	if r.SpaceID != nil {
		ids = append(ids, *r.SpaceID)
	}
	for _, a := range r.Activity {
		for _, c := range a.Changes {
			if c.Field == "spaceId" {
				ids = append(ids, text(c.From), text(c.To))
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
