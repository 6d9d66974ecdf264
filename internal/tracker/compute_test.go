package tracker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/blob"
	"bugslice/internal/operator"
	"bugslice/internal/tracker"
)

// gated is a blob store that counts who reads from it at once, and lets them read while its gate
// is open.
type gated struct {
	blob.Store
	gate      chan struct{}
	mu        sync.Mutex
	now, most int
}

func (g *gated) Open(ctx context.Context, key string) (blob.Reader, error) {
	g.mu.Lock()
	g.now++
	g.most = max(g.most, g.now)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.now--
		g.mu.Unlock()
	}()
	select {
	case <-g.gate:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return g.Store.Open(ctx, key)
}

// reading is how many are reading.
func (g *gated) reading() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now
}

// evident is a world with files, and a slice of each of two organisations that has evidence.
type evident struct {
	*world
	gate    *gated
	callers [2]access.Caller
	slices  [2]string
}

func newEvident(t *testing.T, w *world) *evident {
	t.Helper()
	dir, err := blob.Open("", t.TempDir(), nil)
	must(t, err)
	e := &evident{world: w, gate: &gated{Store: dir, gate: make(chan struct{})}}
	close(e.gate.gate)
	w.with(t, func(o *tracker.Options) { o.Blobs = e.gate })
	other, err := w.Bootstrap(t.Context(), operator.Bootstrap{Organization: "Other",
		Workspace: "One", Owner: operator.NewUser{Email: "other@test.example"}})
	must(t, err)
	caller, err := w.Authenticate(t.Context(), other.Token)
	must(t, err)
	e.callers = [2]access.Caller{w.owner, caller}
	for i, workspace := range []string{w.workspace, other.WorkspaceID} {
		at := api.At(time.Now())
		in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspace,
			SliceFields: api.SliceFields{Summary: "seen"}}}
		in.Body.Evidence = &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: at, Message: "m"}}}
		for n := range 3000 {
			event := fmt.Sprintf(`{"type":3,"timestamp":%d,"data":{"text":"%s"}}`, n, strings.Repeat("x ", 50))
			in.Body.Evidence.Replay = append(in.Body.Evidence.Replay, json.RawMessage(event))
		}
		made, err := w.CreateSlice(t.Context(), e.callers[i], valid(in))
		must(t, err)
		e.slices[i] = made.ID
	}
	return e
}

func (e *evident) console(ctx context.Context, who int) error {
	in := api.ListConsole{SliceID: e.slices[who], Q: "no such text"}
	in.Limit = 25
	_, err := e.ListConsole(ctx, e.callers[who], valid(in))
	return err
}

// occupy has 16 requests of the first organisation read evidence, of which none comes to an end
// before the caller says so.
func (e *evident) occupy(t *testing.T) (end func()) {
	t.Helper()
	e.gate.gate = make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 16 {
		work.Go(func() { _ = e.replay(ctx, 0) })
	}
	half := max(1, runtime.GOMAXPROCS(0)/2)
	e.await(t, half)
	time.Sleep(50 * time.Millisecond)
	if n := e.gate.reading(); n != half {
		t.Errorf("%d requests read at once, want %d", n, half)
	}
	return func() { cancel(); work.Wait() }
}

// await waits until so many requests read evidence.
func (e *evident) await(t *testing.T, n int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); e.gate.reading() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d requests read, want %d", e.gate.reading(), n)
		}
	}
}

func (e *evident) replay(ctx context.Context, who int) error {
	return e.GetReplay(ctx, e.callers[who], valid(api.GetReplay{SliceID: e.slices[who]}), io.Discard)
}

// TestOneOrganisationLeavesCores: requests of one organisation that read evidence use at most half of the cores.
// Those of another one continue beside them.
func TestOneOrganisationLeavesCores(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		end, beside := e.occupy(t), make(chan error)
		if cores := runtime.GOMAXPROCS(0); cores > 1 {
			go func() { beside <- e.replay(t.Context(), 1) }()
			e.await(t, cores/2+1)
			end()
			close(e.gate.gate)
			must(t, <-beside)
			return
		}
		end()
	})
}

