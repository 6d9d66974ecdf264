package mcp

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client"
	"bugslice/internal/untrusted"
)

type evidenceArguments struct {
	Ref        string   `json:"ref"`
	Occurrence int      `json:"occurrence"`
	From       *float64 `json:"from"`
	To         *float64 `json:"to"`
	Kinds      []string `json:"kinds"`
	Contains   string   `json:"contains"`
	Screenshot string   `json:"screenshot"`
	Budget     int      `json:"budget"`
}

// isNarrow reports whether the arguments select a part of the recording.
func (in evidenceArguments) isNarrow() bool {
	return in.From != nil || in.To != nil || in.Contains != ""
}

// getEvidence returns a slice of a recording in one order, and a screenshot.
func getEvidence(ctx context.Context, s *session, in evidenceArguments) (*sdk.CallToolResult, error) {
	r, err := s.report(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	secret, err := s.hasGuests(ctx, r)
	if err != nil {
		return nil, err
	}
	if secret {
		return textResult(s.facts(r)), nil
	}
	a := newAnswer(budgetOf(in.Budget))
	if err := s.writeEvidence(ctx, r, in, a); err != nil {
		return nil, err
	}
	result := textResult(a.text())
	if in.Screenshot == "" {
		return result, nil
	}
	picture, about, err := s.screenshot(ctx, r, in)
	if err != nil {
		return nil, err
	}
	result.Content = append(result.Content, &sdk.TextContent{Text: about})
	if picture != nil {
		result.Content = append(result.Content, picture)
	}
	return result, nil
}

// recording is the evidence of an occurrence, in the order of time.
type recording struct {
	title   string
	zero    time.Time // from which times are counted
	origin  string    // of URLs without one
	entries []entry
	partial bool // there is more than was read
}

// entry is a message, a request or an action.
type entry struct {
	at    time.Time
	kind  string
	text  string
	body  string // of a response, in one line
	sent  string // of a request, in one line
	rank  int    // a higher one is more telling
	fails bool

	suspicion *api.Suspicion // of a response
}

// The ranks of entries.
const (
	ofAsset   = 0
	ofMessage = 1
	ofContent = 2 // requests for data, and actions
	ofFailure = 3
)

// The entries of a kind that are read, each page of 100 by a request.
const (
	maxRows     = 1000
	maxFailures = 500 // among all
)

// zeros match the line of a report that says from when the times of its evidence count.
var zeros = regexp.MustCompile(`(?m)^- the times of the evidence count from (\S+)$`)

// recording reads the evidence of an occurrence.
func (s *session) recording(ctx context.Context, r api.Slice, in evidenceArguments) (*recording, error) {
	e := &recording{}
	wanted := func(kind string) bool { return len(in.Kinds) == 0 || slices.Contains(in.Kinds, kind) }
	if wanted("console") {
		all := api.ListConsole{SliceID: r.ID, Occurrence: in.Occurrence}
		errors := all
		errors.Level = []api.ConsoleLevel{"error"}
		if err := collect(e, client.All(ctx, s.Client, all), client.All(ctx, s.Client, errors), consoleEntry); err != nil {
			return nil, err
		}
	}
	if wanted("network") {
		all := api.ListNetwork{SliceID: r.ID, Occurrence: in.Occurrence}
		failed := all
		failed.Status = []api.StatusClass{"4xx", "5xx", "failed"}
		if err := collect(e, client.All(ctx, s.Client, all), client.All(ctx, s.Client, failed), networkEntry); err != nil {
			return nil, err
		}
	}
	if wanted("actions") {
		rows := client.All(ctx, s.Client, api.ListActions{SliceID: r.ID, Occurrence: in.Occurrence})
		if err := collect(e, rows, nil, actionEntry); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(e.entries, func(a, b entry) int { return a.at.Compare(b.at) })
	e.raiseSuspicious()
	e.shortenURLs()
	e.title = "# Evidence of " + r.Reference
	if in.Occurrence > 0 {
		e.title += fmt.Sprintf(", occurrence %d", in.Occurrence)
	}
	if len(e.entries) == 0 {
		return e, nil
	}
	e.zero = e.entries[0].at
	if in.Occurrence > 0 && int64(in.Occurrence) != r.OccurrenceCount {
		return e, nil
	}
	text, err := s.Client.Markdown(ctx, api.GetSlice{SliceID: r.ID, MaxTokens: 500}) // has the clock of get_report
	if err != nil {
		return nil, err
	}
	facts, _, _ := strings.Cut(text, "\n## ") // below a heading is text of others
	if found := zeros.FindStringSubmatch(facts); found != nil {
		if zero, err := time.Parse(time.RFC3339, found[1]); err == nil {
			e.zero = zero
		}
	}
	return e, nil
}

// collect adds the rows of a kind as entries: the first ones and, when there are too many, the first failures after
// them. failures is nil for a kind without failures.
func collect[T any](e *recording, rows, failures iter.Seq2[T, error], entryOf func(T) entry) error {
	n, last := 0, time.Time{}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if n++; n > maxRows {
			e.partial = true
			break
		}
		one := entryOf(row)
		if one.at.After(last) {
			last = one.at
		}
		e.entries = append(e.entries, one)
	}
	if n <= maxRows || failures == nil {
		return nil
	}
	n = 0
	for row, err := range failures {
		if err != nil {
			return err
		}
		if n++; n > maxFailures {
			break
		}
		if one := entryOf(row); one.at.After(last) {
			e.entries = append(e.entries, one)
		}
	}
	return nil
}

func consoleEntry(row api.ConsoleRow) entry {
	e := entry{at: row.Timestamp.Time, kind: "console", rank: ofMessage, fails: row.Level == "error"}
	e.text = fmt.Sprintf("console %s: %s", row.Level, oneLine(row.Message, 500))
	if e.fails && !strings.HasPrefix(row.Message, "Failed to load resource") { // the request tells more
		e.rank = ofFailure
		if stack := strings.TrimSpace(strings.TrimPrefix(textOf(row.Stack), row.Message)); stack != "" {
			e.text += "\n    " + oneLine(stack, 300)
		}
	}
	return e
}

func networkEntry(row api.NetworkRow) entry {
	e := entry{at: row.StartedAt.Time, kind: "network", rank: ofAsset, fails: row.Status == 0 || row.Status >= 400,
		suspicion: row.Suspicion}
	status := fmt.Sprint(row.Status)
	if row.Status == 0 {
		status = "no answer"
	}
	e.text = fmt.Sprintf("%s %s → %s, %.0f ms", row.Method, oneLine(row.URL, 300), status, row.DurationMs)
	media := textOf(row.ContentType)
	if e.fails {
		e.text += " " + oneLine(textOf(row.Error), 200)
	}
	isJSON := strings.Contains(media, "json")
	isData := isJSON || row.Method != "GET" || strings.Contains(media, "text/plain")
	isMissing := row.Status == http.StatusNotFound && row.Method == "GET" && !isJSON // such as a picture
	if (isData || e.fails) && !isMissing {
		e.body, e.sent = oneLine(textOf(row.ResponseBody), 4096), oneLine(textOf(row.RequestBody), 4096)
		e.rank = ofContent
	}
	if e.fails && !isMissing {
		e.rank = ofFailure
	}
	return e
}

func actionEntry(row api.ActionRow) entry {
	e := entry{at: row.Timestamp.Time, kind: "actions", rank: ofContent, text: "action " + oneLine(row.Type, 50)}
	for _, part := range []*string{row.Selector, row.Text, row.Value} {
		if text := oneLine(textOf(part), 120); text != "" {
			e.text += " " + text
		}
	}
	if slices.Contains([]string{"scroll", "change", "keydown", "keyup", "keypress"}, row.Type) { // beside input
		e.rank = ofAsset
	}
	return e
}

// oneLine returns at most n characters of a text in one line.
func oneLine(text string, n int) string {
	return untrusted.Shortened(strings.Join(strings.Fields(untrusted.Visible(text)), " "), n)
}

// raiseSuspicious raises the successful responses that may be the cause of a failure, and says why. Guesses count only
// when there is nothing else.
func (e *recording) raiseSuspicious() {
	hasProof := slices.ContainsFunc(e.entries, func(one entry) bool { return one.suspicion != nil && !one.suspicion.Guess })
	for i := range e.entries {
		one := &e.entries[i]
		switch {
		case one.suspicion == nil, one.suspicion.Guess && hasProof:
			continue
		case one.suspicion.Guess:
			one.text += "\n    perhaps suspicious: "
		default:
			one.text += "\n    suspicious: "
		}
		one.text += oneLine(one.suspicion.Reason, 400)
		one.rank = ofFailure
	}
}

// origins match the origin of a URL.
var origins = regexp.MustCompile(`https?://[^/\s"'()]+`)

// shortenURLs removes the most frequent origin from the texts of the entries, which is told once.
func (e *recording) shortenURLs() {
	counts, most := map[string]int{}, 1
	for _, one := range e.entries {
		for _, origin := range origins.FindAllString(one.text, -1) {
			if counts[origin]++; counts[origin] > most {
				e.origin, most = origin, counts[origin]
			}
		}
	}
	for i := range e.entries {
		if e.origin != "" {
			e.entries[i].text = strings.ReplaceAll(e.entries[i].text, e.origin+"/", "/")
		}
	}
}

// seconds returns when an entry was, in seconds from the zero of the recording.
func (e *recording) seconds(at time.Time) float64 { return at.Sub(e.zero).Seconds() }

// The seconds around a failure that are shown unless another part is asked for.
const (
	secondsBefore = 20.0
	secondsAfter  = 2.0
)

// selected returns the indexes of the entries that the arguments select.
func (e *recording) selected(in evidenceArguments) (chosen []int) {
	var failures []float64
	for _, one := range e.entries {
		if one.fails {
			failures = append(failures, e.seconds(one.at))
		}
	}
	for i, one := range e.entries {
		at := e.seconds(one.at)
		near := len(failures) == 0 || in.isNarrow() ||
			slices.ContainsFunc(failures, func(f float64) bool { return at >= f-secondsBefore && at <= f+secondsAfter })
		switch {
		case in.From != nil && at < *in.From, in.To != nil && at > *in.To:
		case in.Contains != "" && !contains(one, in.Contains):
		case near || one.rank == ofFailure:
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// contains reports whether an entry has a text, in any case.
func contains(e entry, text string) bool {
	return strings.Contains(strings.ToLower(e.text+"\n"+e.body+"\n"+e.sent), strings.ToLower(text))
}

// write writes the selected entries that the budget has room for, the most telling first, in the order of time.
func (e *recording) write(a *answer, in evidenceArguments) {
	a.add(e.title+"\n\n", 0)
	if len(e.entries) == 0 {
		a.WriteString("No console, requests or actions are stored of it.\n")
		return
	}
	chosen := e.selected(in)
	a.add(fmt.Sprintf("Seconds count from %s; the recording has %d entries from %+.2f to %+.2f.\n\n",
		api.At(e.zero), len(e.entries), e.seconds(e.entries[0].at), e.seconds(e.entries[len(e.entries)-1].at)), 0)
	if e.origin != "" {
		a.add("URLs that begin with / are of "+code(e.origin, 100)+".\n\n", 0)
	}
	if len(chosen) == 0 {
		a.WriteString("No entry is selected: leave out contains, or widen from and to.\n")
		return
	}
	limit := 500
	if in.isNarrow() {
		limit = 2000
	}
	lines := e.lines(chosen, limit)
	order := slices.Clone(chosen)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(e.entries[j].rank, e.entries[i].rank) })
	const reserve = 120 // of the fence and of what is left out
	kept := map[int]bool{}
	for _, i := range order {
		if n := tokens(lines[i]); a.used+n+reserve <= a.budget {
			a.used += n
			kept[i] = true
		}
	}
	var text strings.Builder
	for _, i := range chosen {
		if kept[i] {
			text.WriteString(lines[i])
		}
	}
	a.WriteString(fenced(text.String()))
	e.writeOmissions(a, len(chosen)-len(kept), len(e.entries)-len(chosen))
}

func (e *recording) writeOmissions(a *answer, cut, elsewhere int) {
	if cut > 0 {
		fmt.Fprintf(a, "\n%d selected entries are left out, the least telling: raise budget, or use contains, kinds, from and "+
			"to.\n", cut)
	}
	if elsewhere > 0 {
		fmt.Fprintf(a, "\n%d other entries are not selected: from and to show them.\n", elsewhere)
	}
	if e.partial {
		fmt.Fprintf(a, "\nOnly the first %d entries of each kind and the failures after them are read; contains and "+
			"kinds do not reach further.\n", maxRows)
	}
}

// lines returns the entries with their times and bodies, of which an equal one is written once.
func (e *recording) lines(chosen []int, limit int) map[int]string {
	lines, first := map[int]string{}, map[string]string{}
	for _, i := range chosen {
		one := e.entries[i]
		at := fmt.Sprintf("%+.2f", e.seconds(one.at))
		line := at + " " + one.text + "\n"
		for _, body := range []struct{ verb, text string }{{"sent", one.sent}, {"answered", one.body}} {
			switch before, known := first[body.text]; {
			case body.text == "":
			case known:
				line += "    " + body.verb + ": as at " + before + "\n"
			default:
				first[body.text] = at
				line += "    " + body.verb + ": " + untrusted.Shortened(body.text, limit) + "\n"
			}
		}
		lines[i] = line
	}
	return lines
}
