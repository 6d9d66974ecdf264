package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"bugslice/api"
	"bugslice/client"
	"bugslice/client/clienttest"
	"bugslice/internal/mcp"
)

// world is a server of the API with a client of its tools.
type world struct {
	*clienttest.Server
	*sdk.ClientSession
	c *client.Client
}

// newWorld starts a server. The options are those of the tools, without their client.
func newWorld(t *testing.T, o mcp.Options) *world {
	t.Helper()
	w := &world{Server: clienttest.New(t)}
	w.c = w.Client()
	w.connect(t, o)
	return w
}

// connect makes the client of the tools anew, with the client of the API unless the options have one.
func (w *world) connect(t *testing.T, o mcp.Options) {
	t.Helper()
	if o.Client == nil {
		o.Client = w.c
	}
	if o.Scopes == nil {
		o.Scopes = api.AllScopes()
	}
	here, there := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { _ = mcp.NewServer(o).Run(ctx, there) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.ClientSession = session
}

// call calls a tool, and returns its texts. It fails the test when the tool refuses.
func (w *world) call(t *testing.T, name string, arguments any) string {
	t.Helper()
	text, isError := w.try(t, name, arguments)
	if isError {
		t.Fatalf("%s: %s", name, text)
	}
	return text
}

// try calls a tool, and returns its texts and whether it refused.
func (w *world) try(t *testing.T, name string, arguments any) (string, bool) {
	t.Helper()
	result, err := w.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var b strings.Builder
	for _, c := range result.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String(), result.IsError
}

// file files a report.
func (w *world) file(t *testing.T, body api.NewSlice) api.Slice {
	t.Helper()
	body.WorkspaceID = &w.Workspace
	filed, err := w.c.CreateSlice(t.Context(), api.CreateSlice{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return filed.Slice
}

// arguments are those of a tool.
type arguments = map[string]any

var vocabulary = func() tokenizer.Codec {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err)
	}
	return codec
}()

// count returns the tokens of a text in the vocabulary o200k_base.
func count(t *testing.T, text string) int {
	t.Helper()
	n, err := vocabulary.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// capture returns evidence with a failed request, one with a null, a message and an action, which contain a text.
func capture(text string) *api.Evidence {
	at := func(second int) string { return fmt.Sprintf("2026-11-25T14:15:%02d.000Z", second) }
	entry := func(second, status int, url, body string) arguments {
		return arguments{"startedDateTime": at(second), "time": 5, "request": arguments{"method": "GET", "url": url,
			"httpVersion": "HTTP/1.1", "headers": []any{}, "queryString": []any{}, "cookies": []any{}, "headersSize": -1,
			"bodySize": -1}, "response": arguments{"status": status, "statusText": "", "httpVersion": "HTTP/1.1",
			"headers": []any{}, "cookies": []any{}, "redirectURL": "", "headersSize": -1, "bodySize": -1,
			"content": arguments{"mimeType": "application/json", "size": len(body), "text": body}},
			"cache": arguments{}, "timings": arguments{"send": 0, "wait": 5, "receive": 0}}
	}
	har, err := json.Marshal(arguments{"log": arguments{"version": "1.2", "creator": arguments{"name": "t", "version": "1"},
		"entries": []any{entry(1, 200, "https://shop.example.com/discounts?q="+text, `{"terms": null, "x": "`+text+`"}`),
			entry(5, 500, "https://shop.example.com/orders", text)}}})
	if err != nil {
		panic(err)
	}
	moment := func(second int) api.Time {
		var t api.Time
		if err := json.Unmarshal([]byte(`"`+at(second)+`"`), &t); err != nil {
			panic(err)
		}
		return t
	}
	page, err := json.Marshal(arguments{"type": 2, "timestamp": moment(1).UnixMilli(), "data": arguments{"initialOffset": arguments{
		"top": 0, "left": 0}, "node": arguments{"type": 0, "id": 1, "childNodes": []any{arguments{"type": 2, "id": 2,
		"tagName": "p", "attributes": arguments{}, "childNodes": []any{arguments{"type": 3, "id": 3,
			"textContent": "The order failed. " + text}}}}}}})
	if err != nil {
		panic(err)
	}
	address, err := json.Marshal(arguments{"type": 4, "timestamp": moment(1).UnixMilli(), "data": arguments{"width": 9, "height": 9,
		"href": "https://shop.example.com/?q=" + text}})
	if err != nil {
		panic(err)
	}
	return &api.Evidence{Network: har, Replay: []json.RawMessage{address, page},
		Console: []api.ConsoleEntry{{Level: "error", Timestamp: moment(4),
			Message: "TypeError: Cannot read properties of null (reading 'length') " + text,
			Stack:   new("TypeError\n at " + text)}},
		Actions: []api.ActionEntry{{Type: "click", Timestamp: moment(3), Selector: new("#x"), Text: &text}}}
}

// span matches text between backticks.
var span = regexp.MustCompile("`[^`\n]*`")

// outside returns the text of an answer that is in no fence and not between backticks.
func outside(answer string) string {
	var kept []string
	end := ""
	for line := range strings.SplitSeq(answer, "\n") {
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case end != "" && len(run) >= len(end) && strings.Trim(line, "` ") == "":
			end = ""
		case end != "":
		case len(run) >= 3:
			end = run
		default:
			kept = append(kept, span.ReplaceAllString(line, ""))
		}
	}
	return strings.Join(kept, "\n")
}

// roundTripper changes the responses of the API.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
