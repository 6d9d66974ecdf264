package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
	"bugslice/internal/store/reporters"
)

// ErasedByReporter is the summary of a report whose reporter has erased it.
const ErasedByReporter = "Erased by the reporter"

const erasedEvents = 100 // of a transaction

// Erase takes away what the reporter of a page has given: texts, name, address, files, evidence and answers, also from the
// events of the slice. The page ends with it. Of a report that waits nothing is left. What members have written stays.
//
// It works in steps; when one fails the page is still there, and the next call goes on.
func (vs Visitors) Erase(ctx context.Context, c access.Caller) error {
	if err := c.Allow(api.OpEraseAsReporter); err != nil {
		return err
	}
	r, err := reporterOf(c)
	if err != nil {
		return err
	}
	e := reporterErasure{vs.t, c, r.Page}
	if r.Waiting {
		return e.eraseWaiting(ctx)
	}
	for _, step := range []func(context.Context) error{e.answers, e.files, e.report, e.events, e.end} {
		if err := step(ctx); err != nil {
			return hidden(err)
		}
	}
	vs.t.wakeRemoval()
	return nil
}

// reporterErasure is the erasure of what the reporter of a page has given.
type reporterErasure struct {
	t    *Tracker
	c    access.Caller
	page reporters.Page
}

func (e reporterErasure) write(ctx context.Context, fn func(*access.Tx, access.Caller) error) error {
	return access.Change(ctx, e.t.access, e.c, api.OpEraseAsReporter, fn)
}

// errTakenMeanwhile refuses the deletion of a report that a member has just accepted.
var errTakenMeanwhile = api.NewProblem(api.CodeConflict, "The team has just taken the report. Try again.")

