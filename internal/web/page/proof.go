package page

import (
	"bugslice/api"
	"bugslice/internal/web/ui"
)

// ProofOf returns the proof in the form of a request.
func ProofOf(q *Request) api.Proof {
	return api.Proof{Password: q.PostForm.Get("password"), Code: q.PostForm.Get("proof-code"), Passkey: AnswerOf(q),
		Device: q.Client.Device}
}

// AnswerOf returns the answer of a passkey in the form of a request, which its script writes there.
func AnswerOf(q *Request) api.PasskeyAnswer {
	return api.PasskeyAnswer{State: q.PostForm.Get("proof-state"), Answer: q.PostForm.Get("proof-answer")}
}

// Added answers with the page that shows the recovery codes which the user has got with a new second factor, or leads
// to the page Security without any.
func Added(p *ui.Page, codes any, added api.AddedFactor) (Result, error) {
	if len(added.RecoveryCodes) == 0 {
		return Result{Location: "/settings/security", Notice: "factor-added", Session: &added.Session}, nil
	}
	return Result{Page: p, Data: codes, Session: &added.Session}, nil
}
