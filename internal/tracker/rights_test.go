package tracker_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/operator"
	"bugslice/internal/portable"
)

// brief makes a PAT of the owner that expires.
func (w *world) brief(t *testing.T, expires api.Time) api.NewKey {
	t.Helper()
	fields := api.KeyFields{Name: "brief", Type: api.PAT, Scopes: api.AllScopes(), ExpiresAt: &expires}
	k, err := w.CreateKey(t.Context(), w.owner, valid(api.CreateKey{Body: fields}))
	must(t, err)
	return k
}

// user adds a member to the workspace.
func (w *world) user(t *testing.T, email string) operator.AddedUser {
	t.Helper()
	in := operator.NewUser{Email: email, WithToken: true, Workspaces: []string{w.workspace}}
	u, err := w.In(w.owner.Organization).AddUser(t.Context(), in)
	must(t, err)
	return u
}

// TestRightsArePassedOnWithin: a key or a webhook that a caller makes has no right that the caller lacks.
func TestRightsArePassedOnWithin(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		ctx := t.Context()
		narrow := w.authenticate(t, w.mint(t, []api.Scope{api.KeysManage, api.WebhooksManage, api.WorkspacesWrite}).
			Token)
		soon := api.At(w.now.Add(time.Hour))
		expiring := w.authenticate(t, w.brief(t, soon).Token)
		later := api.At(w.now.Add(2 * time.Hour))
		wst := w.authenticate(t, w.service(t).Token)
		hook := api.NewWebhook{WorkspaceID: &w.workspace,
			WebhookFields: api.WebhookFields{URL: "https://hooks.example.com/", Enabled: true,
				EventTypes: []api.Subscription{"slice.created"}}}
		workspace := api.CreateWorkspace{Body: api.WorkspaceFields{Name: "n"}}
		before := f.stored(t)
		key := func(c access.Caller, kind api.KeyType, scopes []api.Scope, expires *api.Time) error {
			in := api.KeyFields{Name: "n", Type: kind, Scopes: scopes, ExpiresAt: expires}
			if kind == api.WST {
				in.WorkspaceID = &w.workspace
			}
			return second(w.CreateKey(ctx, c, valid(api.CreateKey{Body: in})))
		}
		for what, err := range map[string]error{
			"a key with more scopes":           key(narrow, api.PAT, api.AllScopes(), nil),
			"a service's key with more scopes": key(narrow, api.WST, []api.Scope{api.SlicesRead}, nil),
			"a key that lives longer":          key(expiring, api.PAT, []api.Scope{api.SlicesRead}, &later),
			"a user's key, made by a service":  key(wst, api.PAT, []api.Scope{api.SlicesRead}, nil),
			"a workspace, made by a service":   second(w.CreateWorkspace(ctx, wst, valid(workspace))),
			"a new token of a wider key": second(w.RotateKey(ctx, narrow,
				valid(api.RotateKey{KeyID: f.wst}))),
			"a new token of a longer lived key": second(w.RotateKey(ctx, expiring,
				valid(api.RotateKey{KeyID: f.wst}))),
			"a webhook of what the caller may not read": second(w.CreateWebhook(ctx, narrow,
				valid(api.CreateWebhook{Body: hook}))),
			"a webhook that gets what the caller may not read": second(w.UpdateWebhook(ctx,
				narrow, valid(api.UpdateWebhook{WebhookID: f.hook,
					Patch: api.WebhookPatch{"eventTypes": []any{"slice.created"}}}))),
		} {
			if code(err) != api.CodeForbidden {
				t.Errorf("%s: %v, want forbidden", what, err)
			}
		}
		if after := f.stored(t); after != before {
			t.Errorf("something was stored:\n%s", difference(before, after))
		}
	})
}

// TestStrangersAreRefusedBeforeTheirFaults: a caller without the right is refused for that, also with an invalid
// report.
func TestStrangersAreRefusedBeforeTheirFaults(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		other, err := w.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Other",
			Workspace: "Two", Owner: operator.NewUser{Email: "other@test.example"}})
		must(t, err)
		script := "javascript:alert(1)"
		in := api.NewSlice{WorkspaceID: &w.workspace, SliceFields: api.SliceFields{Summary: "s", SourceURL: &script}}
		_, err = w.CreateSlice(t.Context(), w.authenticate(t, other.Token), valid(api.CreateSlice{Body: in}))
		if code(err) != api.CodeNotFound {
			t.Errorf("%v, want not_found", err)
		}
	})
}

