package web

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// hiddenVersion returns the version in the form of a page.
func hiddenVersion(t *testing.T, body string) string {
	t.Helper()
	found := regexp.MustCompile(`name="version" value="([^"]+)"`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("no version in %s", body)
	}
	return strings.NewReplacer("&#34;", `"`, "&quot;", `"`).Replace(found[1])
}

// TestFileMetadataOnPages: the form of a share names the files that may have metadata, and those of a workspace that
// keeps it. The setting is that of the form.
func TestFileMetadataOnPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s, err := w.CreateSlice(t.Context(), w.caller(t, owner),
		valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			SliceFields: api.SliceFields{Summary: "A photo"}}}))
	must(t, err)
	b, of, form := w.signedIn(t, owner), "/settings/workspace?workspace=WEB", "/"+s.Reference+"/shares"
	w.attach(t, s.Reference, "clean.png", screenshot(t, 8, 8))
	w.attach(t, s.Reference, "paper.pdf", "%PDF-1.7 a")
	b.get("/"+s.Reference).wants(200, "paper.pdf", "may have hidden metadata")
	if shown := b.get(form).wants(200, "Share "+s.Reference).body; strings.Contains(shown, "hidden metadata") {
		t.Error("a share warns of files that it does not show, or of a clean one")
	}
	b.post(of, "name", "Web shop", "key", "WEB", "timeZone", "UTC", "keepFileMetadata", "on").leadsTo(of)
	b.get(of).wants(200, `value="on" checked`)
	b.post(of, "name", "Web shop", "key", "WEB").leadsTo(of) // a form without the box changes nothing
	b.get(of).wants(200, `value="on" checked`)
	w.attach(t, s.Reference, "kept.png", screenshot(t, 8, 8))
	b.get(form).wants(200, "<bdi>kept.png</bdi> has, or may have, hidden metadata")
	b.post(of, "name", "Web shop", "key", "WEB", "timeZone", "UTC", "keepFileMetadata", "").leadsTo(of)
	if strings.Contains(b.get(of).body, `value="on" checked`) {
		t.Error("the box is still ticked")
	}
}

// TestSettingsOfTwoAdmins: settings of a workspace that somebody else has changed since the page was opened are not
// replaced. The page shows theirs beside what was typed, and saves that when it is asked again.
func TestSettingsOfTwoAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	former := hiddenVersion(t, b.get(of).body)
	b.post(of, "version", former, "name", "Theirs", "key", "WEB", "timeZone", "UTC").leadsTo(of)
	refused := b.post(of, "version", former, "name", "Mine", "key", "WEB", "timeZone", "Asia/Tokyo", "metadataKeys",
		"orderId").
		wants(412, "Somebody else has changed these settings", "<bdi>Theirs</bdi>",
			`value="Mine"`, `value="Asia/Tokyo"`, "orderId</textarea>")
	current := hiddenVersion(t, refused.body)
	b.post("/settings/redaction?workspace=WEB", "fields", "iban", "allow", "").
		leadsTo("/settings/redaction?workspace=WEB") // another page
	b.post(of, "version", current, "name", "Mine", "key", "WEB", "timeZone", "Asia/Tokyo").leadsTo(of)
	b.get(of).wants(200, `value="Mine"`)
}

// TestWebhookOfTwoAdmins: a webhook that somebody else has changed since its form was opened is not replaced. The
// form shows theirs beside what was typed. Failed deliveries and a new secret make no form stale.
func TestWebhookOfTwoAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, hook := w.signedIn(t, owner), w.newWebhook(t, "https://hooks.example.com/in")
	of := "/settings/webhooks/" + hook.ID
	former := hiddenVersion(t, b.get(of+"/edit").body)
	w.receiver.answer(500, "")
	w.deliver(t)
	b.get(of).wants(200, "Failing")
	b.post(of+"/rotate", "once", "1", "gracePeriodSeconds", "0").wants(200)
	b.post(of, "version", former, "choice", "1", "url", "https://hooks.example.com/theirs",
		"description", "Theirs", "eventTypes", "*").leadsTo(of)
	refused := b.post(of, "version", former, "choice", "1", "url", "https://hooks.example.com/mine",
		"description", "Mine", "eventTypes", "slice.created").
		wants(412, "Somebody else has changed this webhook", "<bdi>https://hooks.example.com/theirs</bdi>",
			"<bdi>Theirs</bdi>", "Everything",
			`value="https://hooks.example.com/mine"`, `value="Mine"`, `value="slice.created" checked`)
	b.get(of).wants(200, "https://hooks.example.com/theirs")
	b.post(of, "version", hiddenVersion(t, refused.body), "choice", "1",
		"url", "https://hooks.example.com/mine", "eventTypes", "slice.created").leadsTo(of)
	shown := b.get(of).wants(200, "https://hooks.example.com/mine")
	b.post(of, "version", "", "choice", "1", "url", "https://hooks.example.com/again", "eventTypes", "slice.created").
		leadsTo(of)
	kept := b.post(of+"/delete", "version", hiddenVersion(t, shown.body)).wants(412,
		"It was not deleted.", "https://hooks.example.com/again")
	w.deliver(t)
	b.post(of+"/delete", "version", hiddenVersion(t, kept.body)).leadsTo("/settings/webhooks")
	b.get(of).wants(404)
}

