package client_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/client"
	"bugslice/client/clienttest"
)

var shared struct {
	once   sync.Once
	dir    string
	server *clienttest.Server
	err    error
}

// server returns the server that tests and examples share.
func server() *clienttest.Server {
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "bugslice-client-")
		if err != nil {
			panic(err)
		}
		shared.dir = dir
		shared.server, shared.err = clienttest.Start(dir)
	})
	if shared.err != nil {
		panic(shared.err)
	}
	return shared.server
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.server != nil {
		shared.server.Close()
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// newSlice files a report.
func newSlice(t *testing.T, c *client.Client, fields api.SliceFields) api.FiledSlice {
	t.Helper()
	if fields.Summary == "" {
		fields.Summary = "Something is wrong"
	}
	s, err := c.CreateSlice(t.Context(), api.CreateSlice{Body: api.NewSlice{SliceFields: fields}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPatches: a member is set, removed or left as it is, also one of an object.
func TestPatches(t *testing.T) {
	t.Parallel()
	c := server().Client()
	made := newSlice(t, c, api.SliceFields{Labels: []string{"ui"}, Priority: new(api.Priority("high")),
		Environment: api.Environment{Browser: new("Firefox"), OS: new("Linux")},
		Metadata:    map[string]string{"a": "1", "b": "2"}})
	patch := api.SlicePatch{}.Status(api.Resolved).Priority(nil).
		Environment(api.EnvironmentPatch{}.OS(nil).Browser(new("Chrome"))).Metadata(map[string]*string{"a": nil})
	got, err := client.Call(t.Context(), c,
		api.UpdateSlice{SliceID: made.Reference, IfMatch: made.ETag(), Patch: patch})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != api.Resolved || got.Priority != nil || !slices.Equal(got.Labels, []string{"ui"}) ||
		got.Environment.OS != nil ||
		*got.Environment.Browser != "Chrome" || len(got.Metadata) != 1 || got.Metadata["b"] != "2" {
		t.Errorf("%+v", got)
	}
	_, err = c.UpdateSlice(t.Context(), api.UpdateSlice{SliceID: made.ID, IfMatch: made.ETag(), Patch: patch})
	if p, ok := errors.AsType[*api.Problem](err); !ok || p.Code != api.CodePrecondition || p.RequestID == "" {
		t.Errorf("%v", err)
	}
}

// TestEveryFault: a problem has each fault of the request, and the id under which the server has logged it.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	_, err := server().Client().CreateSlice(t.Context(),
		api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{
			Labels: []string{"a,b"}, Summary: strings.Repeat("x", 201)}}})
	p, ok := errors.AsType[*api.Problem](err)
	if !ok || p.Code != api.CodeInvalidBody || p.Status != 422 || len(p.Errors) != 2 ||
		p.Errors[1].Pointer != "/summary" ||
		!strings.HasPrefix(p.RequestID, "req_") {
		t.Errorf("%+v", err)
	}
}

// TestLists: All yields each record of a list once, over pages, and stops where the caller stops.
func TestLists(t *testing.T) {
	t.Parallel()
	c := server().Client()
	label := "lists"
	for range 5 {
		newSlice(t, c, api.SliceFields{Labels: []string{label}})
	}
	in := api.ListSlices{Paging: api.Paging{Limit: 2}, SliceFilters: api.SliceFilters{Label: []string{label}}}
	seen, pages := map[string]int{}, 0
	for s, err := range client.All(t.Context(), c, in) {
		if err != nil {
			t.Fatal(err)
		}
		seen[s.ID]++
	}
	for _, err := range client.Pages(t.Context(), c, in) {
		if err != nil {
			t.Fatal(err)
		}
		pages++
	}
	if len(seen) != 5 || pages != 3 {
		t.Errorf("%d records on %d pages", len(seen), pages)
	}
	for _, err := range client.All(t.Context(), c, in) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	in.Cursor = "none"
	for _, err := range client.All(t.Context(), c, in) {
		if p, ok := errors.AsType[*api.Problem](err); !ok || p.Code != api.CodeInvalidCursor {
			t.Errorf("%v", err)
		}
	}
}

// losing loses the first response to each method.
type losing struct {
	sync.Mutex
	lost map[string]bool
}

func (l *losing) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	l.Lock()
	defer l.Unlock()
	if err == nil && !l.lost[r.Method] {
		l.lost[r.Method] = true
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return nil, errors.New("the response was lost")
	}
	return res, err
}

