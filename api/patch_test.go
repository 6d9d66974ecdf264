package api_test

import (
	"encoding/json"
	"testing"

	"bugslice/api"
)

// TestPatch: a member of a patch is set, null or absent, and a method leaves the patch on which it is called as it is.
func TestPatch(t *testing.T) {
	var none api.SlicePatch
	opened := none.Status(api.Open)
	moved := opened.AssigneeID(nil).SpaceID(new("spc_1")).Labels([]string{"ui"}).
		Environment(api.EnvironmentPatch{}.Browser(new("Firefox")).OS(nil)).
		Metadata(map[string]*string{"build": nil, "job": new("7")})
	for _, tt := range []struct {
		patch api.SlicePatch
		want  string
	}{
		{none, `null`},
		{opened, `{"status":"open"}`},
		{moved, `{"assigneeId":null,"environment":{"browser":"Firefox","os":null},"labels":["ui"],` +
			`"metadata":{"build":null,"job":"7"},"spaceId":"spc_1","status":"open"}`},
	} {
		if got, err := json.Marshal(tt.patch); err != nil || string(got) != tt.want {
			t.Errorf("%s, %v, want %s", got, err, tt.want)
		}
	}
}
