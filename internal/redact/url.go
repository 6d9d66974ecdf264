package redact

import (
	"strings"

	"bugslice/internal/redact/find"
	"bugslice/internal/redact/lex"
)

// URL redacts a URL, absolute or relative: the password before its host, the values of sensitive parameters in its
// query and fragment, and tokens of known formats anywhere. The marker is REDACTED, because brackets would have to be
// escaped.
func (r *Redactor) URL(s string, c Counts) string {
	r = r.Report()
	return r.removeRepeatedInURL(r.redactURL(s, c), c)
}

func (r *Redactor) redactURL(s string, c Counts) string {
	if isURL(s) {
		s = r.redactAsURL(s, c, 0, (*find.Scanner).ScanURL)
	}
	if isURL(s) {
		return s
	}
	return r.redactText(r.nextInStream(s, c), c, 0)
}

func isURL(s string) bool {
	return find.WholeURLEnd(s) == len(s) && !strings.Contains(s, lex.MarkerPrefix)
}

// redactForm redacts a form as it is sent in a body.
func (r *Redactor) redactForm(s string, c Counts, depth int) string {
	return r.redactAsURL(s, c, depth, (*find.Scanner).ScanForm)
}

// redactAsURL makes the edits that a scan finds in a text, with the markers of URLs.
func (r *Redactor) redactAsURL(s string, c Counts, depth int, look scan) string {
	st := r.newLines(depth)
	defer st.release()
	st.url = true
	out, ok := r.untilStable(s, st, c, look)
	if !ok {
		return lex.URLMarker
	}
	return out
}
