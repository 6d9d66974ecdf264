package web

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/tracker"
)

// The users of TestOffered beside those of the matrix.
const (
	elsewhere = "tove@northwind.example" // administers APP, and is a member of WEB
	alone     = "ines@northwind.example" // has no workspace
)

// TestOffered follows each link of each page as each role: no page is offered that is refused or missing. Then it
// sends each form that was offered: none is refused for want of a right.
func TestOffered(t *testing.T) {
	t.Parallel()
	for _, who := range []string{member, lead, elsewhere, admin, alone, owner} {
		t.Run(who, func(t *testing.T) {
			t.Parallel()
			w := newOfferingWorld(t)
			c := crawler{browser: w.signedIn(t, who), seen: map[string]bool{}, forms: map[string]form{}}
			c.follow("/", "the address bar")
			for len(c.queue) > 0 {
				next := c.queue[0]
				c.queue = c.queue[1:]
				c.open(next)
			}
			if len(c.seen) < map[bool]int{false: 25, true: 8}[who == alone] {
				t.Errorf("only %d addresses are offered: %v", len(c.seen), slices.Sorted(maps.Keys(c.seen)))
			}
			for _, key := range slices.Sorted(maps.Keys(c.forms)) {
				f := c.forms[key]
				if strings.Contains(f.action, w.users[who]) {
					continue // which takes rights from the reader
				}
				if a := w.signedIn(t, who).post(f.action, f.fields...); a.status == 403 || a.status >= 500 {
					t.Errorf("%s offers the form %s %q, which answers %d", f.on, f.action, f.fields, a.status)
				}
			}
		})
	}
}

// newOfferingWorld returns a world in which each page has something to offer.
func newOfferingWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, table, nil)
	w.addAdmins(t)
	in := w.operator.In(w.org)
	var app string
	for _, v := range w.workspaces(t, owner) {
		if v.Key == "APP" {
			app = v.ID
		}
	}
	for who, workspaces := range map[string]map[string]api.Role{elsewhere: {app: api.RoleAdmin, w.web: api.RoleMember},
		alone: {}} {
		added, err := in.AddUser(t.Context(), operator.NewUser{Email: who})
		must(t, err)
		w.users[who] = added.UserID
		for id, role := range workspaces {
			must(t, in.InTransaction(t.Context(),
				func(tx *tracker.OperatorTx) error { return tx.AddMember(id, added.UserID, role) }))
		}
	}
	w.newKey(t, api.KeyFields{Name: "Second", Type: api.PAT, Scopes: []api.Scope{api.SlicesRead}})
	w.deliveries(t, w.newWebhook(t, "https://hooks.example.com/").ID)
	w.attach(t, "WEB-161", "cart.png", screenshot(t, 40, 30))
	w.fileShop(t, func(name string) string { return name })
	_, err := w.CreateSpace(t.Context(), w.caller(t, owner), valid(t,
		api.CreateSpace{WorkspaceID: w.web, Body: api.SpaceFields{Name: "Checkout"}}))
	must(t, err)
	report, err := w.Report(t.Context(), w.caller(t, owner), "WEB-161")
	must(t, err)
	for _, who := range []string{owner, member} {
		_, err = w.CreateComment(t.Context(), w.caller(t, who),
			valid(t, api.CreateComment{SliceID: report.ID, Body: api.CommentFields{Body: "See WEB-160, @" + member}}))
		must(t, err)
		_, err = w.CreateShare(t.Context(), w.caller(t, who),
			valid(t, api.CreateShare{SliceID: report.ID, Body: api.ShareFields{}}))
		must(t, err)
	}
	return w
}

