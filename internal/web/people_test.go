package web

import (
	"archive/zip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/internal/browsertest"
	"bugslice/internal/tracker"
)

// invite returns the path of an invitation to WEB that the owner creates.
func (w *world) invite(t testing.TB, email string) string {
	t.Helper()
	a := w.signedIn(t, owner).post("/settings/people", "email", email, "role", "member", "workspaceRole", "member",
		"workspaceIds", w.web)
	return linkIn(t, a.wants(200, email).body)
}

// linkPeople adds an invitation, and a link with which the newcomer sets another password.
func (w *world) linkPeople(t testing.TB, r *records) {
	t.Helper()
	r.person, r.self = w.users[member], w.users[owner]
	r.invitation = w.invite(t, "invited@northwind.example")
	text, err := w.operator.NewResetLink(t.Context(), w.users[newcomer])
	must(t, err)
	r.reset = "/reset/" + text
}

// linkIn returns the path of the link that a page shows once.
func linkIn(t testing.TB, body string) string {
	t.Helper()
	found := regexp.MustCompile(`/(?:invitations|reset)/[A-Z0-9]+`).FindString(body)
	if found == "" {
		t.Fatalf("no link in %s", body)
	}
	return found
}

// TestInvitationPages: the form shows its link once, and its faults; whoever has the link chooses a name and a
// password and is signed in. It is listed until then, and can be revoked.
func TestInvitationPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/settings/people/new").wants(200, "Web shop", "Mobile app", `name="workspaceIds"`)
	b.post("/settings/people", "email", "x", "workspaceIds", w.web).
		wants(422, "this is not an e-mail address", `value="x"`)
	b.post("/settings/people", "email", member, "workspaceIds", w.web).wants(422, "somebody with this address")
	form := []string{"once", "1", "email", "ada@northwind.example", "workspaceIds", w.web}
	link := linkIn(t, b.post("/settings/people", form...).wants(200, "You will not see it again"[4:]).body)
	b.post("/settings/people", form...).wants(409, "The invitation exists")
	list := b.get("/settings/people").wants(200, "ada@northwind.example", "Invited by <bdi>Mara Lindqvist</bdi>")
	if strings.Contains(list.body, link) {
		t.Error("the link is shown again")
	}
	guest := w.signedIn(t, member)
	former := guest.cookie()
	signedIn := guest.get(link).wants(200, "Join <bdi>Northwind</bdi>",
		"You are signed in as <bdi>Jonas Weber</bdi>", member,
		"The invitation is for <bdi>ada@northwind.example</bdi>", "Sign out and go on")
	refused := guest.post(link, "name", "Ada Ling", "password", password).wants(409, "You are signed in as")
	if strings.Contains(signedIn.body+refused.body, "new-password") {
		t.Error("the form is shown to somebody who is signed in")
	}
	guest.get("/my").wants(200) // still signed in, and the invitation is not used
	if out := guest.post("/logout", "next", hidden(t, signedIn.body,
		"next")).wants(303).header.Get("Location"); out != link {
		t.Errorf("signing out leads to %s, want %s", out, link)
	}
	guest.get(link).wants(200, "Join <bdi>Northwind</bdi>", "Web shop", `name="name"`, `name="password"`)
	guest.post(link, "name", "", "password", "short").wants(422)
	guest.post(link, "name", "Ada Ling", "password", password).leadsTo("/")
	guest.get("/settings/profile").wants(200, "Ada Ling", "ada@northwind.example")
	stolen := w.browser(t)
	stolen.setCookie(former)
	stolen.get("/my").wants(303)
	w.browser(t).get(link).wants(404)
	second := w.invite(t, "bo@northwind.example")
	id := regexp.MustCompile(`/settings/people/invitations/inv_\w+/revoke`).FindString(b.get("/settings/people").body)
	w.signedIn(t, member).post(id).wants(404)
	b.post(id).leadsTo("/settings/people")
	w.browser(t).get(second).wants(404, "This link does not work", "Ask the person who sent it to you for a new one.")
	w.signedIn(t, member).get("/settings/people/new").wants(403)
	if list := w.signedIn(t, newcomer).get("/settings/people").
		wants(200, "Jonas Weber"); strings.Contains(list.body, member) ||
		strings.Contains(list.body, "/settings/people/new") {
		t.Error("a member sees addresses, or may invite")
	}
}

