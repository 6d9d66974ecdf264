package tracker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestUnknownAccountsAreLogged: failed sign-ins of unknown accounts are one log line a minute, with their number and
// the last client and without the typed text. They are counted with the other refusals.
func TestUnknownAccountsAreLogged(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		var log bytes.Buffer
		w.with(t, func(o *tracker.Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
		known := map[string]bool{}
		w.person(t, "u@test.example")
		w.audited(t, known)
		for range 3 {
			for n := range 4 {
				from := client(fmt.Sprint("203.0.113.", n))
				if err := w.try(t, from, "stranger@else.example", "tried this"); code(err) != api.CodeUnauthorized &&
					code(err) != api.CodeRateLimited {
					t.Fatal(err)
				}
				must(t, w.Flush(t.Context()))
			}
			w.now = w.now.Add(time.Minute)
			must(t, w.Flush(t.Context()))
		}
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 4 {
			t.Errorf("%d lines of 12 failures, want 4: %s", len(lines), log.String())
		}
		attempts := 0
		for _, line := range lines {
			var l struct {
				Attempts                int
				LastRequest, LastClient string
			}
			must(t, json.Unmarshal([]byte(line), &l))
			attempts += l.Attempts
			if l.LastRequest != "req_1" || !strings.HasPrefix(l.LastClient, "203.0.113.") {
				t.Errorf("%s", line)
			}
		}
		if attempts != 10 { // the eleventh and the twelfth are throttled
			t.Errorf("%d attempts are logged: %s", attempts, log.String())
		}
		if strings.Contains(log.String(), "stranger") || strings.Contains(log.String(), "tried") {
			t.Errorf("the log has what was typed: %s", log.String())
		}
		if events := w.audited(t, known); len(events) != 0 {
			t.Errorf("%s", asJSON(events))
		}
		_ = w.try(t, client("198.51.100.1"), "u@test.example", "wrong")
		got := map[tracker.SignInRefusal]int64{}
		for _, why := range tracker.SignInRefusals {
			got[why] = w.SignInsRefused(why)
		}
		if got[tracker.UnknownAccount] != 10 || got[tracker.WrongPassword] != 1 || got[tracker.Throttled] != 2 {
			t.Errorf("%v", got)
		}
	})
}
