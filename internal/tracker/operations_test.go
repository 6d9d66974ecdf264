package tracker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// fixture is a workspace with one of everything that operations are about.
type fixture struct {
	*world
	slice, deleted, file, picture, comment, wst, hook, paused, delivery, spaceID, view, shareID string
	source, submission                                                                          string
}

func newFixture(t *testing.T, w *world) *fixture {
	t.Helper()
	w.limited(t, 0, 0)
	f := &fixture{world: w}
	ctx, at := t.Context(), api.At(time.Now())
	f.hook = w.hook(t).ID
	paused := w.hook(t)
	_, err := w.UpdateWebhook(ctx, w.owner, valid(api.UpdateWebhook{WebhookID: paused.ID,
		Patch: api.WebhookPatch{"enabled": false}}))
	must(t, err)
	f.paused = paused.ID
	in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
		SliceFields: api.SliceFields{Summary: "Checkout does nothing",
			Description: new("password: Tr0ub4dor9x")}}}
	in.Body.Evidence = &api.Evidence{
		Console: []api.ConsoleEntry{{Level: "error", Timestamp: at, Message: "cart.total is undefined"}},
		Network: json.RawMessage(harOf("https://shop.example/")),
		Actions: []api.ActionEntry{{Type: "click", Timestamp: at}},
		Replay:  []json.RawMessage{json.RawMessage(`{"type":4,"timestamp":1,"data":{"href":"https://shop.example/"}}`)},
	}
	made, err := w.CreateSlice(ctx, w.owner, valid(in))
	must(t, err)
	f.slice, f.deleted = made.ID, w.file(t, "to be restored", "").ID
	_, err = w.DeleteSlice(ctx, w.owner, valid(api.DeleteSlice{SliceID: f.deleted}))
	must(t, err)
	text, err := w.attach(ctx, f.slice, "a text")
	must(t, err)
	small := picture(t)
	picture, err := w.CreateAttachment(ctx, w.owner, valid(api.CreateAttachment{SliceID: f.slice, Name: "a.png"}),
		tracker.Upload{Body: strings.NewReader(small), ContentType: "image/png", Length: int64(len(small))})
	must(t, err)
	comment, err := w.CreateComment(ctx, w.owner,
		valid(api.CreateComment{SliceID: f.slice, Body: api.CommentFields{Body: "seen"}}))
	must(t, err)
	key := w.service(t)
	f.spaceID = w.space(t, "a space")
	f.view = w.view(t, &w.workspace, "status:open").ID
	f.shareID = w.share(t, w.owner, f.slice).ID
	f.file, f.picture, f.comment, f.wst = text.ID, picture.ID, comment.ID, key.ID
	w.now = time.Now().Add(time.Second)
	w.deliver(t)
	sent, err := w.ListDeliveries(ctx, w.owner, valid(api.ListDeliveries{WebhookID: f.hook, Paging: ten}))
	must(t, err)
	f.delivery = sent.Data[0].ID
	source := w.newSource(t, func(in *api.SourceFields) { in.Approval = true })
	w.visitorFiles(t, source, "The cart is empty", api.Visitor{})
	f.source, f.submission = source.ID, w.waiting(t)[0].ID
	return f
}

// harOf returns an archive of a request that failed.
func harOf(url string) string {
	return `{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[{
		"startedDateTime":"2026-07-01T12:00:00.000Z","time":1,"cache":{},"timings":{"send":0,"wait":0,"receive":0},
		"request":{"method":"GET","url":"` + url + `","httpVersion":"HTTP/1.1","headers":[],"queryString":[],
			"cookies":[],"headersSize":-1,"bodySize":0},
		"response":{"status":500,"statusText":"","httpVersion":"HTTP/1.1","headers":[],"cookies":[],
			"content":{"size":0,"mimeType":"text/plain"},"redirectURL":"","headersSize":-1,"bodySize":0}}]}}`
}

// picture returns a PNG that is large enough for a thumbnail.
func picture(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 600, 600))))
	return b.String()
}