// TestPersonPages: roles, disabling, the link to reset a password, leaving and removing, each by its form.
func TestPersonPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/people/"+w.users[member]
	b.get(of).wants(200, "Jonas Weber", member, "Web shop", "Mobile app", "Create reset link")
	b.post(of+"/members", "workspaceId", w.web, "role", "admin").leadsTo(of)
	b.get(of).wants(200, "The role is changed.", "Make member",
		"Reports assigned to this person there become unassigned.")
	b.post(of+"/role", "role", "admin").leadsTo(of)
	w.signedIn(t, member).get("/settings/people/new").wants(200)
	link := linkIn(t, b.post(of+"/reset").wants(200, "It works once").body)
	b.post(of + "/disable").leadsTo(of)
	w.signedIn(t, member).get("/my").wants(303)
	b.post(of+"/reset").wants(409, "This person is disabled")
	b.get(of).wants(200, "Disabled", "Enable")
	b.post(of + "/enable").leadsTo(of)
	guest := w.browser(t)
	guest.get(link).wants(200, member)
	guest.post(link, "password", "short").wants(422)
	guest.post(link, "password", "another password").leadsTo("/")
	guest.get("/my").wants(200)
	guest.get(link).wants(404)
	self := "/settings/people/" + w.users[owner]
	b.post(self+"/remove").wants(409, "The last owner of an organisation stays")
	b.post(self+"/members", "workspaceId", w.web, "role", "nobody").wants(422)
	guest.post(of+"/members/remove", "workspaceId", w.web).leadsTo(of)
	guest.post(of + "/remove").leadsTo("/login")
	guest.get("/my").leadsTo("/login?next=%2Fmy")
	n := "/settings/people/" + w.users[newcomer]
	w.signedIn(t, stranger).get(n).wants(404)
	b.get(n+"/erase").wants(200, "Erase <bdi>Noor Haddad</bdi>", "Type “Noor Haddad” to confirm")
	b.post(n+"/erase", "name", "Noor").wants(422, "this is not the name of the person")
	w.clock.add(16 * time.Minute)
	b.post(n+"/erase", "name", "Noor Haddad").wants(403, "Enter your password")
	b.post(n+"/erase", "name", "Noor Haddad", "password", password).leadsTo("/settings/people")
	if list := b.get("/settings/people"); strings.Contains(list.content(), "Noor") {
		t.Errorf("an erased person is listed: %s", list.content())
	}
	b.get(n).wants(404)
}

// TestBrowserPeople: an admin invites somebody in another browser, gives a role and takes it away, which the next
// request feels, and erases the person.
func TestBrowserPeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	b.Open("/settings/people")
	b.Click("Invite person")
	b.Wait(`document.querySelector("[data-page=invite] #email")`)
	b.ClickOn("#email")
	b.Press("ada@northwind.example")
	b.holds(`document.querySelectorAll("[name=workspaceIds]").forEach((e) => { e.checked = e.value == "` + w.web +
		`"; }), true`)
	b.Click("Create invitation")
	b.Wait(`document.getElementById("link")`)
	link, err := url.Parse(b.text(`document.getElementById("link").textContent`))
	must(t, err)

	guest := tab{browsertest.Open(t, w.url), w}
	guest.Size(390, 844)
	guest.Open(link.Path)
	guest.ClickOn("#name")
	guest.Press("Ada Ling")
	guest.ClickOn("#password")
	guest.Press(password)
	guest.Click("Create account")
	guest.Wait(`document.querySelector("[data-page=my]")`)
	guest.Open("/WEB-161")
	guest.Wait(`document.querySelector("[data-page=report]")`)
	guest.Open("/settings/people/new")
	guest.Wait(`document.querySelector("[data-page=problem]")`)

	b.Open("/settings/people")
	b.Click("Ada Ling")
	b.Wait(`document.querySelector("[data-page=person]")`)
	b.ClickOn("[aria-label^='Make admin']")
	b.noticed("The role is changed.")
	guest.Open("/settings/people/new")
	guest.Wait(`document.querySelector("[data-page=invite]")`)
	b.ClickOn("[aria-label^='Make member']")
	b.Wait(`document.querySelector("[data-page=person]").textContent.includes("Make admin")`)
	guest.Open("/settings/people/new")
	guest.Wait(`document.querySelector("[data-page=problem]")`)
	b.ClickOn("[aria-label='Remove from Web shop']")
	b.ClickOn("dialog[open] .button-danger-solid")
	b.Wait(`document.querySelector("[data-page=person]").textContent.includes("Not a member of any workspace")`)
	guest.Open("/WEB-161")
	guest.Wait(`document.querySelector("[data-page=problem]")`)

	b.Click("Erase")
	b.Wait(`document.querySelector("[data-page=erasure] #name")`)
	b.ClickOn("#name")
	b.Press("Ada Ling")
	b.Click("Erase person")
	b.noticed("The person is erased.")
	if text := b.text(`document.querySelector("main").textContent`); strings.Contains(text, "Ada") {
		t.Errorf("the list names an erased person: %s", text)
	}
	guest.Open("/my")
	guest.Wait(`document.querySelector("[data-page=login]")`)
	b.Quiet()
}

