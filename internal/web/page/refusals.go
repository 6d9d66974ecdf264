package page

import (
	"cmp"
	"net/url"
	"slices"

	"bugslice/api"
)

// Refusals are reports that were refused, by the reason.
type Refusals []refusal

// refusal is a reason, and the reports that were refused for it.
type refusal struct {
	code       string // of the problem or of its first fault, with the member
	detail     string
	references []string
}

// add adds a report with the first fault of its problem.
func (all *Refusals) add(reference string, p *api.Problem) {
	r := refusal{code: p.Code, detail: p.Detail}
	if len(p.Errors) > 0 {
		f := p.Errors[0]
		r.code, r.detail = f.Code+f.Pointer, cmp.Or(f.Detail, p.Detail)
	}
	i := slices.IndexFunc(*all, func(o refusal) bool { return o.code == r.code && o.detail == r.detail })
	if i < 0 {
		i, *all = len(*all), append(*all, r)
	}
	(*all)[i].references = append((*all)[i].references, reference)
}

// explain returns the problem of a report. For a deleted report that the reader may restore, it names the user who
// deleted it.
func (q *Request) explain(reference string, p *api.Problem) *api.Problem {
	if p.Code != api.CodeNotFound || len(p.Errors) > 0 {
		return p
	}
	d, err := q.Tracker.DeletedReport(q.Context(), q.Session.Caller, reference)
	if err != nil || d.By == "" {
		return p
	}
	return &api.Problem{Code: "deleted_by", Detail: d.By}
}

// Bounds of what a notice says about refusals: it is in a cookie, of which browsers keep 4 KiB.
const (
	maxReasons = 3
	maxReason  = 150
)

// set describes the refusals in a notice. The refusals beyond the first reasons are counted together, without a reason.
func (all Refusals) set(about url.Values) {
	var others refusal
	for i, r := range all {
		if i >= maxReasons && len(all) > maxReasons+1 {
			others.references = append(others.references, r.references...)
			continue
		}
		r.set(about)
	}
	if len(others.references) > 0 {
		others.set(about)
	}
}

func (r refusal) set(about url.Values) {
	addReferences(about, "refused", r.references)
	about.Add("refused-code", r.code)
	about.Add("refused-detail", Shorten(r.detail, maxReason))
}

// Shorten returns the first characters of a text that is longer than a limit.
func Shorten(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return text
}
