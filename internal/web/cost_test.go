package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// BenchmarkPageCost measures what a page costs the server: the time and the processor time of its request, with its
// operations, rendering, compression and collection of garbage.
func BenchmarkPageCost(b *testing.B) {
	w := newWorld(b, table, nil)
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
			r.Header = http.Header{"Accept": {"text/html"}, "Accept-Encoding": {"gzip"},
				"Cookie": {"bugslice=" + token}}
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
		})
	}
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
