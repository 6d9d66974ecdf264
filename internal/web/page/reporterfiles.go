package page

import (
	"errors"
	"io"
	"strconv"

	"bugslice/api"
)

// StoreReporterFiles adds the files of the form to the report of the page of a reporter, and returns how many it has added, and those
// that failed. once makes a repeated form harmless. A page that has ended is an error.
func (q *Request) StoreReporterFiles(once string) (added int, failed []FileFailure, err error) {
	if q.Files == nil {
		return 0, nil, nil
	}
	for i := 0; ; i++ {
		up, err := q.Files.next()
		if errors.Is(err, io.EOF) {
			return added, failed, nil
		}
		if err != nil {
			return added, append(failed, FileFailure{Detail: q.detail(bodyError(err))}), nil
		}
		name := ""
		if once != "" {
			name = once + "-" + strconv.Itoa(i)
		}
		err = q.Tracker.Visitors().AttachToPage(q.Context(), q.Client, q.Share, name, *up)
		up.Memory.Release()
		switch {
		case err == nil:
			added++
		case HasCode(err, api.CodeNotFound):
			return added, failed, err
		default:
			failed = append(failed, FileFailure{up.Name, q.detail(err)})
		}
	}
}

// Detail returns what went wrong, in words for the reader.
func (q *Request) Detail(err error) string { return q.detail(err) }