// TestSpacesOfTwoAdmins: a space that somebody else has renamed since the page was opened is neither renamed nor
// deleted, and what was typed stays.
func TestSpacesOfTwoAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	b.post("/settings/workspace/spaces?workspace=WEB", "name", "Checkout").leadsTo(of + "#spaces")
	form := regexp.MustCompile(`action="(/settings/workspace/spaces/spc_\w+)\?workspace=WEB"><input type="hidden" name="version" ` +
		`value="([^"]+)"`)
	shown := form.FindStringSubmatch(b.get(of).body)
	space, former := shown[1], html.UnescapeString(shown[2])
	b.post(space+"?workspace=WEB", "version", former, "name", "Theirs").leadsTo(of + "#spaces")
	b.post(space+"/delete?workspace=WEB", "version", former).wants(412,
		"Somebody else has changed this space", "It was not deleted.", `value="Theirs"`)
	refused := b.post(space+"?workspace=WEB", "version", former, "name", "Mine").
		wants(412, "Somebody else has changed this space", "<bdi>Theirs</bdi> now", `value="Mine"`)
	b.post(space+"?workspace=WEB", "version", html.UnescapeString(form.FindStringSubmatch(refused.body)[2]),
		"name", "Mine").leadsTo(of + "#spaces")
	b.get(of).wants(200, `value="Mine"`)
}

// TestManySpacesAndLabels: each space and each label of a workspace is reached from its page, however many there are,
// and a space of a later part can be renamed there.
func TestManySpacesAndLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, caller := w.signedIn(t, owner), w.caller(t, owner)
	var last api.Space
	for i := range 101 {
		var err error
		last, err = w.CreateSpace(t.Context(), caller, valid(t,
			api.CreateSpace{WorkspaceID: w.web, Body: api.SpaceFields{Name: fmt.Sprintf("Space %03d", i)}}))
		must(t, err)
	}
	for i := range 6 {
		labels := make([]string, 20)
		for j := range labels {
			labels[j] = fmt.Sprintf("label %03d", 20*i+j)
		}
		_, err := w.CreateSlice(t.Context(), caller, valid(t,
			api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
				SliceFields: api.SliceFields{Summary: "Labels", Labels: labels}}}))
		must(t, err)
	}
	first := b.get("/settings/workspace?workspace=WEB").wants(200, `value="Space 099"`, "More spaces", "More labels").
		body
	next := func(list string) string {
		found := regexp.MustCompile(`href="(/settings/workspace\?workspace=WEB&amp;` +
			list + `=[^"]+)#` + list + `"`).FindStringSubmatch(first)
		if found == nil {
			t.Fatalf("no more %s", list)
		}
		return html.UnescapeString(found[1])
	}
	b.get(next("labels")).wants(200, `value="label 119"`, `value="Space 000"`)
	second := b.get(next("spaces")).wants(200, `value="Space 100"`).body
	if strings.Contains(second, "More spaces") || strings.Contains(second, `value="Space 099"`) {
		t.Error("the spaces after the first 100 are not the last one alone")
	}
	action := regexp.MustCompile(`action="(/settings/workspace/spaces/` + last.ID + `\?[^"]+)"`).
		FindStringSubmatch(second)
	b.post(html.UnescapeString(action[1]), "name", "").wants(422, `value="" maxlength="100"`, "space-fault")
	b.post(html.UnescapeString(action[1]), "name", "Renamed").leadsTo(next("spaces") + "#spaces")
	b.get(next("spaces")).wants(200, `value="Renamed"`)
	b.get("/settings/workspace?workspace=WEB&spaces=forged").wants(400)
}

