package report

import (
	"io"
	"net/http"
	"strings"

	"bugslice/api"
	"bugslice/internal/web/page"
)

// AddPictures adds the files of the form to the report, and answers with the Markdown that shows them, a line for each.
func AddPictures(q *page.Request) (page.Result, error) {
	s, err := get(q)
	if err != nil {
		return page.Result{}, err
	}
	added, failed, err := q.StoreFiles(s.ID, q.PostForm.Get("once"), true)
	switch {
	case err != nil:
		return page.Result{}, err
	case len(failed) > 0:
		return page.Result{}, api.NewProblem(api.CodeInvalidBody, failed[0].Detail)
	case len(added) == 0:
		return page.Result{}, api.NewProblem(api.CodeInvalidBody, "The form has no file.")
	}
	var lines strings.Builder
	for _, a := range added {
		if strings.HasPrefix(a.ContentType, "image/") {
			lines.WriteString("!")
		}
		lines.WriteString("[" + labels.Replace(a.Name) + "](/files/" + a.ID + ")\n")
	}
	return page.Result{Write: func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, err := io.WriteString(w, lines.String())
		return err
	}}, nil
}

// labels replaces what ends the label of a link.
var labels = strings.NewReplacer("[", "(", "]", ")", "\\", "", "\n", " ", "`", "")