// TestRefusedPage: the page about one that is refused names those who may see it. Without a workspace in its address,
// the page of one is shown that the reader administers.
func TestRefusedPage(t *testing.T) {
	t.Parallel()
	w := newOfferingWorld(t)
	for _, path := range []string{"/settings/webhooks?workspace=WEB", "/settings/webhooks/new?workspace=WEB"} {
		a := w.signedIn(t, member).get(path).wants(403)
		if !strings.Contains(a.body, "The admins of the workspace may: ") ||
			!strings.Contains(a.body, "<bdi>Mara Lindqvist</bdi>") || !strings.Contains(a.body, `href="/"`) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	b := w.signedIn(t, elsewhere)
	links := `href="/settings/webhooks?workspace=`
	if a := b.get("/overview?workspace=WEB").wants(200); strings.Contains(a.body, links) {
		t.Error("webhooks of WEB are offered to a member")
	}
	b.get("/settings/webhooks").leadsTo("/settings/webhooks?workspace=APP")
	a := b.get("/settings/webhooks?workspace=APP").wants(200)
	if !strings.Contains(a.body, links+`APP"`) || !strings.Contains(a.body, `href="/reports?workspace=WEB"`) {
		t.Errorf("the page of APP: %s", a.body)
	}
	if a := w.signedIn(t, admin).get("/settings/profile").
		wants(200); !strings.Contains(a.body, `href="/settings/audit"`) {
		t.Error("the audit log is not offered to an admin of the organisation")
	}
}

type offer struct{ address, on string }

// form is a form that is sent by a button.
type form struct {
	action, on string
	fields     []string
}

// crawler collects what pages offer. Addresses that differ in the values of their filters count as one.
type crawler struct {
	*browser
	seen  map[string]bool
	queue []offer
	forms map[string]form
}

// kind is a path with the names of its parameters, and the workspace.
func kind(u *url.URL) string {
	q := u.Query()
	path := u.Path
	if strings.HasPrefix(path, "/WEB-") && path != "/WEB-161" && path != "/WEB-162" {
		path = "/WEB-n"
	}
	return path + "?" + q.Get("workspace") + q.Get("tab") + q.Get("edit") +
		strings.Join(slices.Sorted(maps.Keys(q)), "&")
}

// follow queues an address that a page offers, unless one of its kind is known.
func (c *crawler) follow(address, on string) {
	base, _ := url.Parse(cmp.Or(on, "/"))
	u, err := base.Parse(address)
	if err != nil || u.Host != "" || u.Scheme != "" || strings.HasPrefix(u.Path, "/static/") ||
		strings.HasPrefix(u.Path, "/s/") || u.Path == "/docs" || !strings.HasPrefix(u.Path, "/") {
		return
	}
	u.Fragment = ""
	if k := kind(u); !c.seen[k] {
		c.seen[k] = true
		c.queue = append(c.queue, offer{u.String(), on})
	}
}

// open opens an address, and collects its links and forms.
func (c *crawler) open(o offer) {
	c.t.Helper()
	a := c.get(o.address)
	switch {
	case a.status == 303:
		c.follow(a.header.Get("Location"), o.address)
		return
	case a.status >= 400:
		c.t.Errorf("%s offers %s, which answers %d", o.on, o.address, a.status)
		return
	case !strings.HasPrefix(a.header.Get("Content-Type"), "text/html"):
		return
	}
	root, err := html.Parse(strings.NewReader(a.body))
	must(c.t, err)
	for n := range root.Descendants() {
		if strings.Contains(attribute(n, "rel"), "nofollow") {
			continue // a link that somebody wrote in a text
		}
		for _, name := range []string{"href", "hx-get", "data-ask", "src"} {
			if address := attribute(n, name); address != "" && (n.Data != "link" && n.Data != "script") {
				c.follow(address, o.address)
			}
		}
		if n.Data == "form" && n.Type == html.ElementNode {
			c.addForm(n, o.address)
		}
	}
}

// addForm remembers a form, filled in, with each of its buttons and without one, or queues the address that it opens.
func (c *crawler) addForm(n *html.Node, on string) {
	base, _ := url.Parse(on)
	u, err := base.Parse(attribute(n, "action"))
	must(c.t, err)
	if attribute(n, "method") != "post" {
		c.follow(u.String(), on)
		return
	}
	f := form{action: u.String(), on: on}
	var buttons [][]string
	for field := range n.Descendants() {
		switch name, value := attribute(field, "name"), attribute(field, "value"); {
		case name == "":
		case field.Data == "button":
			buttons = append(buttons, []string{name, value})
		case field.Data == "select":
			for option := range field.Descendants() {
				if option.Data == "option" {
					value = cmp.Or(value, attribute(option, "value"))
				}
			}
			f.fields = append(f.fields, name, value)
		default:
			f.fields = append(f.fields, name, cmp.Or(value, "x"))
		}
	}
	for _, button := range append(buttons, nil) {
		with := f
		with.fields = append(slices.Clone(f.fields), button...)
		c.forms[kind(u)+strings.Join(button, "=")] = with
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
