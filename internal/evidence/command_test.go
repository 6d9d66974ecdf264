package evidence

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sent is a request as a listener received it.
type sent struct {
	method, target, body string
	header               http.Header
}

// hostile are texts that a shell, curl, JavaScript or a terminal could interpret.
var hostile = []string{
	`it's "quoted"`, "two\nlines\r\nand\ta tab", `$HOME $(touch pwned) ` + "`touch pwned`",
	`!! !echo`, `back\slash \n \' \\`, "ünïcödé 日本語 🎉",
	"@/etc/passwd", "-o pwned", "-o\x00pwned", "\x1b0", "<b>&amp;</b> ; touch pwned & | > pwned",
	"%s %d 100% \\045", "NUL\x00 ESC\x1b[31m BEL\a DEL\x7f C1\u0085", "{a,b}[1-3]*?~", "",
	"\u2028\u2029 \u202e", "</script><script>", "${jndi:x} #{x} {{x}}",
}

// TestCopiedCommands: a copied command sends the captured request byte for byte, in sh, bash and Node.js.
func TestCopiedCommands(t *testing.T) {
	t.Parallel()
	var got []sent // one after the other
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = append(got, sent{r.Method, r.RequestURI, string(body), r.Header})
	}))
	defer server.Close()
	var all []Exchange
	for _, text := range hostile {
		all = append(all, exchanges(server.URL, text)...)
	}
	dir := t.TempDir()
	for _, run := range []struct {
		argv []string
		text func(Commands) string
	}{
		{[]string{"sh", "-e"}, func(c Commands) string { return c.Curl }},
		{[]string{"bash", "-e"}, func(c Commands) string { return c.Curl }},
		{[]string{"node", "--input-type=module"}, func(c Commands) string { return c.Fetch }},
	} {
		got = nil
		var script strings.Builder
		for _, x := range all {
			script.WriteString(run.text(x.Commands()) + "\n")
		}
		cmd := exec.CommandContext(t.Context(), run.argv[0], run.argv[1:]...) //nolint:gosec // the programs are fixed
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(script.String())
		cmd.Env = append(os.Environ(), "HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil || len(got) != len(all) {
			t.Fatalf("%s: %v, %d requests of %d: %s", run.argv[0], err, len(got), len(all), out)
		}
		for i, x := range all {
			compare(t, x, got[i], run.argv[0], run.text(x.Commands()))
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("a command has made files: %q, %v", left, err)
	}
}

// exchanges returns requests with a text in the URL, in a header and in a body.
func exchanges(server, text string) []Exchange {
	header := strings.Map(func(c rune) rune {
		if isControl(c) {
			return -1
		}
		return c
	}, text)
	make := func(method, path, body string, headers ...Pair) Exchange {
		x := Exchange{Request: Message{Headers: append(headers, Pair{":path", "/"},
			Pair{"Content-Length", "1"}, Pair{"Connection", "close"}), Body: body}}
		x.Summary.Method, x.Summary.URL = method, server+path
		return x
	}
	return []Exchange{
		make("GET", "/a/../b?q={1,2}[1-3]&text="+strings.ReplaceAll(header, "#", ""), ""),
		make("POST", "/api", text, Pair{"Content-Type", "application/json"},
			Pair{"X-Text", strings.Trim(header, " ")}, Pair{"User-Agent", "Browser/1"},
			Pair{"Accept", "application/json"}, Pair{"X-Empty", ""}),
		make("PUT", "/api", text),
		make("DELETE", "/api", "", Pair{"Cookie", "a=" + header}),
	}
}

// compare fails the test when a listener received another request than the one that was captured.
func compare(t *testing.T, x Exchange, got sent, name, text string) {
	t.Helper()
	target := requestTarget(strings.TrimPrefix(x.Summary.URL, "http://"))
	target = target[strings.IndexByte(target, '/'):]
	if name == "node" { // it resolves the path, and encodes the quote
		target = strings.Replace(target, "/a/../b", "/b", 1)
		got.target = strings.ReplaceAll(got.target, "%27", "'")
	}
	if got.method != x.Summary.Method || got.target != target || got.body != x.Request.Body {
		t.Errorf("%s: got %s %s with %q\nfor %s %s with %q\nby %s", name,
			got.method, got.target, got.body, x.Summary.Method, target, x.Request.Body, text)
	}
	want := http.Header{}
	for _, h := range x.Request.Headers {
		if !strings.HasPrefix(h.Name, ":") && !slices.Contains(computedHeaders, strings.ToLower(h.Name)) {
			want.Add(h.Name, strings.Trim(h.Value, " "))
		}
	}
	for header := range got.header {
		added := []string{"Content-Length"}
		if name == "node" { // fetch cannot be kept from sending these
			added = append(added, "Accept", "Accept-Language", "Accept-Encoding", "Sec-Fetch-Mode", "User-Agent",
				"Connection")
		}
		if _, ok := want[header]; !ok && !slices.Contains(added, header) {
			t.Errorf("%s adds %s: %q", name, header, got.header[header])
		}
	}
	for header, values := range want {
		if !slices.Equal(got.header[header], values) {
			t.Errorf("%s: the header %s is %q, not %q, by %s", name, header, got.header[header], values, text)
		}
	}
}

