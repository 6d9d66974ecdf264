package web

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"bugslice/internal/operator"
)

// TestRefusedNamesOfSpaces: a name that is refused stays in its field, with the fault below it.
func TestRefusedNamesOfSpaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	b.post("/settings/workspace/spaces?workspace=WEB", "name", "Checkout").leadsTo(of + "#spaces")
	space := regexp.MustCompile(`action="(/settings/workspace/spaces/spc_[^"]+)"`).FindStringSubmatch(b.get(of).body)[1]
	long := strings.Repeat("y", 101)
	a := b.post(space, "name", long).wants(422, `value="`+long+`"`, "at most 100 characters")
	if strings.Index(a.body, "at most 100 characters") > strings.Index(a.body, "New space") {
		t.Errorf("the fault is at another field:\n%s", a.body)
	}
	a = b.post("/settings/workspace/spaces?workspace=WEB", "name", long).
		wants(422, `value="`+long+`"`, `value="Checkout"`)
	if strings.Index(a.body, "at most 100 characters") < strings.Index(a.body, "New space") {
		t.Errorf("the fault is at another field:\n%s", a.body)
	}
	b.post(of, "version", hiddenVersion(t, b.get(of).body), "name", "Web shop", "key", "web").
		wants(422, "capital letters and digits")
}

// TestFindPeople: people are found by the words of their names, and by their e-mail addresses by those who see these.
func TestFindPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	for i := range 60 {
		_, err := w.operator.In(w.org).AddUser(t.Context(), operator.NewUser{Email: fmt.Sprintf("p%d@many.example", i),
			Name: fmt.Sprintf("Person Number%d", i), Workspaces: []string{w.web}})
		must(t, err)
	}
	b, m := w.signedIn(t, owner), w.signedIn(t, member)
	b.get("/settings/people").wants(200, "Find people", "More people", "Person Number0")
	b.get("/settings/people?q=number59").wants(200, "Person Number59", `value="number59"`)
	for path, n := range map[string]int{"?q=number59": 1, "?q=p59": 1, "?q=person": 50, "?q=zzzz": 0, "?q=%2B": 0} {
		if got := strings.Count(b.get("/settings/people"+path).wants(200).body, `class="row-link"`); got != n {
			t.Errorf("%s finds %d people, not %d", path, got, n)
		}
	}
	b.get("/settings/people?q=zzzz").wants(200, "Nobody is found")
	next := regexp.MustCompile(`href="(\?after=[^"]+)">More people`).
		FindStringSubmatch(b.get("/settings/people?q=person").body)[1]
	b.get("/settings/people"+html.UnescapeString(next)).wants(200, "Person Number59")
	m.get("/settings/people?q=p59").wants(200, "Nobody is found")
	m.get("/settings/people?q=number59").wants(200, "Person Number59")
}

// TestWorkspaceOfNewKey: the form of a key is not lost when its workspace is no longer one of the user.
func TestWorkspaceOfNewKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	w.signedIn(t, owner).post("/settings/keys", "name", "CI of the shop",
		"type", "wst", "workspaceId", "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz", "scopes", "slices:read").
		wants(422, `value="CI of the shop"`, "no longer a member of this workspace")
}

// TestRulesOfTwoAdmins: redaction rules that somebody else has saved since the page was opened are not replaced, and
// are shown beside those that were entered.
func TestRulesOfTwoAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/redaction?workspace=WEB"
	former := hiddenVersion(t, b.get(of).body)
	b.post(of, "version", former, "fields", "theirs", "pattern", "CUST-[0-9]{6}").leadsTo(of)
	refused := b.post(of, "version", former, "fields", "mine").
		wants(412, "Somebody else has changed the rules", "<code>theirs</code>", "<code>CUST-[0-9]{6}</code>",
			"mine</textarea>")
	b.post(of, "version", hiddenVersion(t, refused.body), "fields", "mine").leadsTo(of)
}
