// Package policies is where those who manage people decide about sessions, keys, invitations and the second factor of
// their organisation. What policies would end is shown before they are saved.
package policies

import (
	"embed"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/policy"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("policies", folder)

const path = "/settings/policies"

type data struct {
	api.Policies
	Form   url.Values
	Faults page.Faults
	Stale  bool   // whether somebody else has changed the policies
	Owner  bool   // whether the reader may require a second factor
	From   string // the address of the reader

	Preview *preview // shown in place of the form
}

// preview is what the policies of a form would end.
type preview struct {
	api.PolicyPreview
	Fields  []field // of the form, which are sent again
	Distant bool    // whether the reader is in none of the networks
}

type field struct{ Name, Value string }

// Nothing reports whether the policies end, limit and restore nothing.
func (p preview) Nothing() bool {
	return p.Sessions.Count+p.EndedKeys.Count+p.EndingKeys.Count+p.LosingKeys.Count+p.DistantKeys.Count+p.Invitations.Count+
		p.People.Count+p.OtherMakers+p.RestoredSessions+p.RestoredKeys == 0
}

// Show shows the policies.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	d.Owner, d.From = q.Session.Role == api.RoleOwner, q.Client.Request.ClientAddress
	d.Policies, err = page.Call(q, q.Tracker.GetPolicies, api.GetPolicies{})
	d.Form = show(d.Policies)
	return d, err
}

// hoursPerDay is that of a time that is shown in days.
const hoursPerDay = 24

// show returns policies as the values of the form.
func show(p api.Policies) url.Values {
	form := url.Values{"version": {strconv.FormatInt(p.Version, 10)}, "personalKeyMakers": {string(p.PersonalKeyMakers)},
		"keyNetworks": {strings.Join(p.KeyNetworks, "\n")}, "invitationDomains": {strings.Join(p.InvitationDomains, "\n")}}
	for name, hours := range map[string]int64{"sessionHours": p.SessionHours, "sessionIdleHours": p.SessionIdleHours} {
		n, unit := hours, "hours"
		if hours%hoursPerDay == 0 {
			n, unit = hours/hoursPerDay, "days"
		}
		form.Set(name, limit(n))
		form.Set(name+"Unit", unit)
	}
	form.Set("personalKeyDays", limit(p.PersonalKeyDays))
	form.Set("serviceKeyDays", limit(p.ServiceKeyDays))
	scopes := p.PersonalKeyScopes
	if len(scopes) == 0 {
		scopes = api.AllScopes()
	}
	for _, s := range scopes {
		form.Add("personalKeyScopes", string(s))
	}
	for name, on := range map[string]bool{"filingAnywhere": p.FilingAnywhere, "secondFactor": p.SecondFactor} {
		if on {
			form.Set(name, "on")
		}
	}
	return form
}

func limit(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// bind returns the policies of a form, and the faults of its numbers.
func bind(form url.Values) (f api.PolicyFields, faults page.Faults) {
	faults = page.Faults{}
	number := func(name string) int64 {
		text := strings.TrimSpace(form.Get(name))
		if text == "" {
			return 0
		}
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil || n < 1 {
			faults[name] = api.Fault{Pointer: "/" + name, Code: "malformed",
				Detail: "must be a whole number above 0, or empty for no limit"}
		}
		return n
	}
	hours := func(name string) int64 {
		n := number(name)
		if form.Get(name+"Unit") == "days" {
			n *= hoursPerDay
		}
		return n
	}
	f = api.PolicyFields{SessionHours: hours("sessionHours"), SessionIdleHours: hours("sessionIdleHours"),
		PersonalKeyDays: number("personalKeyDays"), ServiceKeyDays: number("serviceKeyDays"),
		PersonalKeyMakers: api.KeyMakers(form.Get("personalKeyMakers")), KeyNetworks: strings.Fields(form.Get("keyNetworks")),
		FilingAnywhere: form.Has("filingAnywhere"), InvitationDomains: strings.Fields(form.Get("invitationDomains")),
		SecondFactor: form.Has("secondFactor")}
	for _, s := range form["personalKeyScopes"] {
		f.PersonalKeyScopes = append(f.PersonalKeyScopes, api.Scope(s))
	}
	if len(f.PersonalKeyScopes) == 0 {
		faults["personalKeyScopes"] = api.Fault{Pointer: "/personalKeyScopes", Code: "none",
			Detail: "choose at least one scope; who may make no personal keys is chosen above"}
	}
	return f, faults
}

// Save shows what the policies of a form would end, then stores them.
func Save(q *page.Request) (page.Result, error) {
	f, faults := bind(q.PostForm)
	var err error
	switch {
	case len(faults) > 0 || q.PostForm.Get("step") == "edit":
	case q.PostForm.Get("step") == "save":
		in := api.UpdatePolicies{IfMatch: q.PostForm.Get("version"), Body: f}
		if _, err = page.Call(q, q.Tracker.UpdatePolicies, in); err == nil {
			return page.Redirect(path, "policies-saved")
		}
	default:
		var p api.PolicyPreview
		if p, err = page.Call(q, q.Tracker.PreviewPolicies, api.PreviewPolicies{Body: f}); err == nil {
			return ask(q, p)
		}
	}
	if more, ok := page.FaultsOf(err); ok {
		maps.Copy(faults, more)
		err = nil
	}
	stale := page.HasCode(err, api.CodePrecondition)
	if err != nil && !stale {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	version := d.Form.Get("version")
	d.Form, d.Faults, d.Stale = maps.Clone(q.PostForm), faults, stale
	d.Form.Set("version", version)
	if len(faults) == 0 && !stale {
		return page.Show(view, d)
	}
	return page.Invalid(view, d)
}

// ask shows what the policies of the form would end, with the form to send again.
func ask(q *page.Request, p api.PolicyPreview) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	asked := preview{PolicyPreview: p, Distant: !policy.New(p.Policies, 0).AdmitsKeyFrom(d.From, false)}
	for _, name := range slices.Sorted(maps.Keys(q.PostForm)) {
		for _, value := range q.PostForm[name] {
			if name != "step" && name != "version" {
				asked.Fields = append(asked.Fields, field{name, value})
			}
		}
	}
	asked.Fields = append(asked.Fields, field{"version", strconv.FormatInt(p.Version, 10)})
	d.Preview = &asked
	return page.Show(view, d)
}
