// Package inbox is the page of what the reader is told, by report: unread first, with what takes each off the list.
package inbox

import (
	"embed"
	"net/url"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/markdown"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("inbox", folder)

// tab is a part of the inbox.
type tab struct {
	Name    string // of its address; empty for the first
	Current bool
}

// Href returns the address of the tab.
func (t tab) Href() string {
	if t.Name == "" {
		return "/inbox"
	}
	return "/inbox?show=" + t.Name
}

// states are those of the notices of each tab.
var states = []struct {
	name   string
	states []api.NoticeState
}{
	{"", []api.NoticeState{api.NoticeUnread}},
	{"snoozed", []api.NoticeState{api.NoticeSnoozed}},
	{"done", []api.NoticeState{api.NoticeDone}},
	{"all", []api.NoticeState{api.NoticeUnread, api.NoticeRead, api.NoticeSnoozed, api.NoticeDone}},
}

// row is what the reader is told of a report, or of several.
type row struct {
	ID     string // of the report, or of the notice
	Unread bool
	First  api.Notice // the newest
	Lines  []line
	Count  int
	More   int // notices that are not shown
}

// line is a notice in words.
type line struct {
	api.Notice
	Actor   string // empty when nobody knows the name
	Subject string // the name of what the reader watches
	Status  string // the new one, when it has changed
	Quote   string // the begin of a comment
}

// maxQuote is the length of the quote of a comment, in characters.
const maxQuote = 200

// quote returns the begin of a text in Markdown, in one line without its formatting.
func quote(s string) string {
	source := []rune(s)
	all := []rune(markdown.Text(string(source[:min(len(source), 8*maxQuote)])))
	if len(all) <= maxQuote {
		return string(all)
	}
	return string(all[:maxQuote]) + "…"
}

func newRow(g tracker.InboxGroup) row {
	r := row{ID: g.ID, Unread: g.Unread, First: g.Notices[0], Count: g.Count, More: g.Count - len(g.Notices)}
	for _, n := range g.Notices {
		l := line{Notice: n, Actor: text(n.Event.ActorName), Subject: text(n.SubjectName)}
		if n.Event.Comment != nil {
			l.Quote = quote(n.Event.Comment.Body)
		}
		for _, c := range n.Event.Changes {
			if c.Field == "status" && c.To != nil {
				l.Status, _ = (*c.To).(string)
			}
		}
		r.Lines = append(r.Lines, l)
	}
	return r
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

type data struct {
	Tabs   []tab
	Show   string // the name of the tab
	Rows   []row
	Newest string // the newest notice, up to which all are done
	Next   string // the address of the next page; empty on the last one
}

// Version changes with what the page shows.
func (d data) Version() string {
	var b strings.Builder
	for _, r := range d.Rows {
		b.WriteString(r.First.ID[len(r.First.ID)-6:] + string(r.First.State[0]) + strconv.Itoa(r.Count) + " ")
	}
	return b.String()
}

// Show shows a tab.
func Show(q *page.Request) (page.Result, error) {
	d := data{Show: q.URL.Query().Get("show")}
	filters := api.NoticeFilters{State: states[0].states}
	for _, s := range states {
		if s.name == d.Show {
			filters.State = s.states
		}
		d.Tabs = append(d.Tabs, tab{s.name, s.name == d.Show})
	}
	found, err := q.Tracker.Inbox(q.Context(), q.Session.Caller, filters, q.URL.Query().Get("after"))
	if err != nil {
		return page.Result{}, err
	}
	for _, g := range found.Groups {
		r := newRow(g)
		d.Rows, d.Newest = append(d.Rows, r), max(d.Newest, r.First.ID)
	}
	if found.Next != "" {
		d.Next = "/inbox?" + url.Values{"show": {d.Show}, "after": {found.Next}}.Encode()
	}
	return page.Show(view, d)
}

// Change carries out what a button says: a verb, and the report or the notice.
func Change(q *page.Request) (page.Result, error) {
	verb, id, _ := strings.Cut(q.PostForm.Get("do"), " ")
	next := q.Next(q.PostForm.Get("next"))
	u := api.NoticesUpdate{State: api.NoticeChange(verb)}
	choose(&u, id)
	now := q.Now.In(q.Zone())
	switch verb {
	case "all":
		u = api.NoticesUpdate{Through: &id, State: api.ChangeDone}
	case "later", "tomorrow", "week":
		u.State, u.SnoozedUntil = api.ChangeSnoozed, new(api.At(snoozed(now, verb)))
	case "mute":
		u.State = api.ChangeDone
		if err := watch(q, id, api.Muted); err != nil {
			return page.Result{}, err
		}
	case "undo":
		return undo(q, next)
	}
	done, err := page.Call(q, q.Tracker.UpdateNotices, api.UpdateNotices{Body: u})
	if err != nil {
		return page.Result{}, err
	}
	about := url.Values{"verb": {verb}, "n": {strconv.FormatInt(done.Changed, 10)}, "id": {id},
		"at": {strconv.FormatInt(done.At.UnixMilli(), 10)}}
	return page.Redirect(next, "inbox-changed?"+about.Encode())
}

// choose chooses the notices of a report, or one notice.
func choose(u *api.NoticesUpdate, id string) {
	if strings.HasPrefix(id, "ntc_") {
		u.NoticeIDs = []string{id}
		return
	}
	u.SliceID = &id
}

// snoozed returns until when a verb snoozes: for three hours, or until nine on the next day or on the next Monday.
func snoozed(now time.Time, verb string) time.Time {
	days := 1
	switch verb {
	case "later":
		return now.Add(3 * time.Hour)
	case "week":
		days = 7 - int(now.Weekday()+6)%7
	}
	return time.Date(now.Year(), now.Month(), now.Day()+days, 9, 0, 0, 0, now.Location())
}

func watch(q *page.Request, subjectID string, level api.WatchLevel) error {
	_, err := page.Call(q, q.Tracker.SetWatch, api.SetWatch{Body: api.WatchFields{SubjectID: subjectID, Level: level}})
	return err
}

// undo takes back what a verb has done at a time.
func undo(q *page.Request, next string) (page.Result, error) {
	form := q.PostForm
	ms, err := strconv.ParseInt(form.Get("at"), 10, 64)
	if err != nil {
		return page.Result{}, api.InvalidMember("/doneAt", "wrong_form", "the time of the change is missing")
	}
	u := api.NoticesUpdate{State: api.ChangeRestored, DoneAt: new(api.FromMillis(ms))}
	switch verb, id := form.Get("verb"), form.Get("id"); verb {
	case "mute":
		if err := watch(q, id, api.Automatic); err != nil {
			return page.Result{}, err
		}
	case "later", "tomorrow", "week":
		u = api.NoticesUpdate{State: api.ChangeRestored, From: new(api.NoticeSnoozed)}
		choose(&u, id)
	}
	if _, err := page.Call(q, q.Tracker.UpdateNotices, api.UpdateNotices{Body: u}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(next, "inbox-changed?verb=undo")
}
