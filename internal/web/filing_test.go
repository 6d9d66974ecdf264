package web

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"bugslice/api"
)

var onceField = regexp.MustCompile(`name="once" value="([^"]+)"`)

// attached returns the content of the files of a report, by name. Files of the same name are joined.
func (w *world) attached(t testing.TB, reference string) map[string]string {
	t.Helper()
	c := w.caller(t, owner)
	listed, err := w.ListAttachments(t.Context(), c, valid(t, api.ListAttachments{SliceID: reference}))
	must(t, err)
	all := map[string]string{}
	for _, a := range listed.Data {
		f, err := w.ReadAttachment(t.Context(), c, valid(t, api.GetAttachment{AttachmentID: a.ID}))
		must(t, err)
		content, err := io.ReadAll(f.Bytes)
		must(t, err)
		must(t, f.Bytes.Close())
		all[a.Name] += string(content)
	}
	return all
}

// TestFiling: a form files a report with what it says, and a repeated form files no second one.
func TestFiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.get("/new?summary=Cart&labels=a,b").leadsTo("/new?labels=a%2Cb&summary=Cart&workspace=APP")
	form := b.get("/new?workspace=WEB&summary=Cart+%3Cb%3E&labels=a,b&description=x%3Cy&priority=high&assigneeId=" +
		w.users[member])
	form.wants(200, `value="Cart &lt;b&gt;"`, `value="a, b"`, "x&lt;y</textarea>",
		`value="high" selected`, `value="`+w.users[member]+`" selected`)
	once := onceField.FindStringSubmatch(form.body)[1]
	fields := []string{"once", once, "workspaceId", w.web, "summary", "Cart",
		"description", "one\r\ntwo", "labels", "b, a, ,b", "priority", "high",
		"severity", "major", "assigneeId", w.users[member], "spaceId", "", "sourceUrl", "https://shop.example.com/cart",
		"fingerprint", "x"}
	files := []file{{"a.log", "first line"}, {"b.log", "second line"}}
	b.postFiles("/new", files, fields...).leadsTo("/WEB-162")
	b.get("/WEB-162").wants(200, "WEB-162 is filed.", "one<br>\ntwo")
	b.postFiles("/new", files, fields...).leadsTo("/WEB-162")
	if got := w.attached(t, "WEB-162"); len(got) != 2 || got["a.log"] != "first line" || got["b.log"] != "second line" {
		t.Errorf("the files are %q", got)
	}
	r, err := w.Report(t.Context(), w.caller(t, owner), "WEB-162")
	must(t, err)
	if strings.Join(r.Labels, " ") != "b a" || *r.Priority != "high" || *r.Severity != "major" ||
		*r.AssigneeID != w.users[member] ||
		r.SpaceID != nil || *r.Description != "one\ntwo" || r.Fingerprint != nil ||
		*r.SourceURL != "https://shop.example.com/cart" {
		t.Errorf("the report is %+v", r)
	}
	changed := b.post("/new", append(fields[:4:4], "summary", "Another cart")...).wants(422,
		"has already filed a report", `value="Another cart"`)
	if onceField.FindStringSubmatch(changed.body)[1] == once {
		t.Error("the form cannot be sent again")
	}
}

// TestFilingFaults: after a fault the form has what was typed, and nothing is filed.
func TestFilingFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	b.postFiles("/new?workspace=WEB", []file{{"a.log", strings.Repeat("x", 300<<10)}},
		"workspaceId", w.web, "summary", " ", "description", "kept <b>", "labels", "kept",
		"sourceUrl", "kept").wants(422, `id="summary-fault"`, "kept &lt;b&gt;</textarea>",
		`value="kept" list`, `value="kept" maxlength="2048"`)
	b.post("/new", "workspaceId", w.web, "summary", "Cart", "assigneeId", w.users[stranger]).
		wants(422, `id="assigneeId-fault"`)
	b.post("/new", "summary", "Cart").wants(422, `id="workspaceId-fault"`, "Choose a workspace.")
	w.signedIn(t, member).post("/new", "workspaceId", "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz", "summary", "Cart").
		wants(404, `value="Cart"`)
	b.postFiles("/new", nil, "summary", strings.Repeat("x", 1<<20+1)).wants(413)
	b.postFiles("/settings/profile", nil, "name", "x").wants(415)
	long := strings.Repeat("é\n", 30_000)
	b.post("/new", "workspaceId", w.web, "summary", "Long", "description", strings.ReplaceAll(long, "\n", "\r\n")).
		leadsTo("/WEB-162")
	b.get("/WEB-163").wants(404)
}