// TestMetadataPages: the names of metadata by which reports are filtered are declared in the settings. The search box
// then has them, and the metadata of a report leads to its list.
func TestMetadataPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s, err := w.CreateSlice(t.Context(), w.caller(t, owner),
		valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			SliceFields: api.SliceFields{Summary: "An order is lost",
				Metadata: map[string]string{"orderId": "4711", "tenant": "no, rth", "build": "7"}}}}))
	must(t, err)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	list := "/reports?" + url.Values{"q": {"metadata.orderId:4711"}, "workspace": {"WEB"}}.Encode()
	b.get(list).wants(422, "this name is no filter")
	b.post(of, "name", "Web shop", "key", "WEB", "timeZone", "UTC", "metadataKeys",
		"order id$").wants(422, "order id$</textarea>",
		"must be letters, digits, and the characters _ . / and -, without spaces")
	b.post(of, "name", "Web shop", "key", "WEB", "timeZone", "UTC", "metadataKeys", "orderId, tenant\r\norderId").
		leadsTo(of)
	b.get(of).wants(200, "orderId\ntenant</textarea>")
	w.signedIn(t, member).get(of).wants(200, "<code>orderId</code>, <code>tenant</code>")
	b.get(list).wants(200, "An order is lost", `data-word="metadata.orderId"`)
	b.get("/reports?workspace=WEB&q=metadata.orderId:4712").wants(200, "No report")
	panel := b.get("/"+s.Reference+"?tab=environment").
		wants(200, `<a href="`+strings.ReplaceAll(list, "&", "&amp;")+`">`)
	for _, word := range []string{"metadata.tenant", "metadata.build"} {
		if strings.Contains(panel.body, word) {
			t.Errorf("%s leads to a list", word)
		}
	}
}

// startExport begins the export of WEB by somebody, with reports whose texts cannot be compressed. What it writes
// waits until it is read; done has its error.
func (w *world) startExport(t *testing.T, who, id string) (archive *io.PipeReader, done chan error) {
	t.Helper()
	for i := range 5 {
		text := ""
		for range 120 {
			text += rand.Text() + "\n"
		}
		_, err := w.CreateSlice(t.Context(), w.caller(t, owner),
			valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
				SliceFields: api.SliceFields{Summary: fmt.Sprint("Export ", i), Description: &text}}}))
		must(t, err)
	}
	s, err := w.Session(t.Context(), tracker.Client{}, w.session(t, who, tracker.Client{}))
	must(t, err)
	write, err := w.exports.OpenExport(t.Context(), s.Caller,
		valid(t, api.ExportWorkspace{WorkspaceID: w.web, ExportID: id}))
	must(t, err)
	archive, to := io.Pipe()
	done = make(chan error, 1)
	go func() {
		err := write(to)
		_ = to.CloseWithError(err)
		done <- err
	}()
	_, err = archive.Read(make([]byte, 1)) // the first bytes are written
	must(t, err)
	return archive, done
}

// TestExportProgress: while an export is downloaded, its reader sees how far it is and can cancel it, and nobody else
// can.
func TestExportProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const of = "/settings/workspace/export/"
	b.post("/settings/workspace/export?workspace=WEB", "once", "first").wants(200)
	if last := b.get(of+"first?workspace=WEB").
		wants(200, "The export is complete: 2 reports"); strings.Contains(last.body, "hx-get") {
		t.Errorf("the progress of a complete export is read again: %s", last.body)
	}
	b.get(of+"other?workspace=WEB").wants(200, "The download begins.", "n=1")
	if last := b.get(of + "other?workspace=WEB&n=20").wants(200); strings.Contains(last.body, "hx-get") {
		t.Errorf("the progress of an unknown export is read for ever: %s", last.body)
	}

	archive, done := w.startExport(t, owner, "second")
	b.get(of+"second?workspace=WEB").wants(200, " of 7 reports and ", "Cancel export", "hx-get")
	w.signedIn(t, member).get(of + "second?workspace=WEB").wants(404)
	w.signedIn(t, member).post(of + "second/cancel?workspace=WEB").wants(404)
	b.get(of+"second?workspace=APP").wants(200, "The download begins.")
	b.post(of + "second/cancel?workspace=WEB").leadsTo("/settings/workspace?workspace=WEB#export")
	if _, err := io.Copy(io.Discard, archive); !errors.Is(err, context.Canceled) {
		t.Errorf("the archive of a cancelled export ends with %v", err)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled export ends with %v", err)
	}
	b.get("/settings/workspace?workspace=WEB").
		wants(200, "The export is cancelled.", `action="/settings/workspace/export?workspace=WEB"`)
	b.get(of+"second?workspace=WEB").wants(200, "before it was complete")
}

