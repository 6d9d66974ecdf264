package tracker

import (
	"fmt"

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
