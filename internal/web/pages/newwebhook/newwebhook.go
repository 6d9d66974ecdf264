// Package newwebhook is the form of a webhook, and the page that shows the secret of a new one once.
package newwebhook

import (
	"embed"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"bugslice/api"
	"bugslice/internal/chat"
	"bugslice/internal/input"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("newwebhook", folder)

type data struct {
	Action string // of the form
	Back   string
	Edited bool // whether the form changes a webhook
	Form   url.Values
	page.FormState
	Groups []page.EventGroup

	Formats  page.Options
	NoFormat string     // the choice of no format; empty for none
	Views    []api.View // whose searches are offered

	Version string       // of what the form of a webhook was made from
	Changed *api.Webhook // as somebody else has saved it since the form was shown

	Created *api.WebhookSecret // shown in place of the form
	Snippet []page.Snippet
}

// Show shows the form of a new webhook to admins of the workspace.
func Show(q *page.Request) (page.Result, error) {
	if q.Workspace.Role != api.RoleAdmin {
		return page.Result{}, api.NewProblem(api.CodeForbidden, "Only admins of the workspace create webhooks.")
	}
	form := q.URL.Query()
	if !form.Has("eventTypes") {
		form.Set("eventTypes", string(api.AllEvents))
	}
	return page.Show(view, newData(q, form))
}

// newData returns what the form of a new webhook shows.
func newData(q *page.Request, form url.Values) data {
	d := data{Action: "/settings/webhooks?workspace=" + q.Workspace.Key, Back: "/settings/webhooks?workspace=" +
		q.Workspace.Key,
		Form: form, Groups: page.EventGroups(), FormState: page.NewFormState(form),
		Formats: formats, NoFormat: "Detect from the address", Views: q.Views}
	return d
}

// formats are the ways in which a webhook writes events.
var formats = page.Options{All: []page.Option{{Value: "standard", Text: "Signed JSON, for programs"},
	{Value: "slack", Text: "Slack"}, {Value: "discord", Text: "Discord"}, {Value: "mattermost", Text: "Mattermost"},
	{Value: "teams", Text: "Microsoft Teams (Workflows)"}}}

// Create creates a webhook and shows its secret.
func Create(q *page.Request) (page.Result, error) {
	form := maps.Clone(q.PostForm)
	if form.Get("workspaceId") == "" {
		form.Set("workspaceId", q.Workspace.ID)
	}
	form.Set("enabled", "true")
	selectEvents(form)
	if form.Get("format") == "" {
		form.Set("format", string(chat.Recognise(form.Get("url"))))
	}
	v, err := page.Bind[api.CreateWebhook](q, form)
	if err == nil {
		err = requireEvents(q.PostForm)
	}
	var w api.WebhookSecret
	if err == nil {
		w, err = q.Tracker.CreateWebhook(q.Context(), q.Session.Caller, v)
	}
	if err == nil {
		return page.Show(view, data{Created: &w, Snippet: page.Snippets(), FormState: page.NewFormState(nil)})
	}
	return refuse(newData(q, q.PostForm), err)
}

// selectEvents leaves nothing beside the choice of every event, which includes the others.
func selectEvents(form url.Values) {
	if slices.Contains(form["eventTypes"], string(api.AllEvents)) {
		form["eventTypes"] = []string{string(api.AllEvents)}
	}
}

// requireEvents refuses our form without an event. The API would send every event then.
func requireEvents(form url.Values) error {
	if form.Has("choice") && len(form["eventTypes"]) == 0 {
		return api.InvalidMember("/eventTypes", "too_few", "choose at least one event")
	}
	return nil
}

// refuse shows the form with the faults that an error names.
func refuse(d data, err error) (page.Result, error) {
	state, status, err := page.Refuse(d.Form, err, api.CodeReplaySecret, api.CodeTooManyWebhooks)
	if err != nil {
		return page.Result{}, err
	}
	d.FormState = state
	return page.Refused(view, d, status)
}

// Edit shows the form of a webhook.
func Edit(q *page.Request) (page.Result, error) {
	w, err := get(q)
	if err != nil {
		return page.Result{}, err
	}
	return page.Show(view, editData(q, w))
}

// get reads the webhook of the path.
func get(q *page.Request) (api.Webhook, error) {
	v, err := page.Bind[api.GetWebhook](q, nil)
	if err != nil {
		return api.Webhook{}, err
	}
	w, err := q.Tracker.WebhookRow(q.Context(), q.Session.Caller, v)
	return w.Webhook, err
}

// editData returns what the form of a webhook shows.
func editData(q *page.Request, w api.Webhook) data {
	d := data{Action: "/settings/webhooks/" + w.ID, Back: "/settings/webhooks/" + w.ID, Edited: true,
		Groups:  page.EventGroups(),
		Version: page.WebhookVersion(w), Formats: formats, Views: q.Views}
	d.Form = url.Values{"url": {w.URL}, "format": {string(w.Format)}}
	if w.Query != nil {
		d.Form.Set("query", *w.Query)
	}
	if w.Description != nil {
		d.Form.Set("description", *w.Description)
	}
	for _, e := range w.EventTypes {
		d.Form.Add("eventTypes", string(e))
	}
	return d
}

// Update changes the webhook. A field that the form does not have is not changed. It refuses to replace what somebody
// else has changed since the form was shown.
func Update(q *page.Request) (page.Result, error) {
	form := maps.Clone(q.PostForm)
	selectEvents(form)
	stored, err := page.ChangeWebhook(q, func(etag string) error { return update(q, form, etag) })
	d := editData(q, stored)
	d.Form = form
	switch {
	case err == nil:
		return page.Redirect("/settings/webhooks/"+stored.ID, "webhook-saved")
	case page.HasCode(err, api.CodePrecondition):
		d.Changed = &stored
		return page.Refused(view, d, http.StatusPreconditionFailed)
	}
	return refuse(d, err)
}

// update changes the webhook when it has the ETag.
func update(q *page.Request, form url.Values, etag string) error {
	patch := api.WebhookPatch{}
	if form.Has("url") {
		patch["url"] = form.Get("url")
	}
	for _, member := range []string{"description", "query"} {
		if form.Has(member) {
			patch[member] = nil
			if text := form.Get(member); text != "" {
				patch[member] = text
			}
		}
	}
	if format := form.Get("format"); format != "" {
		patch["format"] = format
	}
	if types := form["eventTypes"]; len(types) > 0 {
		patch["eventTypes"] = anyOf(types)
	}
	v, err := input.Check(api.UpdateWebhook{WebhookID: q.PathValue("webhookId"), IfMatch: etag, Patch: patch})
	if err == nil {
		err = requireEvents(form)
	}
	if err == nil {
		_, err = q.Tracker.UpdateWebhook(q.Context(), q.Session.Caller, v)
	}
	return err
}

func anyOf(texts []string) (all []any) {
	for _, t := range texts {
		all = append(all, t)
	}
	return all
}
