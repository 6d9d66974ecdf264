package reporttext

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/untrusted"
)

// TestTokens: the estimate is at least the number of tokens that o200k_base and cl100k_base count, and not twice that
// many for prose and logs.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text           string
		counted, twice int
	}{
		{strings.Repeat("The total does not change, and the order is placed twice. ", 10), 131, 262},
		{strings.Repeat("2026-11-20T07:06:19.397Z GET /v1/attachments/att_01m7sbmgk8fpy9qzvtny8wvhnw → 404\n", 10), 480,
			960},
		{strings.Repeat("購物車無法結帳，點擊付款按鈕後頁面沒有反應。", 10), 360, 720},
		{strings.Repeat(`{"items":[{"id":"boots","quantity":1}],"cents":18900}`, 10), 190, 380},
		{strings.Repeat("`", 39), 19, 40},
		{strings.Repeat("0123456789", 30), 100, 200},
	} {
		if got := tokens(c.text); got < c.counted || got > c.twice {
			t.Errorf("%d tokens for %.30q, which has %d", got, c.text, c.counted)
		}
	}
	for n := range 40 {
		if short := truncateTokens("購物車 12 cart-is-gone", n); tokens(short) > n {
			t.Errorf("%q has %d tokens, more than %d", short, tokens(short), n)
		}
	}
}

// captureOf returns the text of a document with a console and nothing else.
func captureOf(maxTokens int, lines ...Highlight) string {
	var of []timed
	for _, l := range lines {
		of = append(of, timed{l, nil})
	}
	raiseLastError(of)
	s := &section{heading: "Console", language: "text", share: 1, source: source{"errors", "/console"}}
	for _, l := range of {
		s.entries = append(s.entries, entry{text: l.since(time.Unix(0, 0)), rows: l.rows, rank: l.rank, last: l.last})
	}
	d := &document{path: "/v1/slices/WEB-1"}
	d.add(textSection("", "", "# WEB-1", 0))
	d.add(s)
	return d.text(maxTokens)
}

// TestMarkdownShowsWhatItSays: a text has no character that a terminal obeys or nobody sees, such as the letters of
// U+E0000 with which strangers write to agents alone.
func TestMarkdownShowsWhatItSays(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[1;31merror\x1b[0m: no cart":  "error: no cart",
		"\x1b]52;c;cm0=\x07paste":          "]52;c;cm0=paste",
		"a\rb\x00\x7f\u009bc":              "abc",
		"evil \u202egnp.exe\u200b\ufeff":   "evil gnp.exe",
		"hi\U000e0041\U000e0042":           "hi",
		"می\u200cخواهم 👩\u200d💻\n\tnext":   "می\u200cخواهم 👩\u200d💻\n\tnext",
		"❤\ufe0f 葛\U000e0100":              "❤\ufe0f 葛\U000e0100",
		"hi\ufe0f\ufe01\ufe02\U000e0111":   "hi\ufe0f",
		"\ufe05hi\u3164\u115f\uffa0 there": "hi there",
		"a\xffb":                           "a�b",
	} {
		if got, isShortened := clean(text); got != want || isShortened {
			t.Errorf("%q: %q, %v", text, got, isShortened)
		}
	}
	if got, isShortened := clean("x" + strings.Repeat("`", 50)); got != "x"+strings.Repeat("`", untrusted.MaxRun) ||
		!isShortened {
		t.Errorf("%q, %v", got, isShortened)
	}
}

// TestMarkdownLeavesOutTheOldest: the oldest lines are left out first, warnings before errors, and never the last
// error. Lines are whole.
func TestMarkdownLeavesOutTheOldest(t *testing.T) {
	var lines []Highlight
	for i := range 40 {
		at := time.Unix(int64(i), 0)
		rank := i % 2
		lines = append(lines, Highlight{text: fmt.Sprintf("%s: line %d\n  at frame %d\n  at main",
			[]string{"warn", "error"}[rank], i, i),
			rows: 1,
			rank: rank, first: at, last: at})
	}
	lines = append(lines, Highlight{text: "warn: the end", rows: 1, first: time.Unix(60, 0), last: time.Unix(60, 0)})
	for _, n := range []int{100, 200, 400} {
		text := captureOf(n, lines...)
		assert.Contains(t, fmt.Sprint("the capture of ", n, " tokens"),
			text, "+39.00s error: line 39\n  at frame 39\n", " more errors: /console\n")
		if strings.Contains(text, "error: line 1\n") || strings.Contains(text, "warn: line 0\n") || tokens(text) > n {
			t.Errorf("%d tokens of %d:\n%s", tokens(text), n, text)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "  at ") && line != "  at main\n" && !strings.HasPrefix(line, "  at frame ") {
				t.Errorf("a line is cut: %q", line)
			}
		}
	}
	if text := captureOf(5000, lines...); !strings.Contains(text, "line 0\n") || strings.Contains(text, "Left out") {
		t.Errorf("something is left out of a long report:\n%s", text)
	}
}