// TestExportEndsWithTheRole: the export of an admin ends when the role is taken while it is written.
func TestExportEndsWithTheRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, role := w.signedIn(t, owner), func(r string) []string { return []string{"workspaceId", w.web, "role", r} }
	of := "/settings/people/" + w.users[member] + "/members"
	b.post(of, role("admin")...).wants(303)
	archive, done := w.startExport(t, member, "")
	b.post(of, role("member")...).wants(303)
	time.Sleep(600 * time.Millisecond) // rights are read again twice a second
	if _, err := io.Copy(io.Discard, archive); !page.HasCode(err, api.CodeForbidden) {
		t.Errorf("the archive ends with %v", err)
	}
	if err := <-done; !page.HasCode(err, api.CodeForbidden) {
		t.Errorf("the export ends with %v", err)
	}
}

// TestHostileInvitations: an invitation is of its link alone. A session beside it makes no difference but ends, and a
// link that was revoked while its form was open creates nobody.
func TestHostileInvitations(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	link := w.invite(t, "revoked@northwind.example")
	guest := w.browser(t)
	guest.get(link).wants(200)
	id := regexp.MustCompile(`/settings/people/invitations/inv_\w+/revoke`).FindString(b.get("/settings/people").body)
	b.post(id).leadsTo("/settings/people")
	guest.post(link, "name", "Late", "password", password).wants(404)
	guest.get("/my").leadsTo("/login?next=%2Fmy")
	if list := b.get("/settings/people"); strings.Contains(list.body, "Late") {
		t.Error("a revoked invitation has created somebody")
	}
	// The answer about an address of another organisation is that about an unknown one.
	foreign := w.invite(t, strings.ToUpper(stranger))
	known := w.browser(t).get(foreign).wants(200).content()
	unknown := w.browser(t).get(w.invite(t, "nobody@northwind.example")).wants(200).content()
	if normal := func(text, email string) string {
		return regexp.MustCompile(`/invitations/[A-Z0-9]+`).ReplaceAllString(strings.ReplaceAll(text, email, "E"), "L")
	}; normal(known, stranger) != normal(unknown, "nobody@northwind.example") {
		t.Errorf("the form tells of an account in another organisation:\n%s\n%s", known, unknown)
	}
}

// TestBrowserDownload: the export arrives in the browser as a file that opens, and its page shows its progress, also
// after the password was asked for.
func TestBrowserDownload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	folder := b.Downloads()
	b.Open("/settings/workspace?workspace=WEB")
	w.clock.add(16 * time.Minute)
	b.Click("Export workspace")
	b.Wait(`document.title.startsWith("Enter your password")`)
	b.Fill("password", password)
	b.Click("Continue")
	b.noticed("It is confirmed that it is you.")
	b.Click("Export workspace")
	b.Wait(`document.getElementById("export-progress")?.innerText.includes("The export is complete: 2 reports")`)
	path := filepath.Join(folder, "WEB-"+w.clock.now().UTC().Format(time.DateOnly)+".zip")
	deadline := time.Now().Add(time.Minute)
	for _, err := os.Stat(path); err != nil; _, err = os.Stat(path) {
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	archive, err := zip.OpenReader(path)
	must(t, err)
	if len(archive.File) == 0 {
		t.Error("the export is empty")
	}
	must(t, archive.Close())
}

// TestBrowserExport: the page shows how far an export is, and cancels it.
func TestBrowserExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	b.Open("/settings/workspace?workspace=WEB")
	id := b.text(`document.querySelector("#export-form [name=once]").value`)
	archive, done := w.startExport(t, owner, id)
	// It is downloaded by the test.
	b.holds(`document.getElementById("export-form").addEventListener("submit", (e) => e.preventDefault()), true`)
	b.Click("Export workspace")
	b.Wait(`document.querySelector("#export-progress progress[max]")?.value > 0`)
	b.Click("Cancel export")
	b.noticed("The export is cancelled.")
	_, err := io.Copy(io.Discard, archive)
	if ended := <-done; !errors.Is(err, context.Canceled) || !errors.Is(ended, context.Canceled) {
		t.Errorf("a cancelled export ends with %v and %v", err, ended)
	}
	b.Quiet()
}
