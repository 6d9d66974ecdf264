package suite

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/api"
	public "bugslice/client"
	"bugslice/client/clienttest"
	"bugslice/internal/assert"
	"bugslice/internal/ci/trace"
)

// TestTraces: a server takes the evidence and the pictures of traces of Playwright as they are, counts them, and returns
// them.
func TestTraces(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("../internal/ci/trace/testdata/playwright-*.zip")
	if err != nil || len(archives) < 4 {
		t.Fatal(archives, err)
	}
	c := clienttest.New(t).Client()
	for _, path := range archives {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			made, err := trace.Read(bytes.NewReader(archive), int64(len(archive)))
			if err != nil {
				t.Fatal(err)
			}
			filed := fileTrace(t, c, made)
			checkTrace(t, c, filed, made)
		})
	}
}

// TestSparseTrace: a server takes the evidence of a trace that has one kind of it alone, and of one that has none.
func TestSparseTrace(t *testing.T) {
	t.Parallel()
	c := clienttest.New(t).Client()
	const options = `{"type":"context-options","version":8,"wallTime":1795000000000,"monotonicTime":1000}` + "\n"
	for name, events := range map[string]string{
		"none":    options,
		"console": options + `{"type":"console","time":2000,"messageType":"log","text":"a"}`,
		"actions": options + `{"type":"before","callId":"1","startTime":2000,"method":"click"}`,
	} {
		t.Run(name, func(t *testing.T) {
			var archive bytes.Buffer
			z := zip.NewWriter(&archive)
			w, err := z.Create("trace.trace")
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(w, events)
			if err := errors.Join(err, z.Close()); err != nil {
				t.Fatal(err)
			}
			made, err := trace.Read(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
			if err != nil {
				t.Fatal(err)
			}
			slice := fileTrace(t, c, made)
			assert.Equal(t, "evidence", slice.Evidence.Console+slice.Evidence.Actions, int64(min(1, len(events)-len(options))))
		})
	}
}

// fileTrace files a report with the evidence and the pictures of a trace.
func fileTrace(t *testing.T, c *public.Client, made trace.Trace) api.Slice {
	t.Helper()
	filed, err := c.CreateSlice(t.Context(), api.CreateSlice{Body: api.NewSlice{
		SliceFields: api.SliceFields{Summary: "an order is taken"}, Evidence: &made.Evidence}})
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "repairs", len(filed.Repairs), 0)
	for _, p := range made.Pictures {
		_, err := c.CreateAttachment(t.Context(), api.CreateAttachment{SliceID: filed.ID, Kind: "screenshot", Name: p.Name},
			public.Upload{Content: bytes.NewReader(p.Content), ContentType: p.ContentType})
		if err != nil {
			t.Fatal(err)
		}
	}
	slice, err := c.GetSlice(t.Context(), api.GetSlice{SliceID: filed.ID})
	if err != nil {
		t.Fatal(err)
	}
	return slice
}

// checkTrace checks that the API returns the evidence of a trace, without the password that the test typed.
func checkTrace(t *testing.T, c *public.Client, slice api.Slice, made trace.Trace) {
	t.Helper()
	ctx, e := t.Context(), slice.Evidence
	assert.Equal(t, "counts", []int64{e.Console, e.ConsoleErrors, e.Network, e.FailedRequests, e.Actions, e.Replays,
		e.Screenshots}, []int64{8, 5, 5, 2, 7, 1, 3})
	actions, err := c.ListActions(ctx, api.ListActions{SliceID: slice.ID})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range actions.Data {
		assert.Equal(t, "time of an action", row.Timestamp, made.Evidence.Actions[i].Timestamp)
	}
	failed, err := c.ListNetwork(ctx, api.ListNetwork{SliceID: slice.ID, Status: []api.StatusClass{"5xx"}})
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "body of the failed request", *failed.Data[0].ResponseBody, `{"error":"no stock"}`)
	replay, err := c.GetReplay(ctx, api.GetReplay{SliceID: slice.ID})
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "events", len(replay.Events), len(made.Evidence.Replay))
	text, err := c.Markdown(ctx, api.GetSlice{SliceID: slice.ID})
	if err != nil {
		t.Fatal(err)
	}
	assert.Contains(t, "Markdown", text, "TypeError: order is undefined: 500", "toHaveText(expected)", "#order")
	if strings.Contains(text, "tulip") {
		t.Error("the password is in the Markdown")
	}
}