// TestServicesHaveAWorkspace: a service that names no workspace mints keys for its own, and files there.
func TestServicesHaveAWorkspace(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		fields := api.KeyFields{Name: "n", Type: api.WST, Scopes: []api.Scope{api.SlicesRead}}
		service := w.authenticate(t, w.service(t).Token)
		k, err := w.CreateKey(t.Context(), service, valid(api.CreateKey{Body: fields}))
		must(t, err)
		if k.WorkspaceID == nil || *k.WorkspaceID != w.workspace {
			t.Errorf("the key is for %v, want %s", k.WorkspaceID, w.workspace)
		}
		in := api.NewSlice{SliceFields: api.SliceFields{Summary: "s"}}
		made, err := w.CreateSlice(t.Context(), service, valid(api.CreateSlice{Body: in}))
		must(t, err)
		if made.WorkspaceID != w.workspace {
			t.Errorf("the slice is in %s, want %s", made.WorkspaceID, w.workspace)
		}
	})
}

// TestEventsNeedTheScopeOfTheirSubject: a key is shown the events whose subjects it may read, and no other.
func TestEventsNeedTheScopeOfTheirSubject(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		newFixture(t, w)
		for scope, want := range map[api.Scope]string{api.SlicesRead: "slice share",
			api.KeysManage: "api_key", api.WebhooksManage: "webhook"} {
			c := w.authenticate(t, w.mint(t, []api.Scope{scope}).Token)
			in := api.ListEvents{WorkspaceID: w.workspace, Paging: api.Paging{Limit: 100}}
			events, err := w.ListEvents(t.Context(), c, valid(in))
			must(t, err)
			if len(events.Data) == 0 {
				t.Errorf("%s shows no event", scope)
			}
			for _, e := range events.Data {
				if subject, _, _ := strings.Cut(string(e.Type), "."); !slices.Contains(strings.Fields(want), subject) {
					t.Errorf("%s shows %s", scope, e.Type)
				}
			}
		}
	})
}

// TestCredentialsEnd: a token that is over authenticates nobody, and no write of a caller whom it has authenticated
// before.
func TestCredentialsEnd(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx, soon := t.Context(), api.At(w.now.Add(time.Hour))
		expiring, rotated, revoked := w.brief(t, soon), w.mint(t, api.AllScopes()), w.mint(t, api.AllScopes())
		user := w.user(t, "u@test.example")
		tokens := map[string]string{"an expired key": expiring.Token, "a token after its grace period": rotated.Token,
			"a revoked key": revoked.Token, "a disabled account": user.Token}
		callers := map[string]access.Caller{}
		for what, token := range tokens {
			callers[what] = w.authenticate(t, token)
		}
		must(t, second(w.RotateKey(ctx, w.owner, valid(api.RotateKey{KeyID: rotated.ID,
			Body: &api.RotateFields{GracePeriodSeconds: 3600}}))))
		must(t, second(w.RevokeKey(ctx, w.owner, valid(api.RevokeKey{KeyID: revoked.ID}))))
		must(t, w.Operator.DisableUser(ctx, user.UserID))
		w.now = soon.Time
		for what, token := range tokens {
			if _, err := w.Authenticate(ctx, token); code(err) != api.CodeUnauthorized {
				t.Errorf("%s authenticates: %v", what, err)
			}
			if err := w.fileAs(callers[what]); code(err) != api.CodeUnauthorized {
				t.Errorf("%s files: %v", what, err)
			}
		}
	})
}