// TestFailedFiles: a file that fails does not keep the report from being filed. The page that follows names it, and
// it can be added again.
func TestFailedFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	large := strings.Repeat("x", maxUpload+1)
	b.postFiles("/new", []file{{"<b>.log", ""}, {"large.log", large}, {"a.log", "a line"}},
		"once", "1", "workspaceId", w.web, "summary", "Cart").leadsTo("/WEB-162")
	b.get("/WEB-162").wants(200, "WEB-162 is filed. 2 files were not added",
		"&lt;b&gt;.log: The file is empty.", "large.log: A file may have at most 1 MiB.", `href="/new/WEB-162/files"`)
	form := b.get("/new/WEB-162/files").wants(200, "Cart")
	once := onceField.FindStringSubmatch(form.body)[1]
	b.postFiles("/new/WEB-162/files", nil, "once", once).wants(422, "Choose at least one file.")
	b.postFiles("/new/WEB-162/files", []file{{"b.log", "b"}, {"large.log", large}},
		"once", once).wants(422, "1 file was added.", "large.log", "A file may have at most 1 MiB.")
	if unreadable := b.postFiles("/new/WEB-162/files", []file{{"shop.har", `{"log":{"entries":7}}`}}, "once", "har").
		wants(422, "shop.har", "the file cannot be parsed as network"); strings.Contains(unreadable.body, "kind=") {
		t.Errorf("a page gives advice for clients of the API: %s", unreadable.content())
	}
	b.postFiles("/new/WEB-162/files", []file{{"b.log", "b"}}, "once", once).leadsTo("/WEB-162")
	b.get("/WEB-162").wants(200, "The files are added.")
	if got := w.attached(t, "WEB-162"); len(got) != 2 || got["a.log"] != "a line" || got["b.log"] != "b" {
		t.Errorf("the files are %q", got)
	}
	long := make([]file, 20)
	for i := range long {
		long[i] = file{strings.Repeat("🙂", 200), ""}
	}
	filed := b.postFiles("/new", long, "workspaceId", w.web, "summary", "Long").leadsTo("/WEB-163")
	for _, c := range filed.header.Values("Set-Cookie") {
		if len(c) > 4000 {
			t.Errorf("a cookie has %d bytes, of which browsers keep none", len(c))
		}
	}
	b.get("/WEB-163").wants(200, "20 files were not added", "The file is empty.")
	b.postFiles("/new/WEB-999/files", []file{{"b.log", "b"}}).wants(404)
	w.signedIn(t, stranger).postFiles("/new/WEB-162/files", []file{{"b.log", "b"}}).wants(404)
	many := make([]file, 21)
	for i := range many {
		many[i] = file{"many.log", "x"}
	}
	b.postFiles("/new/WEB-162/files", many, "once", "2").wants(422, "20 files were added.", "at most 20 files")
}

