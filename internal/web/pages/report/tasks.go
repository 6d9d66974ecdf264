package report

import (
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/markdown"
	"bugslice/internal/web/page"
)

// Tick changes the box of a task in the description, or in a comment of the reader, unless the text was changed since
// the reader saw it.
func Tick(q *page.Request) (page.Result, error) {
	number, _ := strconv.Atoi(q.PostForm.Get("task"))
	var err error
	if id := q.PostForm.Get("comment"); id != "" {
		err = tickComment(q, id, number)
	} else {
		err = tickDescription(q, number)
	}
	switch {
	case page.HasCode(err, api.CodePrecondition):
		done := page.Changed{Stale: []string{strings.ToUpper(q.PathValue("reference"))}}
		return page.Redirect(address(q), page.Change{Member: "description"}.Notice(q, done))
	case err != nil:
		return page.Result{}, err
	}
	return page.Redirect(address(q), "")
}

func tickDescription(q *page.Request, number int) error {
	found := true
	_, _, err := update(q, func(s api.Slice) (api.SlicePatch, bool) {
		text := plain(s.Description)
		changed, ok := markdown.Tick(text, number)
		found = ok
		return api.SlicePatch{"description": changed}, ok && fingerprintOf(text) == q.PostForm.Get("former")
	})
	if !found && (err == nil || page.HasCode(err, api.CodePrecondition)) {
		err = api.NotFound("task")
	}
	return err
}

func tickComment(q *page.Request, id string, number int) error {
	c, err := commentOf(q, id)
	if err != nil {
		return err
	}
	if fingerprintOf(c.Body) != q.PostForm.Get("former") {
		return api.NewProblem(api.CodePrecondition, "")
	}
	changed, ok := markdown.Tick(c.Body, number)
	if !ok {
		return api.NotFound("task")
	}
	return patchComment(q, id, changed)
}
