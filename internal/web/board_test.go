package web

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
)

func boardAt(text string) string { return "/board?workspace=WEB&q=" + url.QueryEscape(text) }

// columns returns the references of the cards of a board by column.
func (a answer) columns() string {
	var all []string
	for _, part := range strings.Split(a.body, `<section class="group column" data-group="`)[1:] {
		name, cards, _ := strings.Cut(part, `"`)
		all = append(all, strings.TrimSpace(name+" "+answer{body: cards}.shown()))
	}
	return strings.Join(all, " | ")
}

// TestBoard: a board has the query of the list in four columns, each in the order of the list. Its form changes cards
// as that of the list does: under their versions, and with an undo that leads back to the board.
func TestBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	high := api.Priority("high")
	w.fileMany(t, api.SliceFields{Summary: "c", Status: api.InProgress, Labels: []string{"x"}},
		api.SliceFields{Summary: "d", Priority: &high},
		api.SliceFields{Summary: "e", Status: api.Closed, Labels: []string{"x"}})
	b := w.signedIn(t, owner)
	for text, want := range map[string]string{
		"":                       "open WEB-163 WEB-161 WEB-160 | in_progress WEB-162 | resolved | closed WEB-164",
		"sort:created-asc":       "open WEB-160 WEB-161 WEB-163 | in_progress WEB-162 | resolved | closed WEB-164",
		"sort:priority-asc":      "open WEB-160 WEB-161 WEB-163 | in_progress WEB-162 | resolved | closed WEB-164",
		"label:x":                "open | in_progress WEB-162 | resolved | closed WEB-164",
		"status:open number:160": "open WEB-160 | in_progress | resolved | closed",
	} {
		a := b.get(boardAt(text)).wants(200)
		if got := a.columns(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		orders := regexp.MustCompile(`data-group="open"(?s:.*?)data-group`).FindString(a.body)
		keys := regexp.MustCompile(`data-order="([^"]+)"`).FindAllStringSubmatch(orders, -1)
		for i := range keys[min(1, len(keys)):] {
			if descending := strings.Contains(a.body, "data-descending"); descending != (keys[i][1] > keys[i+1][1]) {
				t.Errorf("%s: %s before %s", text, keys[i][1], keys[i+1][1])
			}
		}
	}
	b.get("/board?workspace=WEB&column=x").wants(400)
	b.get(boardAt("staus:open")).wants(422, "staus")
	b.get(boardAt("zzz")).wants(200, "No report matches", `href="/board?q=zzz">In all workspaces`)
	b.get("/board?workspace=NONE").wants(404)

	board := boardAt("sort:updated")
	w.clock.add(time.Second)
	b.post(board, "status", "closed").wants(422, "Select reports first")
	b.post(board, "items", "WEB-160 1", "items", "WEB-161 7", "status", "in_progress").leadsTo(board)
	changed := b.get(board).wants(200, "WEB-160: In progress.", "WEB-161 changed meanwhile")
	if got, want := changed.columns(), "open WEB-163 WEB-161 | in_progress WEB-160 WEB-162 | resolved | closed WEB-164"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	next := html.UnescapeString(regexp.MustCompile(`name="next" value="([^"]+)"`).FindStringSubmatch(changed.body)[1])
	b.post("/reports/undo", "request", request(t, changed), "next", next).leadsTo(board)
	b.post(board, "items", "WEB-160 3", "resolution", "wont_fix", "only",
		"true").leadsTo("/board?only=WEB-160&q=sort%3Aupdated&workspace=WEB")
	got := b.get("/board?only=WEB-160&q=sort%3Aupdated&workspace=WEB").wants(200, `data-changed="WEB-160"`)
	if got.columns() != "open | in_progress | resolved WEB-160 | closed" {
		t.Errorf("the rows of the change are %s", got.columns())
	}
}

// request returns the request that the notice of a page can undo.
func request(t *testing.T, a answer) string {
	t.Helper()
	m := regexp.MustCompile(`name="request" value="([^"]+)"`).FindStringSubmatch(a.body)
	if m == nil {
		t.Fatalf("nothing to undo in %s", a.content())
	}
	return m[1]
}

// TestBoardPages: a column has the first 50 cards, and the next ones at another address, each once.
func TestBoardPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.fileMany(t, numbered(103, api.SliceFields{Status: api.InProgress})...)
	b := w.signedIn(t, owner)
	seen := map[string]int{}
	path := boardAt("")
	for _, want := range []int{50, 50, 3} {
		a := b.get(path).wants(200, `<span class="group-count">103</span>`)
		column := regexp.MustCompile(`(?s)data-group="in_progress".*?</section>`).FindString(a.body)
		cards := strings.Fields(answer{body: column}.shown())
		if len(cards) != want {
			t.Errorf("%s has %d cards, not %d", path, len(cards), want)
		}
		for _, c := range cards {
			seen[c]++
		}
		if m := regexp.MustCompile(`href="(/board[^"]+cursor[^"]+)"`).FindStringSubmatch(column); m != nil {
			path = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 103 {
		t.Errorf("%d cards of 103", len(seen))
	}
	if open := fmt.Sprint(b.get(path).columns()); !strings.HasPrefix(open, "open WEB-161 WEB-160 |") {
		t.Errorf("the other columns are %s", open)
	}
}
