package tracker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
)

// Bounds of what a Report has.
const (
	maxComments      = 200 // of a part of a conversation
	maxCommentBytes  = 512 << 10
	reportActivities = 100
	reportDuplicates = 20
	reportReferences = 100  // slices that its texts refer to
	reportTimes      = 5000 // occurrences whose time it has
)

// Report is a slice with its conversation and the slices that it is connected with.
type Report struct {
	api.Slice
	Conversation
	NewestEvidence string     // the id of the attachment; empty for none
	Original       *api.Slice // of which the slice is a duplicate; nil for none
	Duplicates     Duplicates
	Occurred       []time.Time // when the newest occurrences of the last weeks were reported; nil for a single one
	// The names of those who have reacted to comments, at most 10 to each in each way, by the id of the comment.
	Reacted    map[string]map[api.ReactionKind][]string
	Names      map[string]string    // of the users and keys whom the slice and its activity name, by id
	Mentions   map[string]string    // the names of the members whom the texts mention, by the mention in small letters
	Referenced map[string]api.Slice // the visible slices that the texts refer to, by the reference in capital letters
	Pictures   map[string]Size      // those of the slice that the texts show, by their ids
}

// Conversation is a part of the comments and changes of a slice, the oldest first. The parts of a slice have each
// change once.
type Conversation struct {
	Comments []api.Comment
	Earlier  EarlierComments
	Until    string         // the id of the comment at the end; empty when there are no later ones
	Activity []api.Activity // the newest changes after the earlier comments, without those of comments
	More     bool           // whether there are further changes after the earlier comments
}

// EarlierComments are the comments before those of a Conversation.
type EarlierComments struct {
	Count int64
	Last  api.Comment // when there are any
}

// Duplicates are the slices that are duplicates of a slice, also of another duplicate.
type Duplicates struct {
	Slices             []api.Slice // the newest
	Count, Occurrences int64       // of all
}

// Report returns a slice that the caller sees, by its reference, a former reference or its id, with the end of its
// conversation.
func (t *Tracker) Report(ctx context.Context, c access.Caller, reference string) (r Report, err error) {
	return t.ReportUntil(ctx, c, reference, "")
}

