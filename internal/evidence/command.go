package evidence

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Commands are texts that send a captured request again. They are empty for a request that no HTTP client sends.
type Commands struct {
	Curl, Fetch string
	Notes       []string // what is to be filled in, and what of the request is not sent
}

var (
	token  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	marker = regexp.MustCompile(`\[redacted:([a-z0-9_-]{1,40})\]`)
)

// computedHeaders are the headers that a client computes from the request.
var computedHeaders = []string{"host", "content-length", "transfer-encoding", "connection", "keep-alive",
	"proxy-connection", "upgrade",
	"expect", "te", "trailer"}

// Commands returns the request as commands for a shell and for JavaScript. Redacted values stand as <redacted:rule>,
// and the notes list them. Nothing of the request is interpreted by the shell, by curl or by a terminal into which a
// command is pasted. That for a shell has no comments, since zsh takes them for commands when they are pasted.
func (x Exchange) Commands() Commands {
	r, ok := x.replay()
	if !ok {
		return Commands{}
	}
	return Commands{Curl: r.curl(), Fetch: r.fetch(), Notes: r.notes()}
}

// replay is a request as it is sent again.
type replay struct {
	method, url string
	headers     []Pair
	body        string
	hasBody     bool
	redacted    []string // where values are missing
	omitted     []string // what cannot be sent again
}