// TestRedactedCommands: redacted values stand as what they are, and a note says which.
func TestRedactedCommands(t *testing.T) {
	t.Parallel()
	x, err := ParseExchange([]byte(`{"startedDateTime":"2026-11-22T08:00:00Z","time":1,"request":{"method":"POST","httpVersion":"HTTP/2",
		"url":"https://shop.example/pay?token=REDACTED&page=2#top","headers":[{"name":"Authorization","value":"[redacted:authorization]` +
		`"},{"name":"Cookie","value":"a=1; sid=[redacted:cookie]"}],
		"postData":{"mimeType":"application/json","text":"{\"password\":\"[redacted:password]\"}"}},"response":{"status":200,` +
		`"headers":[],"content":{}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := x.Commands()
	const which = "Redacted, to be filled in: the parameter token of the URL (REDACTED), the header Authorization " +
		"(<redacted:authorization>), " +
		"the header Cookie (<redacted:cookie>), the body (<redacted:password>)"
	for _, want := range []string{"Authorization: <redacted:authorization>", "sid=<redacted:cookie>",
		"pay?token=REDACTED&page=2'"} {
		if !strings.HasPrefix(c.Curl, "curl ") || !slices.Equal(c.Notes, []string{which}) ||
			!strings.Contains(c.Curl, want) {
			t.Errorf("%q is not in %s", want, c.Curl)
		}
	}
	if !strings.HasPrefix(c.Fetch, "// "+which+"\n") || !strings.Contains(c.Fetch, `"<redacted:authorization>"`) ||
		!strings.Contains(c.Fetch, `<redacted:password>`) {
		t.Error(c.Fetch)
	}
}

// TestNoCommand: a request that is not of HTTP has no command, and a header that cannot be sent is named.
func TestNoCommand(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"file:///etc/passwd", "data:text/html,x",
		"wss://shop.example/", "gopher://x/", "/relative", "https://", "blob:https://shop.example/1"} {
		var x Exchange
		x.Summary.Method, x.Summary.URL = "GET", address
		if c := x.Commands(); c.Curl != "" || c.Fetch != "" || len(c.Notes) > 0 {
			t.Errorf("%s: %+v", address, c)
		}
	}
	x := Exchange{Request: Message{Headers: []Pair{{"X-Split", "a\r\nX-Injected: 1"}, {"@/etc/passwd", "1"},
		{"X y", "1"}}}}
	x.Summary.Method, x.Summary.URL = "GET", "https://shop.example/"
	if c := x.Commands(); strings.Contains(c.Curl, "Injected") || strings.Contains(c.Curl, "passwd") ||
		!slices.Equal(c.Notes, []string{"Not sent: a header that is not valid"}) {
		t.Error(c.Curl)
	}
	x.Summary.Method = "GET -o pwned"
	if c := x.Commands(); c.Curl != "" {
		t.Error(c.Curl)
	}
}

// TestParseExchange: an optional member of a wrong type counts as absent.
func TestParseExchange(t *testing.T) {
	t.Parallel()
	entry := map[string]any{"startedDateTime": "2026-11-22T08:00:00Z", "time": "x", "serverIPAddress": 1,
		"timings": []any{},
		"request": map[string]any{"method": "GET", "url": "https://shop.example/",
			"headers": "none", "queryString": []any{1, map[string]any{"name": "a", "value": 2}}, "postData": "x"},
		"response": map[string]any{"status": 204, "headers": []any{nil, map[string]any{"value": "x"}},
			"content": map[string]any{"size": -1, "text": 1}}}
	line, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	x, err := ParseExchange(line)
	if err != nil || len(x.Request.Headers) != 0 || len(x.Query) != 1 ||
		x.Response.Size != -1 || x.Request.Body != "" || x.Summary.Status != 204 {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := ParseExchange([]byte(`{"request":{}}`)); err == nil {
		t.Error("an entry without the required members is accepted")
	}
}