// TestMarkdownKeepsTheLastBody: the last failed request keeps its response body when an older one would have room for
// its details.
func TestMarkdownKeepsTheLastBody(t *testing.T) {
	at := func(second int64) time.Time { return time.Unix(second, 0) }
	text := captureOf(170,
		Highlight{text: "POST https://shop.example/api/metrics → no answer\n  sent: {\"step\":\"checkout\"}",
			rows: 1, first: at(1), last: at(1)},
		Highlight{text: "POST https://shop.example/api/orders → 500 Internal Server Error\n  answered: " +
			strings.Repeat("the terms of the campaign are nil, ", 8) + "\n  sent: " +
			strings.Repeat("boots and a beanie, ", 20),
			rows: 1, first: at(9), last: at(9)})
	assert.Contains(t, "the Markdown", text, "500 Internal Server Error\n  answered: the terms of the campaign")
}

func anyRow([]byte) bool { return true }

// TestActionsOfOneField: input, change and keydown of one field are one line, with the last value and the keys that
// type no character, and also when the page scrolls between them. Another action ends the line.
func TestActionsOfOneField(t *testing.T) {
	h := Collect(Actions, 0, anyRow)
	for i, row := range []string{
		`{"type":"navigate","url":"https://shop.example/"}`,
		`{"type":"keydown","selector":"#email","value":"m","url":"https://shop.example/"}`,
		`{"type":"input","selector":"#email","value":"m","url":"https://shop.example/"}`,
		`{"type":"scroll","value":"0,10","url":"https://shop.example/"}`,
		`{"type":"scroll","value":"0,20","url":"https://shop.example/"}`,
		`{"type":"input","selector":"#email","value":"mara@example.com","url":"https://shop.example/"}`,
		`{"type":"keydown","selector":"#email","value":"Enter","url":"https://shop.example/"}`,
		`{"type":"change","selector":"#email","value":"mara@example.com","url":"https://shop.example/"}`,
		`{"type":"click","selector":"#pay","text":"Pay","url":"https://shop.example/cart"}`,
		`{"type":"click","selector":"#pay","text":"Pay","url":"https://shop.example/cart"}`,
		`{"type":"input","selector":"#email","value":"x","url":"https://shop.example/cart"}`,
	} {
		h.Add([]byte(fmt.Sprintf(`{"timestamp":"2026-11-20T10:00:%02dZ",%s`, i, row[1:])))
	}
	var got []string
	for _, l := range h.Lines {
		got = append(got, l.since(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)))
	}
	assert.Equal(t, "lines", got, []string{
		"+0.00s navigate at https://shop.example/",
		"+1.00s input #email = mara@example.com, key Enter",
		"+3.00s scroll to 0,20",
		`+8.00s click #pay "Pay" at https://shop.example/cart`,
		`+9.00s click #pay "Pay"`,
		"+10.00s input #email = x",
	})
}

// TestHighlightsKeepTheNewest: of more rows than a report reads, the oldest ones are counted.
func TestHighlightsKeepTheNewest(t *testing.T) {
	h := Collect(Console, 0, anyRow)
	for i := range maxHighlights + 10 {
		h.Add([]byte(fmt.Sprintf(`{"level":"error","timestamp":"2026-11-20T10:00:00Z","message":"%d"}`, i)))
	}
	if last := h.Lines[len(h.Lines)-1].text; h.More != 10 || last != fmt.Sprint("error: ", maxHighlights+9) ||
		len(h.seen) != maxHighlights {
		t.Errorf("%d are counted, %d are known, and the last is %s", h.More, len(h.seen), last)
	}
}

// TestFailedRequestsHaveTheirBodies: a failed request is shown with the beginnings of its request and response bodies.
func TestFailedRequestsHaveTheirBodies(t *testing.T) {
	row := `{"startedDateTime":"2026-11-20T10:00:00Z","time":1,"request":{"method":"POST","url":"/api/orders",` +
		`"postData":{"text":"{\"cart\":1}"}},
		"response":{"status":500,"statusText":"","content":{"text":"` + strings.Repeat("x", 500) + `"}}}`
	line, err := networkLine([]byte(strings.ReplaceAll(row, "\n", "")))
	assert.Equal(t, "error", err, nil)
	assert.Equal(t, "request", line.text, "POST /api/orders → 500\n  answered: "+strings.Repeat("x", 200)+
		"…\n  sent: {\"cart\":1}")
}