// TestOperatorsStayInTheirOrganisation: the operator of an organisation does nothing in a workspace of another one,
// and nobody but an operator writes what names no operation.
func TestOperatorsStayInTheirOrganisation(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		ctx := t.Context()
		other, err := w.Bootstrap(ctx, operator.Bootstrap{Organization: "Other",
			Workspace: "Two", Owner: operator.NewUser{Email: "other@test.example"}})
		must(t, err)
		o := w.In(api.OrganizationRef{ID: other.OrganizationID})
		external := "tracker#1"
		report := portable.ExternalReport{HistoricalSlice: portable.HistoricalSlice{Fields: api.SliceFields{Summary: "s",
			ExternalID: &external},
			Reporter: api.Reporter{Type: "user", Name: "x"}, FiledAt: w.now}}
		before := f.stored(t)
		for what, err := range map[string]error{
			"PutMember":    o.PutMember(ctx, w.workspace, other.UserID, api.RoleAdmin),
			"RemoveMember": o.RemoveMember(ctx, w.workspace, w.owner.ID),
			"AddUser": second(o.AddUser(ctx,
				operator.NewUser{Email: "n@test.example", Workspaces: []string{w.workspace}})),
			"Backfill": second(portable.Backfill(ctx, o.OrganizationOperator,
				w.workspace, []portable.HistoricalSlice{report.HistoricalSlice})),
			"ImportReports": second(portable.ImportReports(ctx, o.OrganizationOperator,
				w.workspace, []portable.ExternalReport{report}, false)),
			"Begin": second(portable.Begin(ctx, o.OrganizationOperator,
				portable.ImportOptions{ArchiveID: "a", Into: w.workspace}, nil)),
			"RemoveWorkspace": o.RemoveWorkspace(ctx, w.workspace),
		} {
			if code(err) != api.CodeNotFound {
				t.Errorf("%s in a workspace of another organisation: %v", what, err)
			}
		}
		err = w.In(w.owner.Organization).PutMember(ctx, w.workspace, other.UserID, api.RoleMember)
		if err == nil || !strings.Contains(err.Error(), "there is no user") {
			t.Errorf("a user of another organisation becomes a member: %v", err)
		}
		pretends := w.owner
		pretends.Principal = o.Caller().Principal
		for what, c := range map[string]access.Caller{"an owner": w.owner,
			"somebody who says to be the operator": pretends} {
			if err := w.WriteAsOperator(ctx, c); code(err) != api.CodeForbidden {
				t.Errorf("%s writes as the operator: %v", what, err)
			}
		}
		if after := f.stored(t); after != before {
			t.Errorf("something was stored:\n%s", difference(before, after))
		}
		must(t, w.WriteAsOperator(ctx, o.Caller()))
	})
}

// slowReader is the client of a long answer: it takes the first piece, and the rest later.
type slowReader struct {
	pieces int
	first  func()
}

func (s *slowReader) Write(b []byte) (int, error) {
	if s.pieces++; s.pieces == 1 {
		s.first()
	}
	return len(b), nil
}

// TestLongAnswersEndWithTheirRights: a file, a replay and a stream end when their caller may not read them any more.
func TestLongAnswersEndWithTheirRights(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		f := newFixture(t, w)
		in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.workspace,
			SliceFields: api.SliceFields{Summary: "long"}}}
		in.Body.Evidence = &api.Evidence{}
		for n := range 3000 {
			line := fmt.Sprintf(`{"type":3,"timestamp":%d,"data":{"text":"%s"}}`, n, strings.Repeat("x ", 100))
			in.Body.Evidence.Replay = append(in.Body.Evidence.Replay, json.RawMessage(line))
		}
		long, err := w.CreateSlice(t.Context(), w.owner, valid(in))
		must(t, err)
		t.Run("answers", func(t *testing.T) {
			for what, read := range map[string]func(t *testing.T, c access.Caller, lose func()) error{
				"a file": func(t *testing.T, c access.Caller, lose func()) error {
					file, err := w.ReadAttachment(t.Context(), c, valid(api.GetAttachment{AttachmentID: f.picture}))
					must(t, err)
					defer file.Bytes.Close()
					lose()
					return second(io.ReadAll(file.Bytes))
				},
				"a replay": func(t *testing.T, c access.Caller, lose func()) error {
					return w.GetReplay(t.Context(), c, valid(api.GetReplay{SliceID: long.ID}), &slowReader{first: lose})
				},
				"a stream": func(t *testing.T, c access.Caller, lose func()) error {
					s, err := w.StreamEvents(t.Context(), c, valid(api.ListEvents{WorkspaceID: f.workspace}))
					must(t, err)
					defer s.Close()
					lose()
					return s.Next(t.Context(), func(e api.Event) bool {
						t.Errorf("%s was shown", e.Type)
						return true
					})
				},
			} {
				t.Run(what+" after the key is revoked", func(t *testing.T) {
					t.Parallel()
					c, keyID := w.key(t)
					err := read(t, c, func() {
						must(t, second(w.RevokeKey(t.Context(), w.owner, valid(api.RevokeKey{KeyID: keyID}))))
						time.Sleep(550 * time.Millisecond)
					})
					if code(err) != api.CodeUnauthorized {
						t.Errorf("%v, want unauthorized", err)
					}
				})
				t.Run(what+" after the membership ends", func(t *testing.T) {
					t.Parallel()
					u := w.user(t, strings.ReplaceAll(what, " ", "-")+"@test.example")
					err := read(t, w.authenticate(t, u.Token), func() {
						must(t, w.In(w.owner.Organization).RemoveMember(t.Context(), w.workspace, u.UserID))
						time.Sleep(550 * time.Millisecond)
					})
					if code(err) != api.CodeNotFound {
						t.Errorf("%v, want not_found", err)
					}
				})
			}
		})
	})
}