// service makes a service token of the workspace.
func (w *world) service(t *testing.T) api.NewKey {
	t.Helper()
	fields := api.KeyFields{Name: "CI", Type: api.WST, WorkspaceID: &w.workspace, Scopes: api.AllScopes()}
	k, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: fields}))
	must(t, err)
	return k
}

var ten = api.Paging{Limit: 10}

// operation is an operation with an input that succeeds for the fixture's owner, and the codes with which it
// refuses others.
type operation struct {
	id       string
	call     call
	outside  string                    // somebody from outside the workspace; empty when it is about the caller alone
	member   string                    // a member who is no admin; empty when members may
	admin    string                    // an admin, of what somebody else wrote; empty when admins may
	unlisted func(f *fixture) []string // what its answer shows to the admins of the workspace alone
}

// call carries an operation out.
type call func(ctx context.Context, f *fixture, c access.Caller) (any, error)

// on makes the call of an operation from its method and its input.
func on[In, Out any](method func(*tr, context.Context, access.Caller, input.Valid[In]) (Out, error),
	in func(f *fixture) In) call {
	return func(ctx context.Context, f *fixture, c access.Caller) (any, error) {
		return method(f.Tracker, ctx, c, valid(in(f)))
	}
}

// written makes the call of an operation that writes its answer.
func written[In any](method func(*tr, context.Context, access.Caller, input.Valid[In], io.Writer) error,
	in func(f *fixture) In) call {
	return func(ctx context.Context, f *fixture, c access.Caller) (any, error) {
		var out strings.Builder
		err := method(f.Tracker, ctx, c, valid(in(f)), &out)
		return out.String(), err
	}
}

// read makes the call of an operation that opens a file.
func read[In any](method func(*tr, context.Context, access.Caller, input.Valid[In]) (tracker.File, error),
	in func(f *fixture) In) call {
	return func(ctx context.Context, f *fixture, c access.Caller) (any, error) {
		file, err := method(f.Tracker, ctx, c, valid(in(f)))
		if err != nil {
			return nil, err
		}
		defer file.Bytes.Close()
		return file.Attachment, nil
	}
}

// batched makes the call of a batch of one item. It returns the problem of the item, unless that is of the whole
// request.
func batched[In any](method func(*tr, context.Context, access.Caller, input.Valid[In]) (api.BatchResults, error),
	in func(f *fixture) In) call {
	return func(ctx context.Context, f *fixture, c access.Caller) (any, error) {
		out, err := method(f.Tracker, ctx, c, valid(in(f)))
		if err != nil || out.Results[0].Problem == nil {
			return out, err
		}
		if p := out.Results[0].Problem; p.Code == api.CodeNotFound {
			return out, p
		}
		return out, fmt.Errorf("the whole request, and not the item, must be refused with %w",
			errors.New(out.Results[0].Problem.Code))
	}
}

// decided marks the submission as spam; its refusal is that of the item.
func decided(ctx context.Context, f *fixture, c access.Caller) (any, error) {
	out, err := f.DecideSubmissions(ctx, c,
		valid(api.DecideSubmissions{Body: api.DecideFields{IDs: []string{f.submission},
			State: api.SubmissionSpam}}))
	if err == nil && out.Results[0].Problem != nil {
		err = out.Results[0].Problem
	}
	return out, err
}

func upload(ctx context.Context, f *fixture, c access.Caller) (any, error) {
	body := tracker.Upload{Body: strings.NewReader("more"), ContentType: "text/plain", Length: 4}
	return f.CreateAttachment(ctx, c, valid(api.CreateAttachment{SliceID: f.slice, Name: "b.txt"}), body)
}

func follow(ctx context.Context, f *fixture, c access.Caller) (shown any, err error) {
	s, err := f.StreamEvents(ctx, c, valid(api.ListEvents{WorkspaceID: f.workspace}))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var all []api.Event
	err = s.Next(ctx, func(e api.Event) bool { all = append(all, e); return true })
	return all, err
}

// The codes with which most refuse.
const (
	notFound  = api.CodeNotFound
	forbidden = api.CodeForbidden
)

func adminsEvents(*fixture) []string { return []string{"api_key.created", "webhook.disabled"} }

