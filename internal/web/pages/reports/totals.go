package reports

import (
	"errors"

	"bugslice/api"
	"bugslice/internal/query"
)

// maxCount is the highest count that is shown.
const maxCount = 1000

// totalOf returns the sum of counts, at most maxCount.
func totalOf(counts api.SliceCounts) (total api.SliceCount) {
	total.More = counts.More
	for _, n := range counts.Data {
		total.Count += n.Count
		total.More = total.More || n.More
	}
	if total.Count > maxCount {
		total.Count, total.More = maxCount, true
	}
	return total
}

func unlessRefused(err error) error {
	if isRefused(err) {
		return nil
	}
	return err
}

// isRefused returns whether an error is a refusal of the text or of the work on it, which the list tells.
func isRefused(err error) bool {
	_, isProblem := errors.AsType[*api.Problem](err)
	_, isFaults := errors.AsType[query.Faults](err)
	return isProblem || isFaults
}
