package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// timed is a backend that adds up the time of the operations behind pages that are read.
type timed struct {
	page.Backend
	spent *atomic.Int64 // nanoseconds
}

func timeOf[T any](b timed, operation func() (T, error)) (T, error) {
	from := time.Now()
	defer func() { b.spent.Add(int64(time.Since(from))) }()
	return operation()
}

func (b timed) Session(ctx context.Context, from page.Client, token string) (page.Session, error) {
	return timeOf(b, func() (page.Session, error) { return b.Backend.Session(ctx, from, token) })
}

func (b timed) MyWorkspaces(ctx context.Context, c access.Caller) ([]page.Workspace, error) {
	return timeOf(b, func() ([]page.Workspace, error) { return b.Backend.MyWorkspaces(ctx, c) })
}

func (b timed) ListViews(ctx context.Context, c access.Caller, v input.Valid[api.ListViews]) (api.Page[api.View], error) {
	return timeOf(b, func() (api.Page[api.View], error) { return b.Backend.ListViews(ctx, c, v) })
}

func (b timed) ListSlices(ctx context.Context, c access.Caller, v input.Valid[api.ListSlices]) (api.Page[api.Slice], error) {
	return timeOf(b, func() (api.Page[api.Slice], error) { return b.Backend.ListSlices(ctx, c, v) })
}

func (b timed) CountSlices(ctx context.Context, c access.Caller, v input.Valid[api.CountSlices]) (api.SliceCounts, error) {
	return timeOf(b, func() (api.SliceCounts, error) { return b.Backend.CountSlices(ctx, c, v) })
}

func (b timed) ListMembers(ctx context.Context, c access.Caller, v input.Valid[api.ListMembers]) (api.Page[api.Member], error) {
	return timeOf(b, func() (api.Page[api.Member], error) { return b.Backend.ListMembers(ctx, c, v) })
}

func (b timed) ListLabels(ctx context.Context, c access.Caller, v input.Valid[api.ListLabels]) (api.Page[api.LabelCount], error) {
	return timeOf(b, func() (api.Page[api.LabelCount], error) { return b.Backend.ListLabels(ctx, c, v) })
}

func (b timed) ListSpaces(ctx context.Context, c access.Caller, v input.Valid[api.ListSpaces]) (api.Page[api.Space], error) {
	return timeOf(b, func() (api.Page[api.Space], error) { return b.Backend.ListSpaces(ctx, c, v) })
}

func (b timed) MemberNames(ctx context.Context, c access.Caller, workspaceID string, userIDs []string) (map[string]string, error) {
	return timeOf(b, func() (map[string]string, error) { return b.Backend.MemberNames(ctx, c, workspaceID, userIDs) })
}

func (b timed) UniqueNames(ctx context.Context, c access.Caller, workspaceID string,
	userIDs []string) (map[string]tracker.MemberName, error) {
	return timeOf(b, func() (map[string]tracker.MemberName, error) {
		return b.Backend.UniqueNames(ctx, c, workspaceID, userIDs)
	})
}

func (b timed) Search(ctx context.Context, c access.Caller, v input.Valid[api.Search]) (api.SearchResults, error) {
	return timeOf(b, func() (api.SearchResults, error) { return b.Backend.Search(ctx, c, v) })
}

// BenchmarkPageCost measures what a page costs the server: the processor time of its request, with its operations, rendering, compression
// and collection of garbage, and the time beyond the operations behind it.
func BenchmarkPageCost(b *testing.B) {
	var spent atomic.Int64
	w := newWorld(b, table, func(o *Options) { o.Backend = timed{o.Backend, &spent} })
	high, jonas := api.Priority("high"), w.users[member]
	for _, status := range []api.Status{"open", "in_progress", "resolved", "closed"} {
		w.fileMany(b, numbered(75, api.SliceFields{Status: status, Priority: &high,
			AssigneeID: &jonas, Labels: []string{"checkout", "firefox", "regression"}})...)
	}
	token := w.session(b, owner, tracker.Client{})
	for _, path := range []string{"/reports?workspace=WEB", "/reports?workspace=WEB&group=status",
		"/reports?q=status:open", "/board", "/overview?workspace=WEB", "/my",
		"/search?q=report", "/WEB-200", "/settings/audit"} {
		b.Run(path, func(b *testing.B) {
			r := httptest.NewRequestWithContext(b.Context(), "GET", w.url+path, nil)
			r.Header = http.Header{"Accept": {"text/html"}, "Accept-Encoding": {"gzip"}, "Cookie": {"bugslice=" + token}}
			spent.Store(0)
			sent, before := 0, processorTime(b)
			b.ReportAllocs()
			for b.Loop() {
				answer := httptest.NewRecorder()
				w.server.Config.Handler.ServeHTTP(answer, r.Clone(b.Context()))
				if answer.Code != 200 {
					b.Fatal(answer.Code, answer.Body)
				}
				sent += answer.Body.Len()
			}
			n := float64(b.N)
			b.ReportMetric((processorTime(b)-before).Seconds()*1000/n, "cpu-ms/op")
			b.ReportMetric(float64(sent)/n, "sent-B/op")
			operations := float64(spent.Load()) / n / 1e6
			b.ReportMetric(operations, "operations-ms/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n/1e6-operations, "page-ms/op")
		})
	}
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
