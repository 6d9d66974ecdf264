// Package signinpolicy is where an owner says whether the organisation requires a second factor.
package signinpolicy

import (
	"embed"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("signinpolicy", folder)

type data struct {
	api.SignInPolicy
	Owner bool   // whether the reader may change it
	Last  string // the code of the fault of a change that was refused
}

// Show shows the policy, and how many people it would concern.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (data, error) {
	p, err := page.Call(q, q.Tracker.GetSignInPolicy, api.GetSignInPolicy{})
	return data{SignInPolicy: p, Owner: q.Session.Role == api.RoleOwner}, err
}

// Save changes the policy.
func Save(q *page.Request) (page.Result, error) {
	in := api.UpdateSignInPolicy{Body: api.SignInPolicyFields{SecondFactor: q.PostForm.Get("secondFactor") == "on"}}
	_, err := page.Call(q, q.Tracker.UpdateSignInPolicy, in)
	if err == nil {
		return page.Redirect("/settings/second-factor", "policy-saved")
	}
	if !tracker.HasFault(err, tracker.FaultNoFactor) {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Last = tracker.FaultNoFactor
	return page.Refused(view, d, 409)
}
