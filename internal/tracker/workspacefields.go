package tracker

import (
	"fmt"
	"maps"
	"slices"

	"bugslice/api"
)

// completeTemplates sets the defaults of omitted members.
func completeTemplates(all *[]api.ReportTemplate) {
	if *all == nil {
		*all = []api.ReportTemplate{}
	}
	for i := range *all {
		t := &(*all)[i]
		if t.Labels == nil {
			t.Labels = []string{}
		}
		if t.Required == nil {
			t.Required = []api.RequiredMember{}
		}
	}
}

// checkTemplates refuses two templates of one name.
func checkTemplates(all []api.ReportTemplate) error {
	known := map[string]bool{}
	for i, t := range all {
		if known[t.Name] {
			return api.InvalidMember(fmt.Sprintf("/reportTemplates/%d/name", i), "not_unique",
				"another template has this name")
		}
		known[t.Name] = true
	}
	return nil
}

// completeContent sets the default of an omitted or removed member.
func completeContent(c *api.MailContent) {
	if *c == "" {
		*c = api.FullContent
	}
}

// maxColors is how many labels of a workspace may have a chosen color.
const maxColors = 100

// completeColors sets the default of an omitted member, and names the labels as slices have them.
func completeColors(all *map[string]api.LabelColor) {
	named := map[string]api.LabelColor{}
	for _, label := range slices.Sorted(maps.Keys(*all)) {
		if name := normalLabel(label); name != "" {
			named[name] = (*all)[label]
		}
	}
	*all = named
}

// withNamedColors returns a patch whose colors are of labels as slices have them, so that it also takes the color of
// such a label away.
func withNamedColors(patch api.WorkspacePatch) api.WorkspacePatch {
	colors, ok := patch["labelColors"].(map[string]any)
	if !ok {
		return patch
	}
	named := map[string]any{}
	for _, label := range slices.Sorted(maps.Keys(colors)) {
		if name := normalLabel(label); name != "" {
			named[name] = colors[label]
		}
	}
	patch = maps.Clone(patch)
	patch["labelColors"] = named
	return patch
}

// checkColors refuses more than maxColors colors. The validation of a patch counts those of the patch alone.
func checkColors(all map[string]api.LabelColor) error {
	if len(all) > maxColors {
		return api.InvalidMember("/labelColors", "too_many", "more than 100 labels would have a color")
	}
	return nil
}

// checkFormMembers refuses templates and colors of labels that are not valid together.
func checkFormMembers(w api.WorkspaceFields) error {
	if err := checkTemplates(w.ReportTemplates); err != nil {
		return err
	}
	return checkColors(w.LabelColors)
}