// replay returns the request without the headers that a client computes. ok is false unless its URL is of HTTP.
func (x Exchange) replay() (r replay, ok bool) {
	address, err := url.Parse(x.Summary.URL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" ||
		!token.MatchString(x.Summary.Method) {
		return r, false
	}
	r.method, r.url = x.Summary.Method, requestTarget(x.Summary.URL)
	if unmarked := r.unmark(r.url, "the URL"); unmarked != r.url {
		r.url = requestTarget(unmarked)
	}
	for name, values := range address.Query() {
		if slices.Contains(values, "REDACTED") && token.MatchString(name) {
			r.redacted = append(r.redacted, "the parameter "+name+" of the URL (REDACTED)")
		}
	}
	slices.Sort(r.redacted)
	for _, h := range x.Request.Headers {
		switch name := strings.ToLower(h.Name); {
		case strings.HasPrefix(name, ":") || name != "host" && slices.Contains(computedHeaders, name):
		case name == "host" && strings.EqualFold(h.Value, address.Host):
		case !token.MatchString(h.Name) || strings.ContainsFunc(h.Value, isControl):
			r.omitted = append(r.omitted, "a header that is not valid")
		default:
			r.headers = append(r.headers, Pair{h.Name, r.unmark(strings.Trim(h.Value, " \t"), "the header "+h.Name)})
		}
	}
	r.setBody(x)
	return r, true
}

// setBody sets the body: the captured text, or the parameters of a form.
func (r *replay) setBody(x Exchange) {
	form := strings.HasPrefix(strings.ToLower(x.Request.MediaType), "application/x-www-form-urlencoded")
	switch {
	case x.Request.Encoding != "" || x.Request.Body == "" && len(x.Form) > 0 && !form:
		r.omitted = append(r.omitted, "the body, which was captured in parts")
	case x.Request.Body == "" && form:
		var fields []string
		for _, f := range x.Form {
			fields = append(fields, url.QueryEscape(f.Name)+"="+url.QueryEscape(f.Value))
		}
		r.body = strings.Join(fields, "&")
	default:
		r.body = r.unmark(x.Request.Body, "the body")
	}
	if r.hasBody = r.body != ""; r.hasBody && r.method == "HEAD" {
		r.hasBody = false
		r.omitted = append(r.omitted, "the body, which no client sends with HEAD")
	}
}

// unmark returns a text with <redacted:rule> in place of the markers of redaction.
func (r *replay) unmark(text, part string) string {
	for _, found := range marker.FindAllStringSubmatch(text, -1) {
		if note := part + " (<redacted:" + found[1] + ">)"; !slices.Contains(r.redacted, note) {
			r.redacted = append(r.redacted, note)
		}
	}
	return marker.ReplaceAllString(text, "<redacted:$1>")
}

// notes returns what is to be filled in, and what is not sent.
func (r replay) notes() (notes []string) {
	if len(r.redacted) > 0 {
		notes = append(notes, "Redacted, to be filled in: "+strings.Join(r.redacted, ", "))
	}
	for _, what := range slices.Compact(slices.Clone(r.omitted)) {
		notes = append(notes, "Not sent: "+what)
	}
	return notes
}

// value returns the first value of a header, and whether there is one.
func (r replay) value(name string) (string, bool) { return Message{Headers: r.headers}.Header(name) }

// curl returns the request as a command for a POSIX shell. The headers that curl adds by itself are removed unless
// they were captured.
func (r replay) curl() string {
	parts := []string{"curl --globoff --path-as-is --url " + quote(r.url)}
	switch {
	case r.method == "HEAD":
		parts = append(parts, "--head")
	case r.method != "GET" && r.method != "POST" || r.hasBody == (r.method == "GET"):
		parts = append(parts, "--request "+quote(r.method))
	}
	for _, h := range r.headers {
		header := h.Name + ": " + h.Value
		if h.Value == "" {
			header = h.Name + ";"
		}
		parts = append(parts, "--header "+quote(header))
	}
	for _, name := range []string{"User-Agent", "Accept", "Content-Type", "Expect"} {
		if _, captured := r.value(name); !captured && (r.hasBody || name == "User-Agent" || name == "Accept") {
			parts = append(parts, "--header "+quote(name+":"))
		}
	}
	if _, ok := r.value("Accept-Encoding"); ok {
		parts = append(parts, "--compressed")
	}
	input := ""
	if r.hasBody {
		if strings.ContainsFunc(r.body, func(c rune) bool { return c != '\n' && isControl(c) }) {
			input = "printf " + quote(octal(r.body)) + " | "
			parts = append(parts, "--data-binary @-")
		} else {
			parts = append(parts, "--data-raw "+quote(r.body))
		}
	}
	return input + strings.Join(parts, " \\\n  ")
}

// quote returns a text as one word of a POSIX shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// octal returns a text as a format of printf, without control characters.
func octal(text string) string {
	var b strings.Builder
	for i, c := range text {
		switch {
		case isControl(c) || i == 0 && c == '-': // at first it would begin an option
			for _, octet := range []byte(string(c)) {
				fmt.Fprintf(&b, `\%03o`, octet)
			}
		case c == '\\':
			b.WriteString(`\\`)
		case c == '%':
			b.WriteString("%%")
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// isControl reports whether a terminal may take a character for a command.
func isControl(c rune) bool { return c < ' ' || c >= 0x7f && c < 0xa0 }

// requestTarget returns a URL without its fragment, with the characters encoded that a URL cannot have.
func requestTarget(text string) string {
	text, _, _ = strings.Cut(text, "#")
	var b strings.Builder
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// fetch returns the request as a statement of JavaScript, with fetch.
func (r replay) fetch() string {
	var b strings.Builder
	notes := r
	options := []string{"method: " + literal(r.method)}
	var headers []string
	for _, h := range r.headers {
		if name := strings.ToLower(h.Name); name != "host" {
			headers = append(headers, "    ["+literal(h.Name)+", "+literal(octets(h.Value))+"]")
		}
	}
	if len(headers) > 0 {
		options = append(options, "headers: [\n"+strings.Join(headers, ",\n")+",\n  ]")
	}
	switch {
	case r.hasBody && r.method == "GET":
		notes.omitted = append(slices.Clone(r.omitted), "the body, which fetch does not send with GET")
	case r.hasBody:
		if _, ok := r.value("content-type"); ok {
			options = append(options, "body: "+literal(r.body))
		} else {
			options = append(options, "body: new TextEncoder().encode("+literal(r.body)+")")
		}
	}
	options = append(options, `redirect: "manual"`)
	for _, note := range notes.notes() {
		b.WriteString("// " + note + "\n")
	}
	fmt.Fprintf(&b, "await fetch(%s, {\n  %s,\n});", literal(r.url), strings.Join(options, ",\n  "))
	return b.String()
}

// octets returns the bytes of a text as characters, which is how fetch takes the value of a header.
func octets(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// literal returns a text as a literal of JavaScript in ASCII, except for letters beyond it.
func literal(text string) string {
	encoded, err := marshal(text)
	if err != nil {
		panic(err) // it is a text
	}
	var b strings.Builder
	for _, c := range string(encoded) {
		if isControl(c) {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
