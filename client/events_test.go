package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/client"
	"bugslice/client/clienttest"
)

// TestFollowContinues: a follower has each event once and in order, while the server restarts.
func TestFollowContinues(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	c := s.Client()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	made := newSlice(t, c, api.SliceFields{})
	var got []string
	in := api.ListEvents{WorkspaceID: s.Workspace,
		Type: []api.EventType{api.EventSliceCreated, api.EventCommentCreated}}
	comment := func(body string) {
		if _, err := c.CreateComment(ctx,
			api.CreateComment{SliceID: made.ID, Body: api.CommentFields{Body: body}}); err != nil {
			t.Error(err)
		}
	}
	for e, err := range c.Follow(ctx, in) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Data.Comment == nil {
			comment("one")
			continue
		}
		got = append(got, e.Data.Comment.Body)
		switch len(got) {
		case 1:
			go func() {
				if err := s.Restart(); err != nil {
					t.Error(err)
				}
				comment("two")
				comment("three")
			}()
		case 3:
			cancel()
			if !slices.Equal(got, []string{"one", "two", "three"}) {
				t.Errorf("%q", got)
			}
			return
		}
	}
}

// events answers with a stream.
func events(messages ...string) http.HandlerFunc {
	return succeed(strings.Join(messages, "\n\n") + "\n\n")
}

func event(id string) string {
	return fmt.Sprintf("id: %s\nevent: slice.created\ndata: {\"id\":%q}", id, id)
}

// TestFollowEnds: a follower connects again after what passes, from the last event on, and ends with what does not.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	gone := refuse(410, api.CodeEventsGone)
	problem := `event: problem` + "\n" + `data: {"status":%d,"code":%q}`
	type answers []http.HandlerFunc
	for name, tt := range map[string]struct {
		answers answers
		events  string
		after   string // the last event that each request names
		code    string
	}{
		"expired": {answers{gone}, "", "0", api.CodeEventsGone},
		"ends": {answers{events(event("1"), event("2")), events(event("3")), gone}, "1 2 3", "0 2 3",
			api.CodeEventsGone},
		"lost": {answers{events(event("1")), lose, refuse(503, api.CodeUnavailable), gone}, "1", "0 1 1 1",
			api.CodeEventsGone},
		"cut": {answers{events(event("1"), "id: 2\ndata: {}x")}, "1", "0", "other"},
		"revoked": {answers{events(event("1"), fmt.Sprintf(problem, 401, api.CodeUnauthorized))}, "1", "0",
			api.CodeUnauthorized},
		"busy": {answers{events(fmt.Sprintf(problem, 503, api.CodeUnavailable)), gone}, "", "0 0",
			api.CodeEventsGone},
		"heartbeat": {answers{events("retry: 1000", ": heartbeat", event("1")), gone}, "1", "0 1", api.CodeEventsGone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := script(t, tt.answers...)
			var got, after []string
			var last error
			for e, err := range s.client(t, client.Options{}).Follow(t.Context(), api.ListEvents{After: "0"}) {
				if err != nil {
					last = err
					break
				}
				got = append(got, e.ID)
			}
			for _, r := range s.requests {
				after = append(after, r.URL.Query().Get("after"))
			}
			code := "other"
			if p, ok := errors.AsType[*api.Problem](last); ok {
				code = p.Code
			}
			if strings.Join(got, " ") != tt.events || strings.Join(after, " ") != tt.after || code != tt.code {
				t.Errorf("%v after %v, %v; want %v after %v, %s", got, after, last, tt.events, tt.after, tt.code)
			}
		})
	}
}

// TestFollowEndsWithItsContext, at once, also while nothing happens.
func TestFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	began := time.Now()
	var last error
	for _, err := range server().Client().
		Follow(ctx, api.ListEvents{WorkspaceID: server().Workspace, After: api.Latest}) {
		last = err
	}
	if took := time.Since(began); !errors.Is(last, context.Canceled) || took > 10*time.Second {
		t.Errorf("%v after %s", last, took)
	}
}

// TestLargeEvent: an event beyond the limit ends a follower, which would get it again.
func TestLargeEvent(t *testing.T) {
	t.Parallel()
	s := script(t, events(event(strings.Repeat("x", 2000))))
	for _, err := range s.client(t, client.Options{MaxResponse: 1000}).Follow(t.Context(), api.ListEvents{}) {
		if !errors.Is(err, client.ErrTooLarge) || s.asked() != 1 {
			t.Errorf("%v after %d requests", err, s.asked())
		}
	}
}
