package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
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

// TestSettingsOfTwoAdmins: settings of a workspace that somebody else has changed since the page was opened are not replaced. The page
// shows theirs beside what was typed, and saves that when it is asked again.
func TestSettingsOfTwoAdmins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	former := hiddenVersion(t, b.get(of).body)
	b.post(of, "version", former, "name", "Theirs", "key", "WEB", "timeZone", "UTC").leadsTo(of)
	refused := b.post(of, "version", former, "name", "Mine", "key", "WEB", "timeZone", "Asia/Tokyo", "metadataKeys", "orderId").
		wants(412, "Somebody else has changed these settings", "<bdi>Theirs</bdi>", `value="Mine"`, `value="Asia/Tokyo"`, "orderId</textarea>")
	b.post(of, "version", hiddenVersion(t, refused.body), "name", "Mine", "key", "WEB", "timeZone", "Asia/Tokyo").leadsTo(of)
	b.get(of).wants(200, `value="Mine"`)
}

// TestMetadataPages: the names of metadata by which reports are filtered are declared in the settings. The search box then has them, and
// the metadata of a report leads to its list.
func TestMetadataPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	s, err := w.CreateSlice(t.Context(), w.caller(t, owner), valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
		SliceFields: api.SliceFields{Summary: "An order is lost", Metadata: map[string]string{"orderId": "4711", "tenant": "no, rth", "build": "7"}}}}))
	must(t, err)
	b, of := w.signedIn(t, owner), "/settings/workspace?workspace=WEB"
	list := "/reports?" + url.Values{"q": {"metadata.orderId:4711"}, "workspace": {"WEB"}}.Encode()
	b.get(list).wants(422, "this name is no filter")
	b.post(of, "name", "Web shop", "key", "WEB", "timeZone", "UTC", "metadataKeys", "order id$").wants(422, "order id$</textarea>", "must be letters, digits, and the characters _ . / and -, without spaces")
	b.post(of, "name", "Web shop", "key", "WEB", "timeZone", "UTC", "metadataKeys", "orderId, tenant\r\norderId").leadsTo(of)
	b.get(of).wants(200, "orderId\ntenant</textarea>")
	w.signedIn(t, member).get(of).wants(200, "<code>orderId</code>, <code>tenant</code>")
	b.get(list).wants(200, "An order is lost", `data-word="metadata.orderId"`)
	b.get("/reports?workspace=WEB&q=metadata.orderId:4712").wants(200, "No report")
	panel := b.get("/"+s.Reference+"?tab=environment").wants(200, `<a href="`+strings.ReplaceAll(list, "&", "&amp;")+`">`)
	for _, word := range []string{"metadata.tenant", "metadata.build"} {
		if strings.Contains(panel.body, word) {
			t.Errorf("%s leads to a list", word)
		}
	}
}

// startExport begins the export of WEB by somebody, with reports whose texts cannot be compressed. What it writes waits until it is read;
// done has its error.
func (w *world) startExport(t *testing.T, who, id string) (archive *io.PipeReader, done chan error) {
	t.Helper()
	for i := range 5 {
		text := ""
		for range 120 {
			text += rand.Text() + "\n"
		}
		_, err := w.CreateSlice(t.Context(), w.caller(t, owner), valid(t, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &w.web,
			SliceFields: api.SliceFields{Summary: fmt.Sprint("Export ", i), Description: &text}}}))
		must(t, err)
	}
	s, err := w.Session(t.Context(), tracker.Client{}, w.session(t, who, tracker.Client{}))
	must(t, err)
	write, err := w.exports.OpenExport(t.Context(), s, w.web, id)
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

// TestExportProgress: while an export is downloaded, its reader sees how far it is and can cancel it, and nobody else can.
func TestExportProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	const of = "/settings/workspace/export/"
	b.post("/settings/workspace/export?workspace=WEB", "once", "first").wants(200)
	if last := b.get(of+"first?workspace=WEB").wants(200, "The export is complete: 2 reports"); strings.Contains(last.body, "hx-get") {
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
	b.get("/settings/workspace?workspace=WEB").wants(200, "The export is cancelled.", `action="/settings/workspace/export?workspace=WEB"`)
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

// TestHostileInvitations: an invitation is of its link alone. A session beside it makes no difference but ends, and a link that was
// revoked while its form was open creates nobody.
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

// TestBrowserExport: the page shows how far an export is, and cancels it.
func TestBrowserExport(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.tab(t, w.session(t, owner, tracker.Client{}))
	b.Size(1280, 900)
	b.Open("/settings/workspace?workspace=WEB")
	id := b.text(`document.querySelector("#export-form [name=once]").value`)
	archive, done := w.startExport(t, owner, id)
	b.holds(`document.getElementById("export-form").addEventListener("submit", (e) => e.preventDefault()), true`) // it is downloaded by the test
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
