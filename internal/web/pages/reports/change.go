package reports

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// selections returns the reports of a form. ok is false for a value of another form.
func selections(form url.Values) (all []page.Seen, ok bool) {
	for _, text := range form["items"] {
		reference, number, found := strings.Cut(text, " ")
		version, err := strconv.ParseInt(number, 10, 64)
		if _, _, isReference := api.ParseReference(reference); !found || err != nil || !isReference {
			return nil, false
		}
		if s := (page.Seen{Reference: reference, Version: version}); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all, len(all) > 0
}

// Change changes the selected reports, each unless somebody has changed the same field since the reader saw it.
func Change(q *page.Request) (page.Result, error) {
	selected, ok := selections(q.PostForm)
	if !ok {
		return show(q, "nothing_selected")
	}
	c, ok := page.ChangeOf(q.PostForm)
	if !ok {
		return show(q, "no_change")
	}
	if err := c.SetOriginal(q); err != nil {
		if page.HasCode(err, api.CodeInvalidParameter, api.CodeNotFound) {
			return show(q, "no_original")
		}
		return page.Result{}, err
	}
	var done page.Changed
	for part := range slices.Chunk(selected, pageLimit) {
		if err := c.Apply(q, part, &done); err != nil {
			return page.Result{}, err
		}
	}
	if err := c.NameAssignee(q, done.WorkspaceID); err != nil {
		return page.Result{}, err
	}
	return page.Redirect(back(q, selected), c.Notice(q, done))
}

// back returns the address of the list in which reports were selected, or of their rows alone.
func back(q *page.Request, selected []page.Seen) string {
	references := make([]string, len(selected))
	for i, s := range selected {
		references[i] = s.Reference
	}
	return onlyRows(q, (&url.URL{Path: q.URL.Path, RawQuery: q.URL.RawQuery}).String(), references)
}

// onlyRows returns the address of a list or a board. A form with the field only asks for the rows of its reports
// alone, to put them into the list that it is in.
func onlyRows(q *page.Request, list string, references []string) string {
	to, err := url.Parse(list)
	if err != nil || to.Path != "/reports" && to.Path != "/board" || !q.PostForm.Has("only") ||
		len(references) > maxOnly {
		return list
	}
	values := to.Query()
	values.Set("only", strings.Join(references, ","))
	to.RawQuery = values.Encode()
	return to.String()
}

// Undo restores the values that a change has changed.
func Undo(q *page.Request) (page.Result, error) {
	done, err := q.Tracker.UndoChanges(q.Context(), q.Session.Caller, q.PostForm.Get("request"))
	if err != nil {
		return page.Result{}, err
	}
	references := slices.Concat(done.Restored, done.Changed)
	for _, r := range done.Refused {
		references = append(references, r.Reference)
	}
	list := onlyRows(q, q.Next(q.PostForm.Get("next")), references)
	return page.Redirect(list, page.UndoneNotice(done))
}
