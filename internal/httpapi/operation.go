package httpapi

import (
	"context"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/schema"
	"bugslice/internal/tracker"
)

// route is an operation bound to its function.
type route struct {
	op   *api.Operation
	plan *plan // of its input
	out  reflect.Type
	call func(ctx context.Context, c tracker.Caller, fill func(any) error) (any, error)
	also map[string]other // answers of other media types, when Accept asks for one
	raw  other            // reads or writes what is no JSON; goes before call

	streamed bool // the answer is written as it comes
	download bool // it may take long, and a key may have few of them at once
}

// files binds a row to a function that writes its answer itself.
func files[In any](id string, fn func(*Server, http.ResponseWriter, *http.Request, tracker.Caller, In) error) route {
	rt := or(route{op: api.Lookup(id), plan: newPlan(reflect.TypeFor[In]()), out: reflect.TypeFor[api.Nothing]()}, "", fn)
	rt.raw = rt.also[""]
	return rt
}

// upload binds a row to a function that reads its body itself.
func upload[In, Out any](id string, fn func(*Server, http.ResponseWriter, *http.Request, tracker.Caller, In) (Out, error)) route {
	rt := files(id, func(s *Server, w http.ResponseWriter, r *http.Request, c tracker.Caller, in In) error {
		out, err := fn(s, w, r, c, in)
		if err != nil {
			return err
		}
		return s.answer(w, r, c, route{op: api.Lookup(id)}, out)
	})
	rt.out = reflect.TypeFor[Out]()
	return rt
}

// streamed binds a row to a function that writes its answer, an Out as JSON, as it comes.
func streamed[Out, In any](id string, fn func(*tracker.Tracker, context.Context, tracker.Caller, In, io.Writer) error) route {
	rt := files(id, func(s *Server, w http.ResponseWriter, r *http.Request, c tracker.Caller, in In) error {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		out := &begun{Writer: w}
		err := fn(s.Tracker, r.Context(), c, in, out)
		if err != nil && out.some { // half of a document must not look like one
			current(r).err = err
			panic(http.ErrAbortHandler)
		}
		return err
	})
	rt.out, rt.streamed = reflect.TypeFor[Out](), true
	return download(rt)
}

// download counts a row's answers among the downloads of the key.
func download(rt route) route {
	rt.download = true
	return rt
}

// begun knows whether anything was written.
type begun struct {
	io.Writer
	some bool
}

func (b *begun) Write(p []byte) (int, error) {
	b.some = true
	return b.Writer.Write(p)
}

// other writes an answer that is not JSON.
type other func(s *Server, w http.ResponseWriter, r *http.Request, c tracker.Caller, fill func(any) error) error

// or answers under another media type.
func or[In any](rt route, media string, fn func(*Server, http.ResponseWriter, *http.Request, tracker.Caller, In) error) route {
	if rt.also == nil {
		rt.also = map[string]other{}
	}
	rt.also[media] = func(s *Server, w http.ResponseWriter, r *http.Request, c tracker.Caller, fill func(any) error) error {
		var in In
		if err := fill(&in); err != nil {
			return err
		}
		return fn(s, w, r, c, in)
	}
	return rt
}

// op binds a row of api.Operations to the function that does it.
func op[In, Out any](id string, fn func(context.Context, tracker.Caller, In) (Out, error)) route {
	return route{op: api.Lookup(id), plan: newPlan(reflect.TypeFor[In]()), out: reflect.TypeFor[Out](),
		call: func(ctx context.Context, c tracker.Caller, fill func(any) error) (any, error) {
			var in In
			if err := fill(&in); err != nil {
				return nil, err
			}
			return fn(ctx, c, in)
		}}
}

// routes binds every operation.
func (s *Server) routes() []route { return bindings(s.Tracker) }

