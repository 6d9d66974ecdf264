package web

import "testing"

// TestFormerWorkspaceKey: addresses and searches with a former key of a workspace lead to it, and a form that was
// opened before the key changed is not lost. A key of another organisation, or of a workspace of others, is that of
// no workspace.
func TestFormerWorkspaceKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	version := hiddenVersion(t, b.get(of).body)
	b.post(of, "version", version, "name", "Web shop", "key", "SHOP", "timeZone", "UTC").
		leadsTo("/settings/workspace?workspace=SHOP")
	b.post(of, "version", version, "name", "Mine", "key", "WEB", "timeZone",
		"UTC").wants(412, "Somebody else has changed these settings", `value="Mine"`)

	for path, to := range map[string]string{
		"/reports?workspace=WEB&q=status%3Aopen": "/reports?q=status%3Aopen&workspace=SHOP",
		"/board?workspace=web":                   "/board?workspace=SHOP",
		"/overview?period=7&workspace=WEB":       "/overview?period=7&workspace=SHOP",
		"/new?workspace=WEB":                     "/new?workspace=SHOP",
		"/settings/webhooks?workspace=WEB":       "/settings/webhooks?workspace=SHOP",
	} {
		b.get(path).leadsTo(to)
		b.get(to).wants(200)
	}
	b.get("/reports?q=workspace:WEB").wants(200)
	b.get("/reports?q=workspace:NONE").wants(422)

	app := "/settings/workspace?workspace=APP"
	b.post(app, "version", hiddenVersion(t, b.get(app).body), "name", "Mobile app", "key", "APPS", "timeZone", "UTC").
		leadsTo("/settings/workspace?workspace=APPS")
	m := w.signedIn(t, member)
	for _, path := range []string{"/reports?workspace=APP", "/reports?workspace=APPS",
		"/reports?workspace=%00", "/reports?workspace=WEB-1", "/reports?workspace=%FF"} {
		m.get(path).wants(404)
	}
	m.get("/reports?q=workspace:APP").wants(422)
}
