package tracker_test

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"bugslice/api"
)

// inMarkdown are texts by which the Markdown of a report shows its members, but for other texts, which it shows as
// they are.
var inMarkdown = map[string]string{
	"spaceId": "Checkout space", "summary": "Marked summary", "status": "resolved", "resolution": "duplicate",
	"priority": "urgent", "severity": "blocker", "labels": "marked-label", "assigneeId": "Olga",
	"sourceUrl":   "https://marked.example/page",
	"environment": "Marked browser", "metadata": "marked-value", "duplicateOfId": "{original}",
}

// TestEveryFieldIsInMarkdown: the Markdown of a report shows each member of a slice that clients write.
func TestEveryFieldIsInMarkdown(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		original := w.file(t, "original", "")
		space, err := w.CreateSpace(ctx, w.owner, valid(api.CreateSpace{WorkspaceID: original.WorkspaceID,
			Body: api.SpaceFields{Name: "Checkout space"}}))
		must(t, err)
		status, resolution, priority, severity := api.Resolved, api.Duplicate, api.Priority("urgent"),
			api.Severity("blocker")
		p := func(s string) *string { return &s }
		fields := api.SliceFields{
			SpaceID: &space.ID, Summary: inMarkdown["summary"], Status: status, Resolution: &resolution,
			Priority: &priority, Severity: &severity, Labels: []string{inMarkdown["labels"]}, AssigneeID: &w.owner.ID,
			SourceURL: p(inMarkdown["sourceUrl"]), Environment: api.Environment{Browser: p(inMarkdown["environment"])},
			Metadata: map[string]string{"name": inMarkdown["metadata"]}, DuplicateOfID: &original.ID}
		shownAs := maps.Clone(inMarkdown)
		for f, v := range reflect.ValueOf(&fields).Elem().Fields() {
			if v.Type() == reflect.TypeFor[*string]() && v.IsNil() {
				name := f.Tag.Get("json")
				shownAs[name] = "marked-" + name
				v.Set(reflect.ValueOf(p(shownAs[name])))
			}
		}
		s, err := w.CreateSlice(ctx, w.owner,
			valid(api.CreateSlice{Body: api.NewSlice{WorkspaceID: &original.WorkspaceID,
				SliceFields: fields}}))
		must(t, err)
		text, err := w.Markdown(ctx, w.owner, valid(api.GetSlice{SliceID: s.ID, MaxTokens: 4000}))
		must(t, err)
		for f := range reflect.TypeFor[api.SliceFields]().Fields() {
			name := f.Tag.Get("json")
			shown := strings.NewReplacer("{original}", original.Reference, "Olga", w.owner.Name).Replace(shownAs[name])
			if shown == "" || !strings.Contains(text, shown) {
				t.Errorf("%s: the Markdown does not show %q; a new member needs a text in inMarkdown:\n%s", name, shown,
					text)
			}
		}
	})
}
