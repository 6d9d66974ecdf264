package httpapi

import (
	"context"
	"io"
	"net/http"
	"reflect"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// route is an operation bound to the function that serves it. It has call or write, by the shape of its response.
type route struct {
	op   *api.Operation
	in   *input.Binding
	bind func(input.Source) (any, error) // returns the input.Valid of its input type
	out  reflect.Type                    // of the record in a JSON response; api.Nothing otherwise

	call         func(a *API, q *request, in any) (any, error) // returns the record of a JSON response
	write        responder                                     // writes a response of another shape
	alternatives map[string]responder                          // by media type; one is used when Accept prefers it

	upload    bool // the body is a file
	streaming bool // the response is written as it is made
	download  bool // the response may take long, and a key may have only a few of them at once
}

// responder writes the response of an operation. An error is written as a problem.
type responder func(a *API, q *request, in any) error

// newRoute returns the route of an operation, whose row must have these types.
func newRoute[In, Out any](id string) route {
	row := api.Lookup(id)
	if reflect.TypeOf(row.In) != reflect.TypeFor[In]() || reflect.TypeOf(row.Out) != reflect.TypeFor[Out]() {
		panic("httpapi: the function of " + id + " has other types than its row")
	}
	return route{op: row, in: input.Of(row), out: reflect.TypeFor[Out](),
		bind: func(s input.Source) (any, error) { return input.Bind[In](s) }}
}

// jsonRoute binds an operation that answers with a record.
func jsonRoute[In, Out any](id string, fn func(context.Context, tracker.Caller, input.Valid[In]) (Out, error)) route {
	rt := newRoute[In, Out](id)
	rt.call = func(_ *API, q *request, in any) (any, error) { return fn(q.Context(), q.caller, in.(input.Valid[In])) }
	return rt
}

// uploadRoute binds an operation that reads the body of the request itself and answers with a record.
func uploadRoute[In, Out any](id string, fn func(*API, *request, input.Valid[In]) (Out, error)) route {
	rt := newRoute[In, Out](id)
	rt.call = func(a *API, q *request, in any) (any, error) { return fn(a, q, in.(input.Valid[In])) }
	rt.upload = true
	return rt
}

// fileRoute binds an operation that answers with the bytes of a file.
func fileRoute[In any](id string, fn func(*API, *request, input.Valid[In]) error) route {
	rt := newRoute[In, api.Nothing](id)
	rt.write, rt.download = respond(fn), true
	return rt
}

// streamRoute binds an operation that writes its response, an Out as JSON, as it makes it.
func streamRoute[Out, In any](id string, fn func(context.Context, tracker.Caller, input.Valid[In], io.Writer) error) route {
	rt := newRoute[In, Out](id)
	rt.streaming, rt.download = true, true
	rt.write = func(_ *API, q *request, in any) error {
		q.w.Header().Set("Content-Type", "application/json")
		q.w.Header().Set("Cache-Control", "no-store")
		out := &startedWriter{Writer: q.w}
		err := fn(q.Context(), q.caller, in.(input.Valid[In]), out)
		if err != nil && out.started { // an incomplete document must not look complete
			httpserver.Info(q.Request).Err = err
			panic(http.ErrAbortHandler)
		}
		return err
	}
	return rt
}

// startedWriter remembers whether anything was written.
type startedWriter struct {
	io.Writer
	started bool
}

func (w *startedWriter) Write(p []byte) (int, error) {
	w.started = true
	return w.Writer.Write(p)
}

// withMedia adds a response in another media type, for clients whose Accept prefers it.
func withMedia[In any](rt route, media string, fn func(*API, *request, input.Valid[In]) error) route {
	if rt.alternatives == nil {
		rt.alternatives = map[string]responder{}
	}
	rt.alternatives[media] = respond(fn)
	return rt
}

func respond[In any](fn func(*API, *request, input.Valid[In]) error) responder {
	return func(a *API, q *request, in any) error { return fn(a, q, in.(input.Valid[In])) }
}

// routes binds each row of api.Operations to the function that serves it.
func routes(t *tracker.Tracker) []route {
	return []route{
		jsonRoute(api.OpGetMe, t.GetMe),
		jsonRoute(api.OpListWorkspaces, t.ListWorkspaces),
		jsonRoute(api.OpCreateWorkspace, t.CreateWorkspace),
		jsonRoute(api.OpGetWorkspace, t.GetWorkspace),
		jsonRoute(api.OpUpdateWorkspace, t.UpdateWorkspace),
		jsonRoute(api.OpListMembers, t.ListMembers),
		jsonRoute(api.OpListSpaces, t.ListSpaces),
		jsonRoute(api.OpCreateSpace, t.CreateSpace),
		jsonRoute(api.OpListSlices, t.ListSlices),
		jsonRoute(api.OpCreateSlice, t.CreateSlice),
		withMedia(jsonRoute(api.OpGetSlice, t.GetSlice), "text/markdown", (*API).sliceMarkdown),
		jsonRoute(api.OpUpdateSlice, t.UpdateSlice),
		jsonRoute(api.OpDeleteSlice, t.DeleteSlice),
		jsonRoute(api.OpRestoreSlice, t.RestoreSlice),
		jsonRoute(api.OpListAttachments, t.ListAttachments),
		uploadRoute(api.OpCreateAttachment, (*API).createAttachment),
		fileRoute(api.OpGetAttachment, (*API).getAttachment),
		fileRoute(api.OpGetThumbnail, (*API).getThumbnail),
		jsonRoute(api.OpUpdateAttachment, t.UpdateAttachment),
		jsonRoute(api.OpDeleteAttachment, t.DeleteAttachment),
		jsonRoute(api.OpListConsole, t.ListConsole),
		jsonRoute(api.OpListNetwork, t.ListNetwork),
		streamRoute[api.Archive](api.OpGetArchive, t.GetArchive),
		jsonRoute(api.OpListActions, t.ListActions),
		streamRoute[api.Replay](api.OpGetReplay, t.GetReplay),
		jsonRoute(api.OpDryRun, t.DryRun),
		jsonRoute(api.OpListComments, t.ListComments),
		jsonRoute(api.OpCreateComment, t.CreateComment),
		jsonRoute(api.OpUpdateComment, t.UpdateComment),
		jsonRoute(api.OpDeleteComment, t.DeleteComment),
		jsonRoute(api.OpListActivity, t.ListActivity),
		jsonRoute(api.OpListSimilar, t.ListSimilar),
		jsonRoute(api.OpListKeys, t.ListKeys),
		jsonRoute(api.OpCreateKey, t.CreateKey),
		jsonRoute(api.OpGetKey, t.GetKey),
		jsonRoute(api.OpRevokeSelf, t.RevokeSelf),
		jsonRoute(api.OpRevokeKey, t.RevokeKey),
		jsonRoute(api.OpRotateKey, t.RotateKey),
		withMedia(jsonRoute(api.OpListEvents, t.ListEvents), httpserver.EventStream, (*API).streamEvents),
		jsonRoute(api.OpListWebhooks, t.ListWebhooks),
		jsonRoute(api.OpCreateWebhook, t.CreateWebhook),
		jsonRoute(api.OpGetWebhook, t.GetWebhook),
		jsonRoute(api.OpUpdateWebhook, t.UpdateWebhook),
		jsonRoute(api.OpDeleteWebhook, t.DeleteWebhook),
		jsonRoute(api.OpEnableWebhook, t.EnableWebhook),
		jsonRoute(api.OpRotateSecret, t.RotateSecret),
		jsonRoute(api.OpTestWebhook, t.TestWebhook),
		jsonRoute(api.OpListDeliveries, t.ListDeliveries),
		jsonRoute(api.OpRecoverDeliveries, t.RecoverDeliveries),
		jsonRoute(api.OpGetDelivery, t.GetDelivery),
		jsonRoute(api.OpRedeliver, t.Redeliver),
	}
}