// ReportUntil is Report with the conversation until a comment, by its id, or until the last one before a comment that
// was deleted.
func (t *Tracker) ReportUntil(ctx context.Context, c access.Caller, reference, commentID string) (r Report, err error) {
	for _, operation := range []string{api.OpGetSlice, api.OpListComments, api.OpListActivity} {
		if err := c.Allow(operation); err != nil {
			return r, err
		}
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetSlice)
	if err != nil {
		return r, err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	g := t.access.NewSliceGuard(ctx, c, api.OpGetSlice, reference)
	s, err := c.Slice(q, reference)
	if err != nil {
		return r, err
	}
	r.Slice = t.show(s)
	if r.NewestEvidence, err = q.NewestEvidence(s.ID); err != nil {
		return r, err
	}
	if err := readComments(q, &r, commentID); err != nil {
		return r, err
	}
	if err := readReactions(q, c, &r); err != nil {
		return r, err
	}
	for _, read := range []func(access.Queries, *Report) error{t.readActivity, t.readDuplicates, t.readTimes} {
		if err := read(q, &r); err != nil {
			return r, err
		}
	}
	if err := errors.Join(t.readReferences(q, c, &r), r.readPictures(q)); err != nil {
		return r, err
	}
	return r, g.Allow()
}

// activityOfReport returns the types of the changes of a report. Its comments are read from their own records.
func activityOfReport() []api.EventType {
	return slices.DeleteFunc(api.ActivityTypes(), func(t api.EventType) bool {
		return t == api.EventCommentCreated || t == api.EventCommentUpdated
	})
}

// readActivity reads the newest changes of the conversation, and the names of those who made them or whom they
// assigned.
func (t *Tracker) readActivity(q access.Queries, r *Report) error {
	var between [2]string
	if r.Earlier.Count > 0 {
		between[0] = id.Lowest(id.Event, r.Earlier.Last.CreatedAt.Time)
	}
	if r.Until != "" {
		between[1] = id.Lowest(id.Event, r.Comments[len(r.Comments)-1].CreatedAt.Time)
	}
	rows, err := q.NewestEventsAbout(r.ID, activityOfReport(), between, reportActivities+1)
	if err != nil {
		return err
	}
	if r.More = len(rows) > reportActivities; r.More {
		rows = rows[:reportActivities]
	}
	slices.Reverse(rows)
	for _, row := range rows {
		shown, err := t.showActivity(row, nil)
		if err != nil {
			return err
		}
		r.Activity = append(r.Activity, shown)
	}
	if r.Names, err = q.NamesOf(r.people()); err != nil {
		return err
	}
	for _, a := range r.Activity {
		if a.Via != nil {
			a.Via.Name = r.Names[*a.Via.KeyID]
		}
	}
	return nil
}

// people returns the ids of the users and keys whom the slice and its activity name.
func (r *Report) people() (ids []string) {
	if r.AssigneeID != nil {
		ids = append(ids, *r.AssigneeID)
	}
	for _, a := range r.Activity {
		if a.Actor.ID != nil {
			ids = append(ids, *a.Actor.ID)
		}
		if a.Via != nil {
			ids = append(ids, *a.Via.KeyID)
		}
		for _, change := range a.Changes {
			if change.Field == "assigneeId" {
				ids = append(ids, textsOf(change.From, change.To)...)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// textsOf returns those of the values that are texts.
func textsOf(values ...*any) (texts []string) {
	for _, v := range values {
		if v == nil {
			continue
		}
		if text, ok := (*v).(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// readDuplicates reads the slices that are duplicates.
func (t *Tracker) readDuplicates(q access.Queries, r *Report) error {
	all, count, occurrences, err := q.Duplicates(r.ID, reportDuplicates)
	r.Duplicates = Duplicates{Slices: convert(all, t.show), Count: count, Occurrences: occurrences}
	return err
}

// recently is the time of which a report has the times of its occurrences: 30 days in every time zone.
const recently = 31 * 24 * time.Hour

// readTimes reads when the bug of a slice that was reported several times was reported of late.
func (t *Tracker) readTimes(q access.Queries, r *Report) (err error) {
	if r.OccurrenceCount > 1 {
		r.Occurred, err = q.OccurrenceTimes(r.ID, t.now().Add(-recently), reportTimes)
	}
	return err
}

// readComments reads the newest comments until one of them, or until the last one, and the names of the members whom
// these and the description mention.
func readComments(q access.Queries, r *Report, until string) (err error) {
	if r.CommentCount > 0 {
		if err := r.readComments(q, r.ID, until); err != nil {
			return err
		}
	}
	var mentioned []string
	for _, text := range r.texts() {
		mentioned = append(mentioned, store.Mentioned(text)...)
	}
	slices.Sort(mentioned)
	members, err := q.FindMembers(r.WorkspaceID, slices.Compact(mentioned))
	r.Mentions = map[string]string{}
	for name, m := range members {
		r.Mentions[name] = m.Name
	}
	return err
}

// readComments reads the newest comments of a slice until one of them, and counts those before. Until a comment
// before all others are the newest ones.
func (v *Conversation) readComments(q access.Queries, sliceID, until string) (err error) {
	if v.Comments, err = q.NewestCommentsWithin(sliceID, until, maxComments+1, maxCommentBytes); err != nil {
		return err
	}
	if until != "" {
		newest, err := q.NewestComments(sliceID, "", 1)
		switch {
		case err != nil || len(newest) == 0:
			return err
		case len(v.Comments) == 0:
			return v.readComments(q, sliceID, "")
		case newest[0].ID != v.Comments[0].ID:
			v.Until = v.Comments[0].ID
		}
	}
	if n := countInPart(v.Comments); n < len(v.Comments) {
		v.Earlier.Last, v.Comments = v.Comments[n], v.Comments[:n]
		v.Earlier.Count, err = q.CountCommentsUntil(sliceID, v.Earlier.Last.ID)
	}
	slices.Reverse(v.Comments)
	return err
}

// countInPart returns how many of the comments a part of a conversation has, from the first on: at least one.
func countInPart(comments []api.Comment) (n int) {
	for bytes := 0; n < min(len(comments), maxComments); n++ {
		if bytes += len(comments[n].Body); n > 0 && bytes > maxCommentBytes {
			break
		}
	}
	return n
}

// texts returns the description and the comments.
func (r *Report) texts() (all []string) {
	if r.Description != nil {
		all = append(all, *r.Description)
	}
	for _, c := range r.Comments {
		all = append(all, c.Body)
	}
	return all
}

// readReferences reads the original, and the slices that the texts and the activity refer to, of those that the
// caller sees.
func (t *Tracker) readReferences(q access.Queries, c access.Caller, r *Report) error {
	var names []string
	for _, text := range r.texts() {
		names = append(names, api.FindReferences(text)...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	ids, err := c.SliceIDs(q, names[:min(len(names), reportReferences)])
	if err != nil {
		return err
	}
	var wanted []string
	for _, id := range ids {
		wanted = append(wanted, id)
	}
	if r.DuplicateOfID != nil { // of the same workspace
		wanted = append(wanted, *r.DuplicateOfID)
	}
	slices.Sort(wanted)
	found, err := q.SlicesByID(slices.Compact(wanted))
	r.Referenced = map[string]api.Slice{}
	for _, s := range found {
		shown := t.show(s)
		if r.DuplicateOfID != nil && s.ID == *r.DuplicateOfID {
			r.Original = &shown
		}
		for name, id := range ids {
			if id == s.ID {
				r.Referenced[strings.ToUpper(name)] = shown
			}
		}
	}
	return err
}

// Size is that of a picture in pixels.
type Size struct{ Width, Height int64 }

// readPictures reads the sizes of the pictures that the texts show.
func (r *Report) readPictures(q access.Queries) error {
	var ids []string
	for _, text := range r.texts() {
		ids = append(ids, store.FindFiles(text)...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil
	}
	ids = ids[:min(len(ids), reportReferences)]
	found, err := q.Attachments(r.ID, store.AttachmentFilter{IDs: ids}, "", len(ids))
	r.Pictures = map[string]Size{}
	for _, a := range found {
		if a.Width != nil && a.Height != nil {
			r.Pictures[a.ID] = Size{*a.Width, *a.Height}
		}
	}
	return err
}

// DeletedReport is a slice that can be restored.
type DeletedReport struct {
	Reference, Summary string
	At                 api.Time
	By                 string // the name of who has deleted it; empty when it is not known
}

// DeletedReport returns a deleted slice that the caller sees and can restore.
func (t *Tracker) DeletedReport(ctx context.Context, c access.Caller, reference string) (DeletedReport, error) {
	if err := c.Allow(api.OpRestoreSlice); err != nil {
		return DeletedReport{}, err
	}
	q := t.access.Read(ctx)
	s, err := c.VisibleSlice(q, q.Slice, reference)
	if err == nil && (s.DeletedAt == nil || t.now().Sub(s.DeletedAt.Time) > deletedRetention) {
		err = api.NotFound("slice")
	}
	if err != nil {
		return DeletedReport{}, err
	}
	deletions, err := q.NewestEventsAbout(s.ID, []api.EventType{api.EventSliceDeleted}, [2]string{}, 1)
	if err != nil {
		return DeletedReport{}, err
	}
	d := DeletedReport{Reference: t.show(s).Reference, Summary: s.Summary, At: *s.DeletedAt}
	for _, row := range deletions {
		shown, err := t.showActivity(row, nil)
		if err != nil || shown.Actor.ID == nil {
			return d, err
		}
		names, err := q.NamesOf([]string{*shown.Actor.ID})
		if err != nil {
			return d, err
		}
		d.By = names[*shown.Actor.ID]
	}
	return d, nil
}
