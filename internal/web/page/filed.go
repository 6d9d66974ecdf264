package page

import (
	"net/url"
	"strconv"
)

// Bounds of what a notice about failed files names: it is in a cookie, of which browsers keep 4 KiB.
const (
	maxFailed   = 3
	maxFileName = 50
	maxDetail   = 120
)

// FiledNotice returns the notice that a report is filed.
func (q *Request) FiledNotice(reference string, failed []FileFailure) string {
	about := url.Values{"reference": {reference}, "link": {q.BaseURL + "/" + reference}}
	if len(failed) > 0 {
		about.Set("failed-count", strconv.Itoa(len(failed)))
	}
	for _, f := range failed[:min(len(failed), maxFailed)] {
		text := Shorten(f.Detail, maxDetail)
		if f.Name != "" {
			text = Shorten(f.Name, maxFileName) + ": " + text
		}
		about.Add("failed", text)
	}
	return "report-filed?" + about.Encode()
}