// TestHeavyWorkWaitsForASlot: heavy work waits for a slot of its organisation; other work continues meanwhile.
func TestHeavyWorkWaitsForASlot(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		console := &api.Evidence{Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(time.Now()),
			Message: "m"}}}
		text := "some text"
		heavy := map[string]func(ctx context.Context, c access.Caller) error{
			"console": func(ctx context.Context, _ access.Caller) error { return e.console(ctx, 0) },
			"replay":  func(ctx context.Context, _ access.Caller) error { return e.replay(ctx, 0) },
			"HAR": func(ctx context.Context, c access.Caller) error {
				return e.GetArchive(ctx, c, valid(api.GetArchive{SliceID: e.slices[0]}), io.Discard)
			},
			"Markdown": func(ctx context.Context, c access.Caller) error {
				_, err := e.Markdown(ctx, c, valid(api.GetSlice{SliceID: e.slices[0], MaxTokens: 1000}))
				return err
			},
			"similar": func(ctx context.Context, c access.Caller) error {
				_, err := e.ListSimilar(ctx, c,
					valid(api.ListSimilar{SliceID: e.slices[0], Paging: api.Paging{Limit: 5}}))
				return err
			},
			"search": func(ctx context.Context, c access.Caller) error {
				_, err := e.ListSlices(ctx, c, valid(api.ListSlices{SliceFilters: api.SliceFilters{Q: "seen"},
					Paging: api.Paging{Limit: 5}}))
				return err
			},
			"large page": func(ctx context.Context, c access.Caller) error {
				_, err := e.ListSlices(ctx, c, valid(api.ListSlices{Paging: api.Paging{Limit: 100}}))
				return err
			},
			"comments": func(ctx context.Context, c access.Caller) error {
				_, err := e.ListComments(ctx, c,
					valid(api.ListComments{SliceID: e.slices[0], Paging: api.Paging{Limit: 5}}))
				return err
			},
			"large comment": func(ctx context.Context, c access.Caller) error {
				in := api.CreateComment{SliceID: e.slices[0],
					Body: api.CommentFields{Body: strings.Repeat("words ", 10_000)}}
				_, err := e.CreateComment(ctx, c, valid(in))
				return err
			},
			"activity": func(ctx context.Context, c access.Caller) error {
				_, err := e.ListActivity(ctx, c,
					valid(api.ListActivity{SliceID: e.slices[0], Paging: api.Paging{Limit: 100}}))
				return err
			},
			"events": func(ctx context.Context, c access.Caller) error {
				_, err := e.ListEvents(ctx, c,
					valid(api.ListEvents{WorkspaceID: e.workspace, Paging: api.Paging{Limit: 100}}))
				return err
			},
			"dry run": func(ctx context.Context, c access.Caller) error {
				_, err := e.DryRun(ctx, c,
					valid(api.DryRun{WorkspaceID: e.workspace, Body: api.DryRunFields{Text: &text}}))
				return err
			},
			"filing": func(ctx context.Context, c access.Caller) error {
				in := api.CreateSlice{Body: api.NewSlice{WorkspaceID: &e.workspace,
					SliceFields: api.SliceFields{Summary: "again"}}}
				in.Body.Evidence = console
				_, err := e.CreateSlice(ctx, c, valid(in))
				return err
			},
			"upload": func(ctx context.Context, c access.Caller) error {
				up := tracker.Upload{Body: strings.NewReader(text), ContentType: "text/plain", Name: "a.txt",
					Length: -1}
				_, err := e.CreateAttachment(ctx, c, valid(api.CreateAttachment{SliceID: e.slices[0]}), up)
				return err
			},
			"video": func(ctx context.Context, c access.Caller) error {
				up := tracker.Upload{Body: strings.NewReader(video), Name: "a.mp4", Length: -1}
				_, err := e.CreateAttachment(ctx, c, valid(api.CreateAttachment{SliceID: e.slices[0]}), up)
				return err
			},
			"stream": func(ctx context.Context, c access.Caller) error {
				s, err := e.StreamEvents(ctx, c, valid(api.ListEvents{WorkspaceID: e.workspace}))
				if err == nil {
					s.Close()
				}
				return err
			},
		}
		end := e.occupy(t)
		for name, do := range heavy {
			ctx, cancel := context.WithCancel(t.Context()) // and no deadline: one that passes while PostgreSQL is dialled is another error
			time.AfterFunc(30*time.Millisecond, cancel)
			if err := do(ctx, e.callers[0]); !errors.Is(err, context.Canceled) {
				t.Errorf("%s does not wait: %v", name, err)
			}
		}
		e.file(t, "light", "")
		if _, err := e.ListSlices(t.Context(), e.callers[0],
			valid(api.ListSlices{Paging: api.Paging{Limit: 25}})); err != nil {
			t.Error(err)
		}
		end()
		close(e.gate.gate)
		for name, do := range heavy {
			if err := do(t.Context(), e.callers[0]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// video is a film of no pictures.
const video = "\x00\x00\x00\x10ftypisom\x00\x00\x00\x00"

// TestWaitingClientsHoldNoSlot: clients that read nothing of a response or send nothing of a file delay no other
// request of their organisation.
func TestWaitingClientsHoldNoSlot(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		ctx, cancel := context.WithCancel(t.Context())
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		for range runtime.GOMAXPROCS(0) {
			taken, sent := make(chan struct{}), make(chan struct{})
			work.Go(func() {
				_ = e.GetReplay(ctx, e.callers[0], valid(api.GetReplay{SliceID: e.slices[0]}), stuck{ctx, taken})
			})
			work.Go(func() {
				body := io.MultiReader(strings.NewReader(strings.Repeat("a line\n", 10_000)), stuck{ctx, sent})
				up := tracker.Upload{Body: body, ContentType: "text/plain", Name: "a.txt", Length: -1}
				_, _ = e.CreateAttachment(ctx, e.callers[0], valid(api.CreateAttachment{SliceID: e.slices[0]}), up)
			})
			work.Go(func() {
				body := io.MultiReader(strings.NewReader(strings.Repeat(video, 10_000)), stuck{ctx, sent})
				up := tracker.Upload{Body: body, Name: "a.mp4", Length: -1}
				_, _ = e.CreateAttachment(ctx, e.callers[0], valid(api.CreateAttachment{SliceID: e.slices[0]}), up)
			})
			<-taken
			<-sent
			<-sent
		}
		quick, done := context.WithTimeout(t.Context(), 8*time.Second)
		defer done()
		must(t, e.console(quick, 0))
	})
}