func bindings(t *tracker.Tracker) []route {
	return []route{
		op(api.OpGetMe, t.GetMe),
		op(api.OpListWorkspaces, t.ListWorkspaces),
		op(api.OpCreateWorkspace, t.CreateWorkspace),
		op(api.OpGetWorkspace, t.GetWorkspace),
		op(api.OpUpdateWorkspace, t.UpdateWorkspace),
		op(api.OpListMembers, t.ListMembers),
		op(api.OpListSpaces, t.ListSpaces),
		op(api.OpCreateSpace, t.CreateSpace),
		op(api.OpListSlices, t.ListSlices),
		op(api.OpCreateSlice, t.CreateSlice),
		or(op(api.OpGetSlice, t.GetSlice), "text/markdown", (*Server).sliceMarkdown),
		op(api.OpUpdateSlice, t.UpdateSlice),
		op(api.OpDeleteSlice, t.DeleteSlice),
		op(api.OpRestoreSlice, t.RestoreSlice),
		op(api.OpListAttachments, t.ListAttachments),
		upload(api.OpCreateAttachment, (*Server).createAttachment),
		download(files(api.OpGetAttachment, (*Server).getAttachment)),
		download(files(api.OpGetThumbnail, (*Server).getThumbnail)),
		op(api.OpUpdateAttachment, t.UpdateAttachment),
		op(api.OpDeleteAttachment, t.DeleteAttachment),
		op(api.OpListConsole, t.ListConsole),
		op(api.OpListNetwork, t.ListNetwork),
		streamed[api.Archive](api.OpGetArchive, (*tracker.Tracker).GetArchive),
		op(api.OpListActions, t.ListActions),
		streamed[api.Replay](api.OpGetReplay, (*tracker.Tracker).GetReplay),
		op(api.OpDryRun, t.DryRun),
		op(api.OpListComments, t.ListComments),
		op(api.OpCreateComment, t.CreateComment),
		op(api.OpUpdateComment, t.UpdateComment),
		op(api.OpDeleteComment, t.DeleteComment),
		op(api.OpListActivity, t.ListActivity),
		op(api.OpListSimilar, t.ListSimilar),
		op(api.OpListKeys, t.ListKeys),
		op(api.OpCreateKey, t.CreateKey),
		op(api.OpGetKey, t.GetKey),
		op(api.OpRevokeSelf, t.RevokeSelf),
		op(api.OpRevokeKey, t.RevokeKey),
		op(api.OpRotateKey, t.RotateKey),
		or(op(api.OpListEvents, t.ListEvents), "text/event-stream", (*Server).streamEvents),
		op(api.OpListWebhooks, t.ListWebhooks),
		op(api.OpCreateWebhook, t.CreateWebhook),
		op(api.OpGetWebhook, t.GetWebhook),
		op(api.OpUpdateWebhook, t.UpdateWebhook),
		op(api.OpDeleteWebhook, t.DeleteWebhook),
		op(api.OpEnableWebhook, t.EnableWebhook),
		op(api.OpRotateSecret, t.RotateSecret),
		op(api.OpTestWebhook, t.TestWebhook),
		op(api.OpListDeliveries, t.ListDeliveries),
		op(api.OpRecoverDeliveries, t.RecoverDeliveries),
		op(api.OpGetDelivery, t.GetDelivery),
		op(api.OpRedeliver, t.Redeliver),
	}
}

// operation is a request's way through the house.
func (s *Server) operation(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := current(r)
		x.operation = rt.op.ID
		if err := s.serve(w, r, rt, x); err != nil {
			s.refuse(w, r, err)
		}
	})
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, rt route, x *exchange) error {
	if err := tokenInQuery(r); err != nil {
		return err
	}
	c, err := s.authenticate(w, r)
	if err != nil {
		return err
	}
	x.keyID = c.Key.ID
	if err := s.spend(w, c); err != nil {
		return err
	}
	if err := c.Allow(rt.op.ID); err != nil {
		return err
	}
	if err := s.Tracker.RoomOnDisk(rt.op.ID); err != nil {
		return err
	}
	if rt.download {
		end, err := s.downloads.begin(w, c.Key.ID)
		if err != nil {
			return err
		}
		defer end()
	}
	release := func() {}
	defer func() { release() }()
	begin := time.Now()
	fill := func(in any) (err error) {
		if release, err = s.fill(w, r, rt, c, in); err == nil && time.Since(begin) > recheckEvery {
			_, err = s.Tracker.Reauthorize(r.Context(), c, rt.op.ID) // the body took its time to arrive
		}
		return err
	}
	if rt.raw != nil {
		return rt.raw(s, w, r, c, fill)
	}
	if rt.also != nil {
		w.Header().Add("Vary", "Accept")
	}
	if also := rt.also[preferred(r, rt)]; also != nil {
		return also(s, w, r, c, fill)
	}
	out, err := rt.call(r.Context(), c, fill)
	if err != nil {
		return err
	}
	release() // others do not wait for a client that takes its time over the answer
	release = func() {}
	return s.answer(w, r, c, rt, out)
}

// preferred returns which of an operation's other media types the client would rather have
// than JSON; none when it does not say so.
func preferred(r *http.Request, rt route) string {
	best, quality := "", 0.0
	for one := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, options, err := mime.ParseMediaType(one)
		if err != nil {
			continue
		}
		q := 1.0
		if text, ok := options["q"]; ok {
			q, _ = strconv.ParseFloat(text, 64)
		}
		if q > quality && (rt.also[media] != nil || media == "application/json") {
			best, quality = media, q
		}
	}
	return best
}

// bodySchemas names the component schemas that bodies are validated against.
func bodySchemas(routes []route) []string {
	var names []string
	for _, r := range routes {
		if r.plan.body != nil {
			names = append(names, r.plan.body.schema)
		}
	}
	return names
}

func modeOf(patch bool) schema.Mode {
	if patch {
		return schema.Patch
	}
	return schema.Create
}
