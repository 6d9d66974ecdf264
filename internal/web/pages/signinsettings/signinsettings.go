// Package signinsettings is where those who manage people set up the sign-in at an OpenID provider.
package signinsettings

import (
	"embed"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("signinsettings", folder)

type data struct {
	Provider api.Provider
	Form     form
	Faults   page.Faults
	Code     string // of a refusal of the whole form
	Owner    bool
	OrgID    string
	Report   *api.ProviderReport // of a check; nil without one
	Local    bool                // whether browsers reach this service by plain http
}

// form is the settings as the fields of a form.
type form struct {
	Name, Issuer, ClientID, GroupsClaim string
	Domains, Rules                      string // one a line
	PasswordsOff                        bool
	Version                             string
}

// Show shows the settings.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	p, err := page.Call(q, q.Tracker.GetProvider, api.GetProvider{})
	if err != nil {
		return d, err
	}
	d = data{Provider: p, Owner: q.Session.Role == api.RoleOwner, OrgID: q.Session.Caller.Organization.ID,
		Local: strings.HasPrefix(q.BaseURL, "http:")}
	rules, err := show(q, p.Rules)
	d.Form = form{Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID, GroupsClaim: p.GroupsClaim,
		Domains: strings.Join(p.Domains, "\n"),
		Rules:   rules, PasswordsOff: p.PasswordsOff, Version: strconv.FormatInt(p.Version, 10)}
	return d, err
}

// keys returns the keys of the workspaces of the organisation by id.
func keys(q *page.Request) (map[string]string, error) {
	people, err := page.Call(q, q.Tracker.ListPeople, api.ListPeople{Limit: 1})
	all := map[string]string{}
	for _, w := range people.Workspaces {
		all[w.ID] = w.Key
	}
	return all, err
}

// show returns rules as lines: GROUP = admin, or GROUP = KEY role.
func show(q *page.Request, rules []api.GroupRule) (string, error) {
	if len(rules) == 0 {
		return "", nil
	}
	named, err := keys(q)
	var lines []string
	for _, r := range rules {
		line := r.Group + " = "
		if r.WorkspaceID != "" {
			key, ok := named[r.WorkspaceID]
			if !ok { // the workspace is deleted
				continue
			}
			line += key + " "
		}
		lines = append(lines, line+string(r.Role))
	}
	return strings.Join(lines, "\n"), err
}

// parse returns the rules of lines. fault says what is wrong with the first line that is no rule.
func parse(text string, named map[string]string) (rules []api.GroupRule, fault string) {
	ids := map[string]string{}
	for id, key := range named {
		ids[key] = id
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		at := strings.LastIndex(line, "=")
		if at < 0 {
			return rules, "line " + strconv.Itoa(n) + " has no = between a group and a role"
		}
		words := strings.Fields(line[at+1:])
		r := api.GroupRule{Group: strings.TrimSpace(line[:at])}
		switch {
		case r.Group == "":
			return rules, "line " + strconv.Itoa(n) + " names no group"
		case len(words) == 1 && words[0] == string(api.RoleAdmin):
			r.Role = api.RoleAdmin
		case len(words) == 2 && slices.Contains([]string{"admin", "member"}, words[1]):
			r.Role, r.WorkspaceID = api.Role(words[1]), ids[strings.ToUpper(words[0])]
			if r.WorkspaceID == "" {
				return rules, "line " + strconv.Itoa(n) + ": there is no workspace with the key " + words[0]
			}
		default:
			return rules, "line " + strconv.Itoa(n) + " gives neither admin, nor admin or member of a workspace"
		}
		rules = append(rules, r)
	}
	return rules, ""
}

func bind(posted url.Values) form {
	return form{Name: posted.Get("name"), Issuer: posted.Get("issuer"), ClientID: posted.Get("clientId"),
		GroupsClaim: posted.Get("groupsClaim"),
		Domains:     posted.Get("domains"), Rules: posted.Get("rules"),
		PasswordsOff: posted.Get("passwordsOff") == "true",
		Version:      posted.Get("version")}
}

// Save stores the settings.
func Save(q *page.Request) (page.Result, error) {
	f := bind(q.PostForm)
	named, err := keys(q)
	if err != nil {
		return page.Result{}, err
	}
	rules, fault := parse(f.Rules, named)
	if fault == "" {
		in := api.UpdateProvider{IfMatch: f.Version, Body: api.ProviderFields{Name: f.Name, Issuer: f.Issuer,
			ClientID:     f.ClientID,
			ClientSecret: q.PostForm.Get("clientSecret"), Domains: strings.Fields(f.Domains),
			GroupsClaim: f.GroupsClaim, Rules: rules,
			PasswordsOff: f.PasswordsOff}}
		_, err = page.Call(q, q.Tracker.UpdateProvider, in)
		if err == nil {
			return page.Redirect("/settings/sign-in", "provider-saved")
		}
	}
	faults, invalid := page.FaultsOf(err)
	if fault != "" {
		faults, invalid = page.Faults{"rules": {Code: "invalid", Detail: fault}}, true
	}
	stale := page.HasCode(err, api.CodePrecondition)
	if !invalid && !stale {
		return page.Result{}, err
	}
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	f.Version, d.Form, d.Faults = d.Form.Version, f, faults
	if stale {
		d.Code = api.CodePrecondition
	}
	return page.Invalid(view, d)
}

// Check shows what the provider's document says.
func Check(q *page.Request) (page.Result, error) {
	report, err := page.Call(q, q.Tracker.CheckProvider, api.CheckProvider{})
	if err != nil {
		return page.Result{}, err
	}
	d, err := load(q)
	d.Report = &report
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, d)
}

// Remove removes the provider.
func Remove(q *page.Request) (page.Result, error) {
	if _, err := page.Call(q, q.Tracker.RemoveProvider, api.RemoveProvider{}); err != nil {
		return page.Result{}, err
	}
	return page.Redirect("/settings/sign-in", "provider-removed")
}

// TryPath leads to the provider and back, to link the account of the reader.
func (d data) TryPath() string {
	return tracker.ProviderPath + d.OrgID + "?" + url.Values{"for": {tracker.ToLink},
		"next": {"/settings/sign-in"}}.Encode()
}