func losingClient(t *testing.T, l *losing) *client.Client {
	t.Helper()
	c, err := client.New(server().URL, server().Token, client.Options{HTTP: &http.Client{Transport: l}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLostResponses: a report whose response was lost is filed once, and a deletion succeeds.
func TestLostResponses(t *testing.T) {
	t.Parallel()
	c := losingClient(t, &losing{lost: map[string]bool{}})
	made := newSlice(t, c, api.SliceFields{Labels: []string{"lost"}})
	page, err := c.ListSlices(t.Context(), api.ListSlices{SliceFilters: api.SliceFilters{Label: []string{"lost"}}})
	if err != nil || len(page.Data) != 1 || page.Data[0].ID != made.ID {
		t.Errorf("%+v, %v", page.Data, err)
	}
	if err := c.DeleteSlice(t.Context(), api.DeleteSlice{SliceID: made.ID}); err != nil {
		t.Error(err)
	}
}

// TestFiles: a file is sent and received as it is, with its progress, and sent again when the response was lost.
func TestFiles(t *testing.T) {
	t.Parallel()
	c := losingClient(t, &losing{lost: map[string]bool{"GET": true}})
	slice := newSlice(t, server().Client(), api.SliceFields{})
	content := bytes.Repeat([]byte("a line of a log\n"), 100_000)
	var sent, total int64
	made, err := c.CreateAttachment(t.Context(), api.CreateAttachment{SliceID: slice.ID, Name: "console.log"},
		client.Upload{
			Content: bytes.NewReader(content), ContentType: "text/plain",
			Progress: func(s, of int64) { sent, total = s, of }})
	if err != nil {
		t.Fatal(err)
	}
	if size := int64(len(content)); made.Size != size || sent != size || total != size || made.Name != "console.log" {
		t.Errorf("%+v after %d of %d bytes", made, sent, total)
	}
	d, err := c.GetAttachment(t.Context(), api.GetAttachment{AttachmentID: made.ID})
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	var received int64
	if err := d.Save(&got, func(n, of int64) { received, total = n, of }); err != nil ||
		!bytes.Equal(got.Bytes(), content) {
		t.Errorf("%d bytes, %v", got.Len(), err)
	}
	if received != made.Size || total != made.Size || d.Name != "console.log" {
		t.Errorf("%d of %d bytes of %s", received, total, d.Name)
	}
	list, err := c.ListAttachments(t.Context(), api.ListAttachments{SliceID: slice.ID})
	if err != nil || len(list.Data) != 1 {
		t.Errorf("%+v, %v", list.Data, err)
	}
	once := client.Upload{Content: io.MultiReader(strings.NewReader("from a pipe")), ContentType: "text/plain"}
	piped, err := c.CreateAttachment(t.Context(), api.CreateAttachment{SliceID: slice.ID, Name: "pipe.txt"}, once)
	if err != nil || piped.Size != 11 {
		t.Errorf("%+v, %v", piped, err)
	}
}

// TestMarkdown: a slice is read as Markdown, and what is large as a stream.
func TestMarkdown(t *testing.T) {
	t.Parallel()
	c := server().Client()
	made := newSlice(t, c, api.SliceFields{Summary: "Checkout fails"})
	text, err := c.Markdown(t.Context(), api.GetSlice{SliceID: made.Reference})
	if err != nil || !strings.Contains(text, "Checkout fails") {
		t.Errorf("%q, %v", text, err)
	}
	d, err := c.Open(t.Context(), api.GetReplay{SliceID: made.ID})
	if err != nil {
		t.Fatal(err)
	}
	var replay strings.Builder
	if err := d.Save(&replay, nil); err != nil || !strings.HasPrefix(replay.String(), `{"events":[]`) {
		t.Errorf("%s, %v", &replay, err)
	}
}

// TestKeysOfAServer: a key of clienttest has the scopes that were asked for.
func TestKeysOfAServer(t *testing.T) {
	t.Parallel()
	c := server().NewClient(t, api.SlicesRead, api.UserRead)
	me, err := c.GetMe(t.Context(), api.GetMe{})
	if err != nil || fmt.Sprint(me.Key.Scopes) != "[slices:read user:read]" {
		t.Errorf("%+v, %v", me, err)
	}
	if err := c.DeleteSlice(t.Context(), api.DeleteSlice{SliceID: "WEB-1"}); !strings.Contains(fmt.Sprint(err),
		api.CodeScope) {
		t.Errorf("%v", err)
	}
}
