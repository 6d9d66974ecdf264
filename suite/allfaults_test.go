package suite

import (
	"slices"
	"testing"

	"bugslice/internal/assert"
)

// TestEveryFaultAtOnce: a creation, a change and an item of a batch are refused with the faults of their members and
// those that only the database finds, in one answer. A caller who does not see the slice learns nothing of these.
func TestEveryFaultAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, s *server) {
		o, stranger := newOrg(t, s, "faults"), newOrg(t, s, "stranger")
		id := o.slice(t, o.Workspace, nil)["id"].(string)
		bad := map[string]any{"fixedIn": "1", "assigneeId": "Mara", "spaceId": "spc_01ja8m2c9tf3qb6h0v5r4x7kyz",
			"duplicateOfId": "slc_01ja8m2c9tf3qb6h0v5r4x7kyz"}
		all := []string{"/assigneeId", "/duplicateOfId", "/fixedIn", "/spaceId"}
		pointers := func(faults any) (found []string) {
			for _, f := range faults.([]any) {
				found = append(found, f.(map[string]any)["pointer"].(string))
			}
			slices.Sort(found)
			return found
		}
		path := "/v1/slices/" + id
		assert.Equal(t, "the faults of a change", pointers(o.want(t, 422, "PATCH", path, bad).get(t, "errors")), all)
		delete(bad, "fixedIn")
		assert.Equal(t, "the faults of references", pointers(o.want(t, 422, "PATCH", path, bad).get(t, "errors")),
			slices.Delete(slices.Clone(all), 2, 3))
		bad["fixedIn"] = "1"
		batch := o.want(t, 200, "POST", "/v1/slices/batch-update",
			map[string]any{"items": []any{map[string]any{"id": id, "patch": bad}}}).get(t, "results").([]any)
		problem := batch[0].(map[string]any)["problem"].(map[string]any)
		assert.Equal(t, "the faults of an item", pointers(problem["errors"]), all)
		assert.Equal(t, "the faults that a stranger sees",
			pointers(stranger.want(t, 422, "PATCH", path, bad).get(t, "errors")), []string{"/fixedIn"})
		bad["workspaceId"], bad["summary"] = o.Workspace, ""
		assert.Equal(t, "the faults of a creation", pointers(o.want(t, 422, "POST", "/v1/slices", bad).get(t, "errors")),
			append(slices.Clone(all), "/summary"))
		assert.Equal(t, "the faults of a creation elsewhere",
			pointers(stranger.want(t, 422, "POST", "/v1/slices", bad).get(t, "errors")), []string{"/fixedIn", "/summary"})
	})
}
