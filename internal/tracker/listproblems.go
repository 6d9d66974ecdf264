package tracker

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// whileIndexing returns the problem of a list that waits for the index.
func whileIndexing(e *store.IndexingError) *api.Problem {
	p := api.NewProblem(api.CodeUnavailable,
		fmt.Sprintf("The index of reports is being built, of which %d %% is complete. Until then "+
			"there are no searches, filters and counts. All reports are listed without filters, and each can be opened and changed.",
			e.Percent()))
	p.RetryAfter = indexRetry
	return p
}

const indexRetry = 10 * time.Second

// askToNarrow returns the problem of a list or a count that is too broad, with the filters that would narrow it. It
// returns any other error unchanged.
func askToNarrow(err error, in api.SliceFilters, sort string) error {
	if !errors.Is(err, store.ErrTooBroad) {
		return err
	}
	var by []string
	add := func(helps bool, what string) {
		if helps {
			by = append(by, what)
		}
	}
	add(in.WorkspaceID == "", "workspaceId, which selects one workspace")
	add(in.CreatedAfter == nil, "createdAfter, which selects reports of a shorter time")
	add(in.CreatedAfter != nil, "a later createdAfter")
	add(sort != "" && sort != "createdAt", "the order by createdAt")
	add(in.Q != "", "other words in q, which fewer reports have")
	add(len(in.Status) == 0, "status")
	return api.NewProblem(api.CodeTooBroad, "The database needs too much time to find these reports among all. "+
		"This would narrow the query: "+strings.Join(by, "; ")+".")
}