// TestIncompleteForm: a form that ends before its files do is filed with those that have arrived, and says so.
func TestIncompleteForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	send := func(body string) answer {
		r, err := http.NewRequest("POST", w.url+"/new", strings.NewReader(strings.ReplaceAll(body, "\n", "\r\n")))
		must(t, err)
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		return b.do(r, nil)
	}
	field := func(name, value string) string {
		return "--x\nContent-Disposition: form-data; name=\"" + name + "\"\n\n" + value + "\n"
	}
	send(field("workspaceId", w.web) + field("summary", "Cart") +
		"--x\nContent-Disposition: form-data; name=\"files\"; filename=\"a.log\"\n\ntext").leadsTo("/WEB-162")
	b.get("/WEB-162").wants(200, "A file was not added", "a.log: The form is incomplete.")
	send(field("workspaceId", w.web) + "--x\nContent-Dispo").wants(400)
	send(field("workspaceId", w.web)+field("summary", "a\xff")+"--x--\n").wants(400, "The form is not UTF-8.")
	send(field("workspaceId", w.web) + field("summary", "Cart") +
		"--x\nContent-Disposition: form-data; name=\"files\"; filename=\"a.log\"\n\ntext\n" +
		field("description", "late") + "--x--\n").leadsTo("/WEB-163")
	b.get("/WEB-163").wants(200, "A file was not added", "The fields of a form come before its files.")
	if got := w.attached(t, "WEB-162"); len(got) != 0 {
		t.Errorf("the files are %q", got)
	}
}

// TestFilingDraft: without script, the form shows a preview and similar reports, and keeps what was typed.
func TestFilingDraft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	b := w.signedIn(t, owner)
	a := b.post("/new/draft", "once", "kept", "workspaceId", w.web, "summary",
		"the total of the cart is wrong with a voucher", "description", "**bold** <script>", "labels", "kept")
	a.wants(200, "<strong>bold</strong> &lt;script&gt;", "**bold** &lt;script&gt;</textarea>",
		`href="/WEB-161" target="_blank"`, `value="kept" list`, `name="once" value="kept"`)
	if strings.Contains(a.body, `href="/WEB-160" target`) {
		t.Error("another report counts as similar")
	}
	for field, form := range map[string][]string{
		"summary":   {"summary", strings.Repeat("x", 300)},
		"sourceUrl": {"summary", "the total of the cart is wrong", "sourceUrl", "javascript:alert(1)"},
		"labels":    {"summary", "the total of the cart is wrong", "labels", strings.Repeat("x", 51)},
	} {
		form = append(form, "workspaceId", w.web)
		b.post("/new/draft", form...).wants(200, `id="`+field+`-fault"`)
		b.post("/new", form...).wants(422, `id="`+field+`-fault"`)
	}
	empty := b.post("/new/draft", "workspaceId", w.web).wants(200, "Nothing to preview.")
	if strings.Contains(empty.body, "Is it one of these?") {
		t.Error("no title has similar reports")
	}
	other := w.signedIn(t, stranger).post("/new/draft", "workspaceId", w.web, "summary",
		"the total of the cart is wrong").wants(200)
	if strings.Contains(other.body, "WEB-161") {
		t.Error("a stranger sees a similar report")
	}
}

// TestFilesAreStreamed: a file is stored while it is sent. The browser of the test sends the rest of each file only
// then.
func TestFilesAreStreamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	begun := make(chan struct{})
	w.storage.put = func(r io.Reader) (io.Reader, error) {
		first := make([]byte, 1)
		_, err := io.ReadFull(r, first)
		begun <- struct{}{}
		return io.MultiReader(bytes.NewReader(first), r), err
	}
	b := w.signedIn(t, owner)
	body, sent := io.Pipe()
	form := multipart.NewWriter(sent)
	go func() {
		err := errors.Join(form.WriteField("workspaceId", w.web), form.WriteField("summary", "Cart"))
		for _, name := range []string{"a.log", "b.log"} {
			part, failed := form.CreateFormFile("files", name)
			if err = errors.Join(err, failed); err != nil {
				break
			}
			_, err = io.WriteString(part, strings.Repeat("first line\n", 10_000))
			<-begun
			_, failed = io.WriteString(part, "last line\n")
			err = errors.Join(err, failed)
		}
		sent.CloseWithError(errors.Join(err, form.Close()))
	}()
	r, err := http.NewRequest("POST", w.url+"/new", body)
	must(t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	b.do(r, nil).leadsTo("/WEB-162")
	for name, content := range w.attached(t, "WEB-162") {
		if want := strings.Repeat("first line\n", 10_000) + "last line\n"; content != want {
			t.Errorf("%s has %d bytes, want %d", name, len(content), len(want))
		}
	}
}