// TestWorkspacePages: name, key, time zone and spaces are changed by their forms, the export is a zip file, and a
// workspace is deleted 30 days after its name was typed, unless that is cancelled.
func TestWorkspacePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/settings/workspace").leadsTo("/settings/workspace?workspace=APP")
	const of = "/settings/workspace?workspace=WEB"
	b.get(of).wants(200, "Web shop", "No spaces.", "No report has a label.", "Export workspace", "Delete workspace")
	if read := w.signedIn(t, member).get(of).wants(200, "Web shop"); strings.Contains(read.body, "Delete workspace") {
		t.Error("a member may delete the workspace")
	}
	b.post(of, "name", "", "key", "x").wants(422)
	b.post(of, "name", "Web shop", "key", "APP").wants(422, "another workspace of the organisation has this key")
	b.post(of, "name", "Shop", "key", "SHOP", "timeZone", "Mars/Olympus").wants(422,
		"there is no time zone of this name", `value="Mars/Olympus"`)
	b.post(of, "name", "Shop", "key", "SHOP", "timeZone", "Asia/Tokyo").leadsTo("/settings/workspace?workspace=SHOP")
	b.get("/overview?workspace=SHOP").wants(200, "Days are those of Asia/Tokyo, the time zone of the workspace.")
	w.signedIn(t, member).get("/settings/workspace?workspace=SHOP").wants(200, "<dd>Asia/Tokyo</dd>")
	b.post("/settings/workspace/spaces?workspace=SHOP", "name", "").wants(422)
	b.post("/settings/workspace/spaces?workspace=SHOP", "name", "Checkout").wants(303)
	id := regexp.MustCompile(`/settings/workspace/spaces/spc_\w+`).
		FindString(b.get("/settings/workspace?workspace=SHOP").wants(200,
			"The space is saved.", "The reports of <bdi><strong>Checkout</strong></bdi> stay, without a space.").body)
	b.post(id+"?workspace=SHOP", "name", "Cart").wants(303)
	b.get("/settings/workspace?workspace=SHOP").wants(200, `value="Cart"`)
	b.post(id + "/delete?workspace=SHOP").wants(303)
	archive := b.post("/settings/workspace/export?workspace=SHOP").wants(200)
	z, err := zip.NewReader(strings.NewReader(archive.body), int64(len(archive.body)))
	must(t, err)
	if archive.header.Get("Content-Type") != "application/zip" || len(z.File) < 5 {
		t.Errorf("%v %d files", archive.header, len(z.File))
	}
	b.post("/settings/workspace/new", "name", "").wants(422)
	b.post("/settings/workspace/new", "name", "Third", "key", "WEB").wants(422, "another workspace")
	b.post("/settings/workspace/new", "name", "Third", "key", "TRD", "timeZone", "Asia").
		wants(422, "there is no time zone of this name")
	b.post("/settings/workspace/new", "name", "Third", "key", "TRD", "timeZone", "Europe/Oslo").
		leadsTo("/settings/workspace?workspace=TRD")
	b.get("/settings/workspace?workspace=TRD").wants(200, `value="Europe/Oslo"`)

	const deletion = "/settings/workspace/delete?workspace=SHOP"
	b.post(deletion, "name", "Web shop").wants(422, "this is not the name of the workspace")
	b.post(deletion, "name", "Shop").leadsTo("/settings/workspace?workspace=SHOP")
	b.get("/settings/workspace?workspace=SHOP").wants(200, "This workspace will be deleted on", "Keep workspace")
	b.post("/settings/workspace/keep?workspace=SHOP").leadsTo("/settings/workspace?workspace=SHOP")
	b.post(deletion, "name", "Shop").leadsTo("/settings/workspace?workspace=SHOP")
	w.RunJobs(t.Context())
	b.get("/WEB-161").wants(303)
	w.clock.add(30*24*time.Hour + time.Hour)
	w.RunJobs(t.Context())
	b = w.signedIn(t, owner)
	b.get("/settings/workspace?workspace=SHOP").wants(404)
	b.get("/SHOP-161").wants(404)
	b.get("/settings/workspace?workspace=APP").wants(200)
}