type tr = tracker.Tracker

// operations has at least one call of every operation. Those that take away what others are about come last.
var operations = []operation{
	{id: api.OpGetMe, call: on((*tr).GetMe, func(*fixture) (in api.GetMe) { return in })},
	{id: api.OpListWorkspaces, call: on((*tr).ListWorkspaces, func(*fixture) api.ListWorkspaces {
		return api.ListWorkspaces{Paging: ten}
	})},
	{id: api.OpCreateWorkspace, call: on((*tr).CreateWorkspace, func(*fixture) api.CreateWorkspace {
		return api.CreateWorkspace{Body: api.WorkspaceFields{Name: "new"}}
	})},
	{id: api.OpGetWorkspace, outside: notFound, call: on((*tr).GetWorkspace, func(f *fixture) api.GetWorkspace {
		return api.GetWorkspace{WorkspaceID: f.workspace}
	})},
	{id: api.OpUpdateWorkspace, outside: notFound, member: forbidden,
		call: on((*tr).UpdateWorkspace, func(f *fixture) api.UpdateWorkspace {
			return api.UpdateWorkspace{WorkspaceID: f.workspace, Patch: api.WorkspacePatch{"name": "renamed"}}
		})},
	{id: api.OpListMembers, outside: notFound, call: on((*tr).ListMembers, func(f *fixture) api.ListMembers {
		return api.ListMembers{WorkspaceID: f.workspace, Paging: ten}
	}),
		unlisted: func(*fixture) []string { return []string{"owner@test.example"} }},
	{id: api.OpListLabels, outside: notFound, call: on((*tr).ListLabels, func(f *fixture) api.ListLabels {
		return api.ListLabels{WorkspaceID: f.workspace, Paging: ten}
	})},
	{id: api.OpListReleases, outside: notFound, call: on((*tr).ListReleases, func(f *fixture) api.ListReleases {
		return api.ListReleases{WorkspaceID: f.workspace, Paging: ten}
	})},
	{id: api.OpGetStatistics, outside: notFound, call: on((*tr).GetStatistics, func(f *fixture) api.GetStatistics {
		return api.GetStatistics{WorkspaceID: f.workspace}
	})},
	{id: api.OpListSpaces, outside: notFound, call: on((*tr).ListSpaces, func(f *fixture) api.ListSpaces {
		return api.ListSpaces{WorkspaceID: f.workspace, Paging: ten}
	})},
	{id: api.OpCreateSpace, outside: notFound, call: on((*tr).CreateSpace, func(f *fixture) api.CreateSpace {
		return api.CreateSpace{WorkspaceID: f.workspace, Body: api.SpaceFields{Name: "new"}}
	})},
	{id: api.OpGetSpace, outside: notFound, call: on((*tr).GetSpace, func(f *fixture) api.GetSpace {
		return api.GetSpace{WorkspaceID: f.workspace, SpaceID: f.spaceID}
	})},
	{id: api.OpUpdateSpace, outside: notFound, member: forbidden,
		call: on((*tr).UpdateSpace, func(f *fixture) api.UpdateSpace {
			return api.UpdateSpace{WorkspaceID: f.workspace, SpaceID: f.spaceID,
				Patch: api.SpacePatch{"name": "renamed"}}
		})},
	{id: api.OpSearch, outside: notFound, call: on((*tr).Search, func(f *fixture) api.Search {
		return api.Search{WorkspaceID: f.workspace, Q: "owner"}
	}), unlisted: func(*fixture) []string { return []string{"owner@test.example"} }},
	{id: api.OpListViews, outside: notFound, call: on((*tr).ListViews, func(f *fixture) api.ListViews {
		return api.ListViews{WorkspaceID: f.workspace, Paging: ten}
	})},
	{id: api.OpCreateView, outside: notFound, member: forbidden,
		call: on((*tr).CreateView, func(f *fixture) api.CreateView {
			return api.CreateView{Body: api.NewView{WorkspaceID: &f.workspace, ViewFields: api.ViewFields{Name: "new"}}}
		})},
	{id: api.OpUpdateView, outside: notFound, member: forbidden,
		call: on((*tr).UpdateView, func(f *fixture) api.UpdateView {
			return api.UpdateView{ViewID: f.view, Patch: api.ViewPatch{"name": "renamed"}}
		})},
	{id: api.OpTryRules, outside: notFound, call: on((*tr).TryRules, func(f *fixture) api.TryRules {
		return api.TryRules{WorkspaceID: f.workspace}
	})},
	{id: api.OpGetRedactionCounts, outside: notFound,
		call: on((*tr).GetRedactionCounts, func(f *fixture) api.GetRedactionCounts {
			return api.GetRedactionCounts{WorkspaceID: f.workspace}
		})},
	{id: api.OpMarkRedaction, outside: notFound,
		call: on((*tr).MarkRedaction, func(f *fixture) api.MarkRedaction {
			return api.MarkRedaction{SliceID: f.slice, Body: api.RedactionMark{Kind: "field", Rule: "password",
				Shape: "mixed", Mistake: true}}
		})},
	{id: api.OpDryRun, outside: notFound, call: on((*tr).DryRun, func(f *fixture) api.DryRun {
		return api.DryRun{WorkspaceID: f.workspace}
	})},

	{id: api.OpListSlices, outside: notFound, call: on((*tr).ListSlices, func(f *fixture) api.ListSlices {
		return api.ListSlices{SliceFilters: api.SliceFilters{WorkspaceID: f.workspace}, Paging: ten}
	})},
	{id: api.OpListSlices, call: on((*tr).ListSlices,
		func(*fixture) api.ListSlices { return api.ListSlices{Paging: ten} })},
	{id: api.OpListSlices, call: on((*tr).ListSlices, func(*fixture) api.ListSlices {
		return api.ListSlices{SliceFilters: api.SliceFilters{Q: "checkout"}, Paging: ten}
	})},
	{id: api.OpCountSlices, outside: notFound, call: on((*tr).CountSlices, func(f *fixture) api.CountSlices {
		return api.CountSlices{SliceFilters: api.SliceFilters{WorkspaceID: f.workspace}, By: "status"}
	})},
	{id: api.OpCountSlices, call: on((*tr).CountSlices,
		func(*fixture) api.CountSlices { return api.CountSlices{By: "label"} })},
	{id: api.OpCreateSlice, outside: notFound, call: on((*tr).CreateSlice, func(f *fixture) api.CreateSlice {
		return api.CreateSlice{Body: api.NewSlice{WorkspaceID: &f.workspace,
			SliceFields: api.SliceFields{Summary: "new"}}}
	})},
	{id: api.OpGetSlice, outside: notFound, call: on((*tr).GetSlice, func(f *fixture) api.GetSlice {
		return api.GetSlice{SliceID: f.slice}
	})},
	{id: api.OpGetSlice, outside: notFound, call: on((*tr).Markdown, func(f *fixture) api.GetSlice {
		return api.GetSlice{SliceID: f.slice, MaxTokens: 4000}
	})},
	{id: api.OpUpdateSlice, outside: notFound, call: on((*tr).UpdateSlice, func(f *fixture) api.UpdateSlice {
		return api.UpdateSlice{SliceID: f.slice,
			Patch: api.SlicePatch{"status": "in_progress", "assigneeId": f.owner.ID}}
	})},
	{id: api.OpChangeSlice, outside: notFound, call: on((*tr).ChangeSlice, func(f *fixture) (in api.ChangeSlice) {
		in.SliceID, in.Body.Comment = f.slice, new("Seen again.") // one part, which leaves one event
		return in
	})},
	{id: api.OpBatchUpdate, outside: notFound,
		call: batched((*tr).BatchUpdateSlices, func(f *fixture) (in api.BatchUpdateSlices) {
			in.Body.Items = []api.BatchUpdateItem{{ID: f.slice, Patch: api.SlicePatch{"priority": "high"}}}
			return in
		})},
	{id: api.OpListSimilar, outside: notFound, call: on((*tr).ListSimilar, func(f *fixture) api.ListSimilar {
		return api.ListSimilar{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpListSimilarToDraft, outside: notFound,
		call: on((*tr).ListSimilarToDraft, func(f *fixture) api.ListSimilarToDraft {
			return api.ListSimilarToDraft{Body: api.SliceDraft{WorkspaceID: &f.workspace,
				Summary: "Checkout does nothing"},
				Paging: ten}
		})},
	{id: api.OpListActivity, outside: notFound, call: on((*tr).ListActivity, func(f *fixture) api.ListActivity {
		return api.ListActivity{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpListOccurrences, outside: notFound,
		call: on((*tr).ListOccurrences, func(f *fixture) api.ListOccurrences {
			return api.ListOccurrences{SliceID: f.slice, Paging: ten}
		})},
	{id: api.OpListConsole, outside: notFound, call: on((*tr).ListConsole, func(f *fixture) api.ListConsole {
		return api.ListConsole{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpListNetwork, outside: notFound, call: on((*tr).ListNetwork, func(f *fixture) api.ListNetwork {
		return api.ListNetwork{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpListActions, outside: notFound, call: on((*tr).ListActions, func(f *fixture) api.ListActions {
		return api.ListActions{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpGetArchive, outside: notFound, call: written((*tr).GetArchive, func(f *fixture) api.GetArchive {
		return api.GetArchive{SliceID: f.slice}
	})},
	{id: api.OpGetReplay, outside: notFound, call: written((*tr).GetReplay, func(f *fixture) api.GetReplay {
		return api.GetReplay{SliceID: f.slice}
	})},
	{id: api.OpGetScreen, outside: notFound, call: on((*tr).GetScreen, func(f *fixture) api.GetScreen {
		return api.GetScreen{SliceID: f.slice}
	})},

	{id: api.OpListAttachments, outside: notFound,
		call: on((*tr).ListAttachments, func(f *fixture) api.ListAttachments {
			return api.ListAttachments{SliceID: f.slice, Paging: ten}
		})},
	{id: api.OpCreateAttachment, outside: notFound, call: upload},
	{id: api.OpGetAttachment, outside: notFound, call: read((*tr).ReadAttachment, func(f *fixture) api.GetAttachment {
		return api.GetAttachment{AttachmentID: f.file}
	})},
	{id: api.OpGetThumbnail, outside: notFound, call: read((*tr).ReadThumbnail, func(f *fixture) api.GetThumbnail {
		return api.GetThumbnail{AttachmentID: f.picture}
	})},
	{id: api.OpUpdateAttachment, outside: notFound,
		call: on((*tr).UpdateAttachment, func(f *fixture) api.UpdateAttachment {
			return api.UpdateAttachment{AttachmentID: f.file, Patch: api.AttachmentPatch{"name": "renamed.txt"}}
		})},

	{id: api.OpListComments, outside: notFound, call: on((*tr).ListComments, func(f *fixture) api.ListComments {
		return api.ListComments{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpCreateComment, outside: notFound, call: on((*tr).CreateComment, func(f *fixture) api.CreateComment {
		return api.CreateComment{SliceID: f.slice, Body: api.CommentFields{Body: "new"}}
	})},
	{id: api.OpUpdateComment, outside: notFound, member: forbidden, admin: forbidden,
		call: on((*tr).UpdateComment, func(f *fixture) api.UpdateComment {
			return api.UpdateComment{CommentID: f.comment, Patch: api.CommentPatch{"body": "changed"}}
		})},
	{id: api.OpSetReaction, outside: notFound, call: on((*tr).SetReaction, func(f *fixture) api.SetReaction {
		return api.SetReaction{CommentID: f.comment, Body: api.ReactionSetting{Kind: "+1"}}
	})},

	{id: api.OpListShares, outside: notFound, call: on((*tr).ListShares, func(f *fixture) api.ListShares {
		return api.ListShares{SliceID: f.slice, Paging: ten}
	})},
	{id: api.OpCreateShare, outside: notFound, call: on((*tr).CreateShare, func(f *fixture) api.CreateShare {
		return api.CreateShare{SliceID: f.slice}
	})},

	{id: api.OpRecordTestRun, outside: notFound, call: on((*tr).RecordTestRun, func(f *fixture) api.RecordTestRun {
		return api.RecordTestRun{Body: api.TestRunFields{WorkspaceID: &f.workspace, Run: "1",
			Tests: []api.TestCounts{{Name: "adds", Passed: 1}}}}
	})},
	{id: api.OpListNotices, outside: notFound, call: on((*tr).ListNotices, func(f *fixture) api.ListNotices {
		return api.ListNotices{Paging: ten, NoticeFilters: api.NoticeFilters{WorkspaceID: f.workspace}}
	})},
	{id: api.OpUpdateNotices, outside: notFound, call: on((*tr).UpdateNotices, func(f *fixture) api.UpdateNotices {
		return api.UpdateNotices{Body: api.NoticesUpdate{SliceID: &f.slice, State: api.ChangeDone}}
	})},
	{id: api.OpListWatches, call: on((*tr).ListWatches, func(*fixture) api.ListWatches {
		return api.ListWatches{Paging: ten}
	})},
	{id: api.OpGetWatch, outside: notFound, call: on((*tr).GetWatch, func(f *fixture) api.GetWatch {
		return api.GetWatch{SubjectID: f.slice}
	})},
	{id: api.OpSetWatch, outside: notFound, call: on((*tr).SetWatch, func(f *fixture) api.SetWatch {
		return api.SetWatch{Body: api.WatchFields{SubjectID: f.workspace, Level: api.Watching}}
	})},
	{id: api.OpListTests, outside: notFound, call: on((*tr).ListTests, func(f *fixture) api.ListTests {
		return api.ListTests{Paging: ten, Sort: "failed", TestFilters: api.TestFilters{WorkspaceID: f.workspace}}
	})},
	{id: api.OpGetTestStatistics, outside: notFound, call: on((*tr).GetTestStatistics, func(f *fixture) api.GetTestStatistics {
		return api.GetTestStatistics{TestFilters: api.TestFilters{WorkspaceID: f.workspace}}
	})},
	{id: api.OpListKeys, call: on((*tr).ListKeys, func(*fixture) api.ListKeys { return api.ListKeys{Paging: ten} }),
		unlisted: func(f *fixture) []string { return []string{f.wst, f.owner.KeyID()} }},
	{id: api.OpCreateKey, outside: notFound, member: forbidden,
		call: on((*tr).CreateKey, func(f *fixture) api.CreateKey {
			return api.CreateKey{Body: api.KeyFields{Name: "new", Type: api.WST,
				WorkspaceID: &f.workspace, Scopes: []api.Scope{api.SlicesRead}}}
		})},
	{id: api.OpGetKey, outside: notFound, member: notFound, call: on((*tr).GetKey, func(f *fixture) api.GetKey {
		return api.GetKey{KeyID: f.wst}
	})},
	{id: api.OpGetKey, outside: notFound, member: notFound, admin: notFound,
		call: on((*tr).GetKey, func(f *fixture) api.GetKey {
			return api.GetKey{KeyID: f.owner.KeyID()}
		})},
	{id: api.OpRotateKey, outside: notFound, member: notFound,
		call: on((*tr).RotateKey, func(f *fixture) api.RotateKey {
			return api.RotateKey{KeyID: f.wst}
		})},

	{id: api.OpListEvents, outside: notFound, call: on((*tr).ListEvents, func(f *fixture) api.ListEvents {
		return api.ListEvents{WorkspaceID: f.workspace, Paging: api.Paging{Limit: 100}}
	}), unlisted: adminsEvents},
	{id: api.OpListEvents, outside: notFound, call: follow, unlisted: adminsEvents},

	{id: api.OpListWebhooks, outside: notFound, member: forbidden,
		call: on((*tr).ListWebhooks, func(f *fixture) api.ListWebhooks {
			return api.ListWebhooks{WorkspaceID: f.workspace, Paging: ten}
		})},
	{id: api.OpListWebhooks, call: on((*tr).ListWebhooks, func(*fixture) api.ListWebhooks {
		return api.ListWebhooks{Paging: ten}
	}),
		unlisted: func(f *fixture) []string { return []string{f.hook} }},
	{id: api.OpCreateWebhook, outside: notFound, member: forbidden,
		call: on((*tr).CreateWebhook, func(f *fixture) api.CreateWebhook {
			fields := api.WebhookFields{URL: "https://hooks.example.com/new", Enabled: true}
			return api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &f.workspace, WebhookFields: fields}}
		})},
	{id: api.OpGetWebhook, outside: notFound, member: notFound,
		call: on((*tr).GetWebhook, func(f *fixture) api.GetWebhook {
			return api.GetWebhook{WebhookID: f.hook}
		})},
	{id: api.OpUpdateWebhook, outside: notFound, member: notFound,
		call: on((*tr).UpdateWebhook, func(f *fixture) api.UpdateWebhook {
			return api.UpdateWebhook{WebhookID: f.hook,
				Patch: api.WebhookPatch{"url": "https://hooks.example.com/other"}}
		})},
	{id: api.OpEnableWebhook, outside: notFound, member: notFound,
		call: on((*tr).EnableWebhook, func(f *fixture) api.EnableWebhook {
			return api.EnableWebhook{WebhookID: f.paused}
		})},
	{id: api.OpRotateSecret, outside: notFound, member: notFound,
		call: on((*tr).RotateSecret, func(f *fixture) api.RotateSecret {
			return api.RotateSecret{WebhookID: f.hook}
		})},
	{id: api.OpTestWebhook, outside: notFound, member: notFound,
		call: on((*tr).TestWebhook, func(f *fixture) api.TestWebhook {
			return api.TestWebhook{WebhookID: f.hook}
		})},
	{id: api.OpListDeliveries, outside: notFound, member: notFound,
		call: on((*tr).ListDeliveries, func(f *fixture) api.ListDeliveries {
			return api.ListDeliveries{WebhookID: f.hook, Paging: ten}
		})},
	{id: api.OpGetDelivery, outside: notFound, member: notFound,
		call: on((*tr).GetDelivery, func(f *fixture) api.GetDelivery {
			return api.GetDelivery{DeliveryID: f.delivery}
		})},
	{id: api.OpRedeliver, outside: notFound, member: notFound,
		call: on((*tr).Redeliver, func(f *fixture) api.Redeliver {
			return api.Redeliver{DeliveryID: f.delivery}
		})},
	{id: api.OpRecoverDeliveries, outside: notFound, member: notFound,
		call: on((*tr).RecoverDeliveries, func(f *fixture) api.RecoverDeliveries {
			return api.RecoverDeliveries{WebhookID: f.hook,
				Body: api.RecoverFields{Since: api.At(f.now.Add(-time.Hour))}}
		})},

	{id: api.OpListSources, outside: notFound, member: forbidden,
		call: on((*tr).ListSources, func(f *fixture) api.ListSources {
			return api.ListSources{WorkspaceID: f.workspace, Paging: ten}
		})},
	{id: api.OpListSources, call: on((*tr).ListSources,
		func(*fixture) api.ListSources { return api.ListSources{Paging: ten} }),
		unlisted: func(f *fixture) []string { return []string{f.source} }},
	{id: api.OpCreateSource, outside: notFound, member: forbidden,
		call: on((*tr).CreateSource, func(f *fixture) api.CreateSource {
			return api.CreateSource{Body: api.NewSource{WorkspaceID: &f.workspace, SourceFields: sourceFields("Blog")}}
		})},
	{id: api.OpGetSource, outside: notFound, member: notFound,
		call: on((*tr).GetSource, func(f *fixture) api.GetSource { return api.GetSource{SourceID: f.source} })},
	{id: api.OpUpdateSource, outside: notFound, member: notFound,
		call: on((*tr).UpdateSource, func(f *fixture) api.UpdateSource {
			return api.UpdateSource{SourceID: f.source, Patch: api.SourcePatch{"name": "Shop of Ada"}}
		})},
	{id: api.OpRotateSourceSecret, outside: notFound, member: notFound,
		call: on((*tr).RotateSourceSecret, func(f *fixture) api.RotateSourceSecret {
			return api.RotateSourceSecret{SourceID: f.source}
		})},
	{id: api.OpGetSourceUsage, outside: notFound, member: notFound,
		call: on((*tr).GetSourceUsage, func(f *fixture) api.GetSourceUsage {
			return api.GetSourceUsage{SourceID: f.source, Days: 30}
		})},
	{id: api.OpListSubmissions, outside: notFound,
		call: on((*tr).ListSubmissions, func(f *fixture) api.ListSubmissions {
			return api.ListSubmissions{WorkspaceID: f.workspace, State: api.SubmissionWaiting, Paging: ten}
		})},
	{id: api.OpDecideSubmissions, outside: notFound, call: decided},
	{id: api.OpRemoveSourceReports, outside: notFound, member: notFound,
		call: on((*tr).RemoveSourceReports, func(f *fixture) api.RemoveSourceReports {
			return api.RemoveSourceReports{SourceID: f.source,
				Body: api.RemoveReportsFields{Since: api.At(f.now.Add(-time.Hour))}}
		})},
	{id: api.OpDeleteSource, outside: notFound, member: notFound,
		call: on((*tr).DeleteSource,
			func(f *fixture) api.DeleteSource { return api.DeleteSource{SourceID: f.source} })},

	{id: api.OpRevokeShare, outside: notFound, call: on((*tr).RevokeShare, func(f *fixture) api.RevokeShare {
		return api.RevokeShare{ShareID: f.shareID}
	})},
	{id: api.OpDeleteView, outside: notFound, member: forbidden,
		call: on((*tr).DeleteView, func(f *fixture) api.DeleteView {
			return api.DeleteView{ViewID: f.view}
		})},
	{id: api.OpDeleteSpace, outside: notFound, member: forbidden,
		call: on((*tr).DeleteSpace, func(f *fixture) api.DeleteSpace {
			return api.DeleteSpace{WorkspaceID: f.workspace, SpaceID: f.spaceID}
		})},
	{id: api.OpDeleteComment, outside: notFound, member: forbidden,
		call: on((*tr).DeleteComment, func(f *fixture) api.DeleteComment {
			return api.DeleteComment{CommentID: f.comment}
		})},
	{id: api.OpDeleteAttachment, outside: notFound,
		call: on((*tr).DeleteAttachment, func(f *fixture) api.DeleteAttachment {
			return api.DeleteAttachment{AttachmentID: f.file}
		})},
	{id: api.OpRestoreSlice, outside: notFound, call: on((*tr).RestoreSlice, func(f *fixture) api.RestoreSlice {
		return api.RestoreSlice{SliceID: f.deleted}
	})},
	{id: api.OpDeleteSlice, outside: notFound, call: on((*tr).DeleteSlice, func(f *fixture) api.DeleteSlice {
		return api.DeleteSlice{SliceID: f.slice}
	})},
	{id: api.OpBatchRestore, outside: notFound,
		call: batched((*tr).BatchRestoreSlices, func(f *fixture) (in api.BatchRestoreSlices) {
			in.Body.Items = []api.BatchRestoreItem{{ID: f.slice}}
			return in
		})},
	{id: api.OpBatchDelete, outside: notFound,
		call: batched((*tr).BatchDeleteSlices, func(f *fixture) (in api.BatchDeleteSlices) {
			in.Body.Items = []api.BatchDeleteItem{{ID: f.slice}}
			return in
		})},
	{id: api.OpDeleteWebhook, outside: notFound, member: notFound,
		call: on((*tr).DeleteWebhook, func(f *fixture) api.DeleteWebhook {
			return api.DeleteWebhook{WebhookID: f.hook}
		})},
	{id: api.OpRevokeKey, outside: notFound, member: notFound,
		call: on((*tr).RevokeKey, func(f *fixture) api.RevokeKey {
			return api.RevokeKey{KeyID: f.wst}
		})},
	{id: api.OpRevokeSelf, call: on((*tr).RevokeSelf, func(*fixture) (in api.RevokeSelf) { return in })},
}