// stuck is a client that neither takes nor sends until ctx ends.
type stuck struct {
	ctx    context.Context
	waited chan struct{}
}

func (s stuck) Write([]byte) (int, error) {
	select {
	case s.waited <- struct{}{}:
	case <-s.ctx.Done():
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s stuck) Read([]byte) (int, error) { return s.Write(nil) }

// TestStreamsReadInASlot: a stream reads in a slot of its organisation, and continues at its position.
func TestStreamsReadInASlot(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		stream, err := e.StreamEvents(t.Context(), e.callers[0], valid(api.ListEvents{WorkspaceID: e.workspace}))
		must(t, err)
		defer stream.Close()
		end := e.occupy(t)
		soon, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer done()
		must(t, stream.Next(soon, func(api.Event) bool { t.Error("a stream was read beside its organisation's share"); return true }))
		end()
		seen := 0
		must(t, stream.Next(t.Context(), func(api.Event) bool { seen++; return true }))
		if seen == 0 {
			t.Error("the stream shows nothing")
		}
	})
}

// TestWaitingForASlotEndsWithTheRight: a request that has waited for its organisation's slot is refused when its key
// was revoked meanwhile.
func TestWaitingForASlotEndsWithTheRight(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		e := newEvident(t, w)
		c, keyID := e.key(t)
		end := e.occupy(t)
		read := make(chan error, 1)
		go func() {
			in := api.ListConsole{SliceID: e.slices[0], Paging: ten}
			read <- second(e.ListConsole(context.Background(), c, valid(in)))
		}()
		time.Sleep(100 * time.Millisecond)
		must(t, second(e.RevokeKey(t.Context(), e.owner, valid(api.RevokeKey{KeyID: keyID}))))
		time.Sleep(550 * time.Millisecond)
		close(e.gate.gate)
		end()
		if err := <-read; code(err) != api.CodeUnauthorized {
			t.Errorf("%v, want unauthorized", err)
		}
	})
}
