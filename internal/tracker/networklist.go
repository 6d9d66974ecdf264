package tracker

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/evidence"
	"bugslice/internal/input"
	"bugslice/internal/reporttext"
	"bugslice/internal/store"
	"bugslice/internal/words"
)

// ListNetwork lists the network requests of a slice the caller sees.
func (t *Tracker) ListNetwork(ctx context.Context, c access.Caller, v input.Valid[api.ListNetwork],
) (api.Page[api.NetworkRow], error) {
	in, err := v.Value(c.Allow(api.OpListNetwork))
	if err != nil {
		return api.Page[api.NetworkRow]{}, err
	}
	url := words.Fold(in.URL)
	mayHaveURL := rowMatcher(url)
	query := evidenceQuery[api.NetworkRow]{operation: api.OpListNetwork, sliceID: in.SliceID, kind: api.KindNetwork,
		occurrence: int64(in.Occurrence), paging: in.Paging, filters: in, classes: convert(in.Status, statusClass)}
	var failures reporttext.Failures
	if c.Allow(api.OpListConsole) == nil { // a suspicion tells of errors
		query.prepare = func(ctx context.Context, sets []store.Attachment) (_ string, err error) {
			failures, err = t.failuresOf(ctx, sets[0].SliceID, sets[0].Occurrence)
			return failures.Key(), ignoreUnavailable(err)
		}
	}
	query.decode = func(line []byte, at evidencePosition) (n api.NetworkRow, selected bool, err error) {
		if !mayHaveURL(line) {
			return n, false, nil
		}
		x, err := evidence.ParseExchange(line)
		n.NetworkEntry, n.Number, n.Occurrence = x.Summary, at.total, at.occurrence
		status := api.StatusClass("failed")
		if n.Status > 0 {
			status = api.StatusClass(strconv.Itoa(int(n.Status/100)) + "xx")
		}
		hasMethod := len(in.Method) == 0 ||
			slices.ContainsFunc(in.Method, func(m string) bool { return strings.EqualFold(m, n.Method) })
		selected = err == nil && isAny(in.Status, status) && hasMethod && (url == "" || anyContains(url, &n.URL))
		if selected {
			n.Suspicion = failures.Suspect(x)
		}
		return n, selected, err
	}
	return evidencePage(t, ctx, c, query)
}

// statusClass returns the class of the rows with a status.
func statusClass(s api.StatusClass) int {
	if s == "failed" {
		return evidence.StatusClass(api.NetworkEntry{})
	}
	return int(s[0] - '0')
}
