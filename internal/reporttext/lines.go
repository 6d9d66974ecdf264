package reporttext

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/evidence"
)

// notLoaded begins the messages of browsers about requests that failed, which are shown themselves.
const notLoaded = "Failed to load resource"

// consoleLine returns the highlight of an error or a warning, without text for other rows. A message about a failed
// request is less telling than another error, because the request is shown, too.
func consoleLine(row []byte) (Highlight, error) {
	var e api.ConsoleEntry
	if err := json.Unmarshal(row, &e); err != nil || e.Level != "error" && e.Level != "warn" {
		return Highlight{}, err
	}
	line := Highlight{text: string(e.Level) + ": " + truncate(e.Message, 1000), rows: 1, first: e.Timestamp.Time,
		last: e.Timestamp.Time}
	if e.Level == "error" && !strings.HasPrefix(e.Message, notLoaded) {
		line.rank = failing
	}
	if e.Stack != nil && e.Level == "error" {
		stack := strings.TrimPrefix(*e.Stack, e.Message)
		line.text += "\n" + truncate(strings.TrimLeft(stack, "\n"), 1500)
		line.rank = telling
	}
	return line, nil
}

// networkLine returns the highlight of a failed request, without text for other rows.
func networkLine(row []byte) (Highlight, error) {
	n, err := evidence.Summary(row)
	if err != nil || !evidence.Failed(n) {
		return Highlight{}, err
	}
	line := requestLine(n)
	for _, body := range []struct {
		verb string
		text *string
	}{{"answered", n.ResponseBody}, {"sent", n.RequestBody}} {
		if body.text != nil {
			line.text += "\n  " + body.verb + ": " + bodyLine(*body.text, 200)
		}
	}
	switch {
	case n.Status >= 500:
		line.rank = telling
	case n.Status != 404:
		line.rank = failing
	case staticFile.MatchString(n.URL):
		line.rank = scrolled
	}
	return line, nil
}

// tellingMembers are what a long body is shortened around, the most telling first: a member that is null, and one that
// names an error or something that is not there.
var tellingMembers = []*regexp.Regexp{
	regexp.MustCompile(`"[^"]{1,50}"\s*:\s*null\b`),
	regexp.MustCompile(`(?i)"[^"]{0,50}(?:error|missing|invalid|required|undefined|NaN)`),
}

// bodyLine returns a body in one line of at most a number of characters: the part around its first telling member, or
// else its beginning.
func bodyLine(body string, limit int) string {
	for _, pattern := range tellingMembers {
		found := pattern.FindStringIndex(body)
		if found == nil || utf8.RuneCountInString(body[:found[1]]) <= limit {
			continue
		}
		before := []rune(body[:found[0]])
		from := max(0, len(before)-limit/2)
		return "…" + oneLine(string(before[from:])+body[found[0]:], limit-1)
	}
	return oneLine(body, limit)
}

// staticFile matches the address of a file that a page shows or runs.
var staticFile = regexp.MustCompile(`(?i)\.(?:avif|css|gif|ico|jpe?g|js|map|mjs|mp4|png|svg|ttf|webm|webp|woff2?)(?:[?#]|$)`)

// requestLine returns the line of a request, without its bodies.
func requestLine(n api.NetworkEntry) Highlight {
	status := fmt.Sprintf("%d %s", n.Status, n.StatusText)
	if n.Status == 0 {
		status = "no answer"
	}
	line := Highlight{rows: 1, first: n.StartedAt.Time, last: n.StartedAt.Time, url: n.URL}
	line.text = fmt.Sprintf("%s %s → %s", n.Method, truncate(n.URL, 500), strings.TrimSpace(status))
	if n.Error != nil {
		line.text += " " + *n.Error
	}
	if n.RequestBody != nil {
		line.sent = truncate(*n.RequestBody, maxKeptBody)
	}
	if n.ResponseBody != nil {
		line.answered = truncate(*n.ResponseBody, maxKeptBody)
	}
	return line
}

// maxKeptBody is how many characters of a body are compared with other texts.
const maxKeptBody = 400