// eraseWaiting deletes a report that waits, and before it the deleted slice of one that was accepted and taken back.
func (e reporterErasure) eraseWaiting(ctx context.Context) error {
	for done := !e.ownsSlice(); !done; {
		err := access.SystemChange(ctx, e.t.authority, func(tx *access.Tx) error {
			s, err := tx.LockSlice(e.page.SliceID)
			if err == nil && s.DeletedAt == nil {
				err = errTakenMeanwhile
			}
			if err == nil {
				done, err = tx.PurgeSlices([]string{s.ID}, e.t.clock(), recordsAtOnce)
			}
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return err
		}
	}
	return access.SystemChange(ctx, e.t.authority, func(tx *access.Tx) error {
		u, err := tx.Queries.Sources().SubmissionOfSlice(e.page.SourceID, e.page.SliceID)
		if err == nil {
			u, err = tx.Sources().LockSubmission(u.ID)
		}
		if errors.Is(err, store.ErrNotFound) {
			return e.deletePage(tx)
		}
		if err != nil {
			return err
		}
		if u.State == api.SubmissionAccepted {
			return errTakenMeanwhile
		}
		return errors.Join(e.t.removeSubmission(tx, u), e.deletePage(tx))
	})
}

// answers deletes the answers of the reporter, as the deletion of any comment does.
func (e reporterErasure) answers(ctx context.Context) error {
	all, err := e.t.access.Read(ctx).Reporters().Answers(e.page, maxAnswers)
	for _, commentID := range all {
		if err == nil {
			err = e.write(ctx, func(tx *access.Tx, c access.Caller) error {
				s, err := c.LockSlice(tx, e.page.SliceID)
				if err != nil {
					return err
				}
				comment, err := tx.LockComment(commentID)
				if errors.Is(err, store.ErrNotFound) {
					return nil
				}
				if err != nil {
					return err
				}
				return e.t.deleteComment(tx, c, s, comment)
			})
		}
	}
	return err
}

// files deletes the files of the reporter, with the evidence of the report.
func (e reporterErasure) files(ctx context.Context) error {
	all, err := e.t.access.Read(ctx).Reporters().Files(e.page, maxReporterFiles)
	for _, f := range all {
		if err == nil {
			err = e.write(ctx, func(tx *access.Tx, c access.Caller) error {
				s, err := c.LockSlice(tx, e.page.SliceID)
				if err != nil {
					return err
				}
				a, err := tx.LockAttachment(f.ID)
				if errors.Is(err, store.ErrNotFound) {
					return nil
				}
				if err != nil {
					return err
				}
				return e.t.removeAttachment(tx, c, s, a)
			})
		}
	}
	return err
}

// ownsSlice reports whether the report is the one that the slice was made of, and not a later one of the same bug.
func (e reporterErasure) ownsSlice() bool { return e.page.Occurrence == 1 }

// report takes the texts and the person away from the slice, and from the occurrence.
func (e reporterErasure) report(ctx context.Context) error {
	return e.write(ctx, func(tx *access.Tx, c access.Caller) error {
		s, err := c.LockSlice(tx, e.page.SliceID)
		if err != nil {
			return err
		}
		isLast, none := s.OccurrenceCount == e.page.Occurrence, &store.Erasure{}
		err = errors.Join(
			tx.EraseRow(erasedTable("slices"), none, store.RowKey{s.ID}, func(column, text string, _, _ bool) string {
				if column == "last_occurrence" && isLast {
					return rewriteJSON(text, eraseOccurrence)
				}
				if e.ownsSlice() {
					return eraseColumn(column, text)
				}
				return text
			}),
			tx.EraseRow(erasedTable("occurrences"), none, store.RowKey{s.ID, e.page.Occurrence},
				func(column, text string, _, _ bool) string {
					if column == "metadata" {
						return ""
					}
					return text
				}),
			tx.Reporters().EraseName(e.page, visitorName))
		if err != nil {
			return err
		}
		if s, err = tx.LockSlice(s.ID); err != nil {
			return err
		}
		if e.ownsSlice() {
			s.Description, s.SourceURL = nil, nil
		}
		s.UpdatedAt = maxTime(e.t.clock(), s.UpdatedAt)
		return e.t.saveSlice(tx, c, &s, api.EventSliceUpdated)
	})
}

// visitorName is the name of a guest who has none.
const visitorName = "Visitor"

func erasedTable(name string) store.ErasedTable {
	for _, t := range store.ErasedTables {
		if t.Name == name {
			return t
		}
	}
	panic("tracker: no erased table " + name)
}

// eraseColumn returns what is left of a text of the slice.
func eraseColumn(column, text string) string {
	switch column {
	case "summary":
		return ErasedByReporter
	case "description", "source_url", "symptoms", "metadata":
		return ""
	case "visitor":
		return rewriteJSON(text, eraseVisitor)
	}
	return text
}

// rewriteJSON returns a document after a change of it.
func rewriteJSON(text string, change func(map[string]any)) string {
	var v map[string]any
	if json.Unmarshal([]byte(text), &v) != nil || v == nil {
		return text
	}
	change(v)
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return string(out)
}

// replaceMembers replaces the members of a document that it has.
func replaceMembers(of map[string]any, by map[string]any) {
	for name, value := range by {
		if _, ok := of[name]; ok {
			of[name] = value
		}
	}
}

func eraseOccurrence(o map[string]any) {
	replaceMembers(o, map[string]any{"reporterName": visitorName, "metadata": map[string]any{}})
}

func eraseVisitor(v map[string]any) {
	replaceMembers(v, map[string]any{"name": nil, "email": nil, "userId": nil, "origin": nil})
}

// events takes the texts away from the events of the slice.
func (e reporterErasure) events(ctx context.Context) error {
	at, err := e.occurredAt(ctx)
	if err != nil {
		return err
	}
	table, after := erasedTable("events"), ""
	for {
		var ids []string
		err := e.write(ctx, func(tx *access.Tx, _ access.Caller) (err error) {
			ids, err = tx.Queries.Reporters().Events(e.page, after, erasedEvents)
			for _, eventID := range ids {
				if err == nil {
					err = tx.EraseRow(table, &store.Erasure{}, store.RowKey{eventID}, func(_, text string, _, _ bool) string {
						return rewriteJSON(text, func(data map[string]any) { e.eraseEvent(data, at) })
					})
				}
			}
			return err
		})
		if err != nil || len(ids) < erasedEvents {
			return err
		}
		after = ids[len(ids)-1]
	}
}

// occurredAt returns the time of the report, by which events name a later report of a bug; empty for the first one.
func (e reporterErasure) occurredAt(ctx context.Context) (string, error) {
	if e.ownsSlice() {
		return "", nil
	}
	o, err := e.t.access.Read(ctx).Occurrence(e.page.SliceID, e.page.Occurrence)
	if err != nil {
		return "", access.OrNotFound(err, "page")
	}
	text, err := json.Marshal(o.CreatedAt)
	return strings.Trim(string(text), `"`), err
}

// eraseEvent takes what the reporter has given from the data of an event.
func (e reporterErasure) eraseEvent(data map[string]any, at string) {
	for _, name := range []string{"slice", "previous"} {
		s, ok := data[name].(map[string]any)
		if !ok {
			continue
		}
		if o, ok := s["lastOccurrence"].(map[string]any); ok && o["at"] == at {
			eraseOccurrence(o)
		}
		if _, isOfSlice := data["slice"]; !e.ownsSlice() || !isOfSlice {
			continue
		}
		replaceMembers(s, map[string]any{"summary": ErasedByReporter, "description": nil, "sourceUrl": nil, "metadata": map[string]any{}})
		if v, ok := s["visitor"].(map[string]any); ok {
			eraseVisitor(v)
		}
		eraseGuest(s["reporter"])
	}
	if a, ok := data["attachment"].(map[string]any); ok && a["occurrence"] == float64(e.page.Occurrence) && eraseGuest(a["creator"]) {
		a["name"] = ErasedByReporter
	}
	if m, ok := data["comment"].(map[string]any); ok {
		if author, ok := m["author"].(map[string]any); ok && author["name"] == e.c.Name {
			eraseGuest(author)
		}
	}
}

// eraseGuest takes the name from a guest, and reports whether it is one.
func eraseGuest(of any) bool {
	m, ok := of.(map[string]any)
	if !ok || m["type"] != guestActor {
		return false
	}
	m["name"] = visitorName
	return true
}

// end ends the page.
func (e reporterErasure) end(ctx context.Context) error {
	return access.SystemChange(ctx, e.t.authority, e.deletePage)
}

// deletePage deletes the page, and the mail with its address.
func (e reporterErasure) deletePage(tx *access.Tx) error {
	return errors.Join(tx.Reporters().Delete(e.page.ID), tx.Mails().DeleteAbout(mailOfReporter, e.page.ID))
}
