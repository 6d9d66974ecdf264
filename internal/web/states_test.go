package web

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/password/passwordtest"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
)

// state is a page in one of its states, which is looked at.
type state struct {
	name  string
	who   string // whose session it is; empty for nobody
	path  string
	post  []string // the fields of a posted form; nil for a page that is opened
	click []string // selectors of what is clicked then
	dark  bool     // whether axe looks at it in the dark, and else in the light
}

// filled returns a world with records in every state. With an attack, everything that people or programs name is one.
func filled(t testing.TB, attack bool) (*world, records) {
	rows := append(slices.Clone(table), row{path: "/refused/{code}", access: user, get: refused})
	if !attack {
		var w *world
		w = newWorld(t, busyRows(rows, &w), nil)
		r := w.fill(t, func(name string) string { return name })
		w.fileList(t, func(name string) string { return name })
		r.evidence = w.fileEvidence(t, func(name string) string { return name })
		r.evidence.flood = w.fileFlood(t)
		w.tell(t, func(name string) string { return name })
		w.shareReports(t, &r)
		w.linkPeople(t, &r)
		w.nameProvider(t, &r, func(name string) string { return name })
		r.programs = w.connectPrograms(t, func(name string) string { return name })
		w.limit(t)
		return w, r
	}
	w := newEmptyWorld(t, rows, func(o *Options) { o.Insecure = true })
	w.populate(t, attacker())
	w.file(t, w.caller(t, owner), marks)
	must(t, w.store.Write(t.Context(), func(tx *store.Tx) error {
		u, err := tx.User(w.users[owner])
		u.Name = marks
		return errors.Join(err, tx.UpdateProfile(u))
	}))
	r := w.fill(t, attacker())
	w.fileList(t, attacker())
	r.evidence = w.fileEvidence(t, attacker())
	w.tell(t, attacker())
	w.shareReports(t, &r)
	w.linkPeople(t, &r)
	w.nameProvider(t, &r, attacker())
	r.programs = w.connectPrograms(t, attacker())
	return w, r
}

// refused answers with the problem of a code.
func refused(q *page.Request) (page.Result, error) {
	return page.Result{}, api.NewProblem(q.PathValue("code"), "A sentence about it.")
}

// busyRows returns rows of which a sign-in of one account meets a node that has no time to check its password.
func busyRows(rows []row, w **world) []row {
	return posting(rows, "/login", func(signIn page.Handler) page.Handler {
		return func(q *page.Request) (page.Result, error) {
			if q.PostForm.Get("email") == occupied {
				passwords := passwordtest.Weak()
				defer passwordtest.Occupy(passwords)()
				q.Tracker, _ = tracker.New(tracker.Options{Store: access.Seal((*w).store), Secrets: (*w).secrets,
					Passwords: passwords})
			}
			return signIn(q)
		}
	})
}

// The accounts whose sign-ins are refused: after too many failures, and while too many passwords are checked.
const (
	limited  = "limited@northwind.example"
	occupied = "busy@northwind.example"
)

// limit lets so many attempts to sign in to an account fail that further ones must wait.
func (w *world) limit(t testing.TB) {
	t.Helper()
	for range 20 {
		_, err := w.SignIn(t.Context(), client("203.0.113.99", ""), page.SignIn{Email: limited, Password: "wrong"})
		if page.HasCode(err, api.CodeRateLimited) {
			return
		}
	}
	t.Fatal("no attempt is refused")
}

// states lists every page in every state that it can be in.
func states(r records) []state {
	key := []string{"name", "Laptop", "type", "pat", "scopes", "slices:read"}
	return []state{
		{name: "login", path: "/login"},
		{name: "login-wrong", path: "/login", post: []string{"email", owner, "password", "wrong"}},
		{name: "login-limited", path: "/login", post: []string{"email", limited, "password", "wrong"}},
		{name: "login-busy", path: "/login", post: []string{"email", occupied, "password", "wrong"}},
		{name: "login-refused", path: "/login/" + r.org + "/callback?state=x"},
		{name: "login-session-over", path: "/settings/profile", post: []string{"name", "Mara"}},
		{name: "problem-stranger", path: "/nowhere/at/all"},

		{name: "sign-in", who: owner, path: "/settings/sign-in"},
		{name: "sign-in-check", who: owner, path: "/settings/sign-in/check", post: []string{}},
		{name: "sign-in-faults", who: owner, path: "/settings/sign-in", post: []string{"name", "", "issuer",
			"ftp://x", "clientId", "",
			"domains", "not a domain", "rules", "web = member", "passwordsOff", "true"}},

		{name: "device", who: owner, path: "/device?user_code=BCDF-GHJK"},
		{name: "device-asks", who: owner, path: "/device", post: []string{"user_code", r.device}},
		{name: "device-refused", who: owner, path: "/device",
			post: []string{"user_code", r.device, "decision", "allow"}},
		{name: "device-unknown", who: owner, path: "/device", post: []string{"user_code", "none"}},
		{name: "consent", who: owner, path: r.consent},
		{name: "consent-member", who: newcomer, path: r.consent},
		{name: "consent-refused", who: owner, path: r.refused},

		{name: "search", who: owner, path: "/search?q=o"},
		{name: "search-nothing", who: owner, path: "/search?q=zzzz"},
		{name: "palette", who: owner, path: r.view, click: []string{"[data-palette]"}},
		{name: "shortcuts", who: owner, path: "/my", click: []string{"[commandfor=shortcuts][data-command]"}},
		{name: "view", who: owner, path: r.view},
		{name: "view-save", who: owner, path: r.view, click: []string{"[commandfor=save-view]"}},
		{name: "view-menu", who: owner, path: r.view, click: []string{"[popovertarget=menu-view]"}},
		{name: "view-refused", who: owner, path: "/reports/views?q=x", post: []string{"name", "", "query", "x"}},
		{name: "my", who: owner, path: "/my"},
		{name: "my-empty", who: newcomer, path: "/my"},
		{name: "inbox", who: owner, path: "/inbox"},
		{name: "inbox-empty", who: newcomer, path: "/inbox"},
		{name: "inbox-all", who: owner, path: "/inbox?show=all", click: []string{"[popovertarget^=snooze]"}},
		{name: "watching", who: owner, path: "/inbox/watching"},
		{name: "keys", who: owner, path: "/settings/keys"},
		{name: "keys-empty", who: newcomer, path: "/settings/keys"},
		{name: "keys-many", who: member, path: "/settings/keys"},
		{name: "newkey", who: owner, path: "/settings/keys/new"},
		{name: "newkey-wst", who: owner, path: "/settings/keys/new?type=wst&preset=ci&expiresAt=date&workspace=WEB"},
		{name: "newkey-member", who: member, path: "/settings/keys/new?expiresAt="},
		{name: "newkey-forbidden", who: member, path: "/settings/keys",
			post: []string{"name", "CI", "type", "wst", "workspaceId", r.web, "scopes", "slices:read"}},
		{name: "newkey-faults", who: owner, path: "/settings/keys",
			post: []string{"name", "", "type", "wst", "expiresAt", "2020-01-01"}},
		{name: "newkey-created", who: owner, path: "/settings/keys", post: append(key, "once", "1")},
		{name: "newkey-again", who: owner, path: "/settings/keys", post: append(key, "once", "1")},
		{name: "newkey-changed", who: owner, path: "/settings/keys",
			post: append(key, "once", "1", "scopes", "slices:write")},
		{name: "confirm", who: "stale", path: "/settings/keys", post: key},
		{name: "confirm-wrong", who: "stale", path: "/settings/keys", post: append(key, "password", "wrong")},
		{name: "key", who: owner, path: r.ci},
		{name: "key-refusals", who: owner, path: r.ci + "?tab=refusals"},
		{name: "key-unused", who: owner, path: r.unused},
		{name: "key-no-refusals", who: owner, path: r.unused + "?tab=refusals"},
		{name: "key-grace", who: owner, path: r.grace},
		{name: "key-revoked", who: owner, path: r.revoked},
		{name: "record", who: owner, path: "/settings/record?workspace=WEB"},
		{name: "record-key", who: owner, path: "/settings/record?workspace=WEB", post: []string{"once", "record"}},
		{name: "agents", who: owner, path: "/settings/agents"},
		{name: "endedkeys", who: owner, path: "/settings/keys/ended"},
		{name: "endedkeys-empty", who: member, path: "/settings/keys/ended"},
		{name: "key-expired", who: owner, path: r.expired},
		{name: "key-rotate", who: owner, path: r.ci, click: []string{"[commandfor=rotate]"}},
		{name: "key-rotated", who: owner, path: r.unused + "/rotate",
			post: []string{"once", "2", "gracePeriodSeconds", "0"}},
		{name: "key-rotated-again", who: owner, path: r.unused + "/rotate",
			post: []string{"once", "2", "gracePeriodSeconds", "0"}},
		{name: "key-rotate-expired", who: owner, path: r.expired + "/rotate",
			post: []string{"gracePeriodSeconds", "0"}},
		{name: "key-revoke", who: owner, path: r.ci, click: []string{"[commandfor=revoke]"}},
		{name: "profile", who: owner, path: "/settings/profile"},
		{name: "profile-saved", who: owner, path: "/settings/profile",
			post: []string{"version", "1", "name", "Mara L.", "theme", "system", "timeZone", "UTC"}},
		{name: "profile-stale", who: owner, path: "/settings/profile",
			post: []string{"version", "1", "name", "Mara", "theme", "system", "timeZone", "UTC"}},
		{name: "profile-faults", who: owner, path: "/settings/profile",
			post: []string{"version", "2", "name", "", "theme", "system", "timeZone", "Mars/Olympus"}},
		{name: "notifications", who: owner, path: "/settings/notifications"},
		{name: "notifications-faults", who: owner, path: "/settings/notifications",
			post: []string{"mentioned", "x", "digestHour", "99", "quietFrom", "x", "quietUntil", "x", "timeZone",
				"Mars/Olympus"}},
		{name: "mail", who: owner, path: "/settings/mail"},
		{name: "second-factor", who: owner, path: "/settings/second-factor"},
		{name: "security", who: owner, path: "/settings/security"},
		{name: "security-alone", who: member, path: "/settings/security"},
		{name: "security-faults", who: owner, path: "/settings/security/password",
			post: []string{"currentPassword", "wrong", "newPassword", "x"}},
		{name: "policies", who: owner, path: "/settings/policies"},
		{name: "policies-preview", who: owner, path: "/settings/policies", dark: true,
			post: policyForm("sessionHours", "1", "keyNetworks", "192.0.2.0/24", "personalKeyDays", "1",
				"invitationDomains", "nowhere.example", "personalKeyMakers", "nobody")},
		{name: "policies-faults", who: owner, path: "/settings/policies", post: policyForm("sessionHours", "x",
			"keyNetworks", "10.0.0.1/8", "invitationDomains", "x", "personalKeyDays", "0")},
		{name: "people", who: owner, path: "/settings/people"},
		{name: "people-member", who: newcomer, path: "/settings/people"},
		{name: "person", who: owner, path: "/settings/people/" + r.person},
		{name: "person-remove", who: owner, path: "/settings/people/" + r.person,
			click: []string{"[commandfor=remove]"}},
		{name: "person-last-owner", who: owner, path: "/settings/people/" + r.self + "/remove", post: []string{}},
		{name: "person-reset", who: owner, path: "/settings/people/" + r.person + "/reset", post: []string{}},
		{name: "erasure", who: owner, path: "/settings/people/" + r.person + "/erase"},
		{name: "erasure-fault", who: owner, path: "/settings/people/" + r.person + "/erase",
			post: []string{"name", "Jon"}},
		{name: "invite", who: owner, path: "/settings/people/new"},
		{name: "invite-faults", who: owner, path: "/settings/people",
			post: []string{"email", "x", "role", "none", "workspaceRole", "none"}},
		{name: "invite-created", who: owner, path: "/settings/people",
			post: []string{"email", "ada@northwind.example", "workspaceIds", r.web}},
		{name: "invitation", path: r.invitation},
		{name: "invitation-faults", path: r.invitation, post: []string{"name", "", "password", "short"}},
		{name: "invitation-signed-in", who: owner, path: r.invitation},
		{name: "invitation-gone", path: "/invitations/none"},
		{name: "forgot", path: "/forgot"},
		{name: "reset", path: r.reset},
		{name: "reset-signed-in", who: owner, path: r.reset},
		{name: "reset-faults", path: r.reset, post: []string{"password", "short"}},
		{name: "workspace", who: owner, path: "/settings/workspace?workspace=WEB"},
		{name: "workspace-label", who: owner, path: "/settings/workspace?workspace=WEB",
			click: []string{"details[name=label] > summary"}},
		{name: "workspace-member", who: member, path: "/settings/workspace?workspace=WEB"},
		{name: "workspace-faults", who: owner, path: "/settings/workspace?workspace=WEB",
			post: []string{"name", "", "key", "x"}},
		{name: "workspace-stale", who: owner, path: "/settings/workspace?workspace=WEB",
			post: []string{"version", "\"0\"", "name", "Shop", "key", "WEB", "timeZone", "UTC", "metadataKeys",
				"orderId"}},
		{name: "workspace-template", who: owner, path: "/settings/workspace/templates?workspace=WEB",
			post: []string{"name", "", "description", markdown, "labels", "kept"}},
		{name: "newworkspace", who: owner, path: "/settings/workspace/new"},
		{name: "newworkspace-faults", who: owner, path: "/settings/workspace/new",
			post: []string{"name", "Third", "key", "WEB"}},
		{name: "reports", who: owner, path: "/reports?q=sort:created-asc"},
		{name: "reports-workspace", who: owner, path: "/reports?workspace=WEB&q=status:open,in_progress"},
		{name: "reports-by-priority", who: owner, path: "/reports?workspace=WEB&group=priority"},
		{name: "reports-by-assignee", who: owner, path: "/reports?group=assignee"},
		{name: "reports-by-label", who: owner, path: "/reports?group=label&q="},
		{name: "reports-by-reporter", who: owner, path: "/reports?group=reporter&q="},
		{name: "filter", who: owner, path: "/reports/filter?workspace=WEB"},
		{name: "filter-assignee", who: owner, path: "/reports/filter?workspace=WEB&by=assignee&q=assignee:none"},
		{name: "filter-created", who: owner,
			path: "/reports/filter?workspace=WEB&by=created&q=created:2026-11-01..2026-11-08"},
		{name: "filter-browser", who: owner, path: "/reports/filter?by=browser&not=true"},
		{name: "reports-menu-filter", who: owner, path: "/reports?workspace=WEB", click: []string{".filter-button"}},
		{name: "reports-empty", who: owner, path: "/reports?workspace=APP"},
		{name: "reports-nothing", who: owner, path: "/reports?q=zzz+label:none"},
		{name: "reports-fault", who: owner, path: "/reports?q=checkout+staus:open+label:a%22b"},
		{name: "reports-unselected", who: owner, path: "/reports?workspace=WEB", post: []string{"status", "closed"}},
		{name: "reports-selected", who: owner, path: "/reports?workspace=WEB",
			click: []string{".row [name=items]", ".row + .row [name=items]"}},
		{name: "reports-status", who: owner, path: "/reports?workspace=WEB",
			click: []string{".row [popovertarget=menu-status]"}},
		{name: "reports-assignee", who: owner, path: "/reports?workspace=WEB",
			click: []string{".row [popovertarget=menu-assignee]"}},
		{name: "reports-resolve", who: owner, path: "/reports?workspace=WEB",
			click: []string{".row [name=items]", ".selection [popovertarget=menu-resolve]"}},
		{name: "reports-labels", who: owner, path: "/reports?workspace=WEB",
			click: []string{".row [name=items]", ".selection [popovertarget=menu-labels]"}},
		{name: "reports-group", who: owner, path: "/reports?workspace=WEB",
			click: []string{"[popovertarget=menu-display]"}},
		{name: "reports-changed", who: owner, path: "/reports?workspace=WEB",
			post: []string{"items", "WEB-160 1", "items", "WEB-161 1", "items", "WEB-1 1", "status", "closed"}},
		{name: "reports-deleted", who: owner, path: "/reports?workspace=APP",
			post: []string{"items", "WEB-1 1", "delete", "true"}},
		{name: "board", who: owner, path: "/board?workspace=WEB"},
		{name: "board-everywhere", who: owner, path: "/board"},
		{name: "board-status", who: owner, path: "/board?workspace=WEB",
			click: []string{".card [popovertarget=menu-status]"}},
		{name: "board-fault", who: owner, path: "/board?q=staus:open"},
		{name: "overview", who: owner, path: "/overview?workspace=WEB"},
		{name: "tests", who: owner, path: "/tests?workspace=WEB"},
		{name: "tests-empty", who: owner, path: "/tests?workspace=APP"},
		{name: "overview-year", who: owner, path: "/overview?workspace=WEB&period=365"},
		{name: "overview-start", who: owner, path: "/overview?workspace=APP"},
		{name: "overview-fault", who: member, path: "/overview?workspace=WEB&from=2026-11-22&to=2026-11-01"},
		{name: "report", who: owner, path: "/WEB-161"},
		{name: "report-console", who: owner, path: "/" + r.evidence.shop},
		{name: "report-network", who: owner, path: "/" + r.evidence.shop + "?tab=network&occurrence=1"},
		{name: "report-request", who: owner, path: "/" + r.evidence.shop + "?tab=network&occurrence=1&request=9"},
		{name: "report-actions", who: owner, path: "/" + r.evidence.shop + "?tab=actions"},
		{name: "report-environment", who: owner, path: "/" + r.evidence.shop + "?tab=environment"},
		{name: "report-occurrence", who: owner, path: "/" + r.evidence.shop + "?occurrence=3"},
		{name: "report-occurrences", who: owner, path: "/" + r.evidence.shop,
			click: []string{"[popovertarget=menu-occurrences]"}},
		{name: "report-filtered", who: owner, path: "/" + r.evidence.shop + "?q=zzzz"},
		{name: "report-clocks", who: owner, path: "/" + r.evidence.clocks},
		{name: "report-flood", who: owner, path: "/" + r.evidence.flood},
		{name: "share-dialog", who: owner, path: "/WEB-161", click: []string{"[commandfor=share]"}},
		{name: "share", who: owner, path: "/" + r.evidence.shop + "/shares"},
		{name: "share-faults", who: owner, path: "/WEB-161/shares",
			post: []string{"parts", "console", "parts", "x", "expiresAt", "2020-01-01"}},
		{name: "share-created", who: owner, path: "/WEB-160/shares",
			post: []string{"once", "6", "parts", "console", "parts", "comments"}},
		{name: "share-again", who: owner, path: "/WEB-160/shares",
			post: []string{"once", "6", "parts", "console", "parts", "comments"}},
		{name: "share-changed", who: owner, path: "/WEB-160/shares", post: []string{"once", "6"}},
		{name: "shares", who: owner, path: "/settings/shares?workspace=WEB"},
		{name: "shares-empty", who: owner, path: "/settings/shares?workspace=APP"},
		{name: "shares-revoke", who: owner, path: "/settings/shares?workspace=WEB",
			click: []string{"[commandfor^=revoke-]"}},
		{name: "shared", path: r.share},
		{name: "shared-network", path: r.share + "?tab=network&request=1"},
		{name: "shared-environment", path: r.share + "?tab=environment"},
		{name: "shared-plain", path: r.plainShare},
		{name: "shared-gone", path: "/s/svc_shr_none"},
		{name: "reporter", path: r.reporterPage},
		{name: "reporter-fault", path: r.reporterPage, post: []string{"text", " "}},
		{name: "reporter-erase", path: r.reporterPage + "/erase"},
		{name: "reporter-gone", path: "/r/none"},
		{name: "report-full", who: owner, path: r.report},
		{name: "report-reader", who: newcomer, path: r.report},
		{name: "report-edit", who: owner, path: r.report + "?edit=description"},
		{name: "report-title", who: owner, path: r.report + "?edit=summary"},
		{name: "report-conflict", who: owner, path: r.report + "/text",
			post: []string{"description", "What I have written", "former", "another"}},
		{name: "report-fault", who: owner, path: r.report + "/text", post: []string{"summary", "", "former", ""}},
		{name: "report-comment-fault", who: owner, path: r.report + "/comments", post: []string{"body", " "}},
		{name: "report-status", who: owner, path: r.report, click: []string{"#field-status"}},
		{name: "report-labels", who: owner, path: r.report, click: []string{"#field-labels"}},
		{name: "report-more", who: owner, path: r.report, click: []string{"[popovertarget=report-more]"}},
		{name: "report-comment-delete", who: owner, path: r.report,
			click: []string{".comment-actions [popovertarget^=delete]"}},
		{name: "report-originals", who: owner, path: r.report + "/duplicate"},
		{name: "report-original-missing", who: owner, path: r.report + "/duplicate",
			post: []string{"duplicateOf", "NO-1"}},
		{name: "report-deleted", who: owner, path: r.deleted},
		{name: "newreport", who: owner, path: "/new?workspace=WEB"},
		{name: "newreport-linked", who: member,
			path: "/new?workspace=WEB&summary=The+total+is+wrong&description=**Two**+mugs&labels=cart,checkout&priority=urgent"},
		{name: "newreport-draft", who: owner, path: "/new/draft",
			post: []string{"workspaceId", r.web, "summary", "The total of the cart is wrong", "description",
				markdown}},
		{name: "newreport-faults", who: owner, path: "/new?workspace=WEB",
			post: []string{"workspaceId", r.web, "summary", "", "description", markdown, "labels",
				strings.Repeat("x", 51)}},
		{name: "newreport-refused", who: owner, path: "/new?workspace=WEB",
			post: []string{"workspaceId", "wsp_01ja8m2c9tf3qb6h0v5r4x7kyz", "summary", "Cart"}},
		{name: "newreport-filed", who: owner, path: "/new?workspace=WEB",
			post: []string{"workspaceId", r.web, "once", "3", "summary", "Rendered", "description", markdown}},
		{name: "newreport-changed", who: owner, path: "/new?workspace=WEB",
			post: []string{"workspaceId", r.web, "once", "3", "summary", "Changed"}},
		{name: "newfiles", who: owner, path: "/new/WEB-161/files"},
		{name: "newfiles-missing", who: owner, path: "/new/WEB-161/files", post: []string{"once", "4"}},
		{name: "problem", who: owner, path: "/WEB-999"},
		{name: "problem-view", who: owner, path: strings.Replace(r.view, "view=", "view=x", 1)},
		{name: "problem-view-gone", who: owner,
			path: "/reports/views/viw_01ja8m2c9tf3qb6h0v5r4x7kyz/delete?workspace=WEB",
			post: []string{"version", `"1"`}},
		{name: "problem-workspace", who: owner, path: "/reports?workspace=NONE"},
		{name: "problem-invalid", who: owner, path: "/refused/invalid_parameter"},
		{name: "problem-conflict", who: owner, path: "/refused/conflict"},
		{name: "problem-forbidden", who: owner, path: "/refused/forbidden"},
		{name: "problem-failed", who: owner, path: "/refused/internal"},
		{name: "problem-unavailable", who: owner, path: "/refused/unavailable"},
		{name: "problem-limited", who: owner, path: "/refused/rate_limited"},
		{name: "problem-large", who: owner, path: "/settings/profile",
			post: []string{"name", strings.Repeat("x", maxForm)}},
		{name: "problem-method", who: owner, path: "/logout"},
		{name: "switcher", who: owner, path: "/settings/security",
			click: []string{"#sidebar [popovertarget=workspaces]"}},
		{name: "account", who: owner, path: "/settings/security",
			click: []string{"#sidebar [popovertarget=account]"}},
		{name: "drawer", who: owner, path: "/settings/keys", click: []string{"[popovertarget=sidebar]"}},
	}
}

// hostileStates lists the pages that show what people and programs name.
func hostileStates(r records) []state {
	key := []string{"name", attacks[0], "type", "pat", "scopes", "slices:read"}
	return []state{
		{name: "my", who: owner, path: "/my"},
		{name: "inbox", who: owner, path: "/inbox"},
		{name: "watching", who: owner, path: "/inbox/watching"},
		{name: "view", who: owner, path: r.view},
		{name: "keys", who: owner, path: "/settings/keys"},
		{name: "key", who: owner, path: r.ci},
		{name: "key-refusals", who: owner, path: r.ci + "?tab=refusals"},
		{name: "key-grace", who: owner, path: r.grace},
		{name: "key-revoked", who: owner, path: r.revoked},
		{name: "endedkeys", who: owner, path: "/settings/keys/ended"},
		{name: "key-revoke", who: owner, path: r.ci, click: []string{"[commandfor=revoke]"}},
		{name: "account", who: owner, path: "/settings/profile", click: []string{"#sidebar [popovertarget=account]"}},
		{name: "switcher", who: owner, path: "/settings/security",
			click: []string{"#sidebar [popovertarget=workspaces]"}},
		{name: "reports", who: owner, path: "/reports?q=sort:created-asc"},
		{name: "reports-labels", who: owner, path: "/reports?workspace=WEB&q=sort:created-asc",
			click: []string{".row [name=items]", ".selection [popovertarget=menu-labels]"}},
		{name: "reports-assignee", who: owner, path: "/reports?group=assignee",
			click: []string{".row [popovertarget=menu-assignee]"}},
		{name: "reports-search", who: owner, path: "/reports?q=" +
			url.QueryEscape("label:"+attacks[2][:60]+" \""+strings.ReplaceAll(attacks[0], `"`, "")+"\"")},
		{name: "reports-fault", who: owner, path: "/reports?q=" + url.QueryEscape(attacks[0]+" "+attacks[2])},
		{name: "board", who: owner, path: "/board"},
		{name: "overview", who: owner, path: "/overview?workspace=WEB"},
		{name: "tests", who: owner, path: "/tests?workspace=WEB&sort=slowest"},
		{name: "overview-start", who: owner, path: "/overview?workspace=APP"},
		{name: "newkey-workspaces", who: owner, path: "/settings/keys/new?type=wst"},
		{name: "newkey-faults", who: owner, path: "/settings/keys",
			post: []string{"name", attacks[0], "type", attacks[0], "scopes", attacks[0], "expiresAt", attacks[0]}},
		{name: "newkey-created", who: owner, path: "/settings/keys", post: key},
		{name: "newkey-unbroken", who: owner, path: "/settings/keys",
			post: append([]string{"name", attacks[2][:100]}, key[2:]...)},
		{name: "report-full", who: owner, path: r.report},
		{name: "report-edit", who: owner, path: r.report + "?edit=description"},
		{name: "report-conflict", who: owner, path: r.report + "/text",
			post: []string{"description", attacks[0], "former", "another"}},
		{name: "report-labels", who: owner, path: r.report, click: []string{"#field-labels"}},
		{name: "report-originals", who: owner, path: r.report + "/duplicate"},
		{name: "report-deleted", who: owner, path: r.deleted},
		{name: "report", who: owner, path: "/WEB-160"},
		{name: "report-unbroken", who: owner, path: "/WEB-161"},
		{name: "report-marks", who: owner, path: "/WEB-162"},
		{name: "report-evidence", who: owner, path: "/" + r.evidence.shop},
		{name: "report-environment", who: owner, path: "/" + r.evidence.shop + "?tab=environment&occurrence=1"},
		{name: "share", who: owner, path: "/" + r.evidence.shop + "/shares"},
		{name: "shares", who: owner, path: "/settings/shares?workspace=WEB"},
		{name: "shares-revoke", who: owner, path: "/settings/shares?workspace=WEB",
			click: []string{"[commandfor^=revoke-]"}},
		{name: "shared", path: r.share},
		{name: "shared-network", path: r.share + "?tab=network&request=1"},
		{name: "shared-environment", path: r.share + "?tab=environment"},
		{name: "newreport", who: owner, path: "/new?workspace=WEB"},
		{name: "newreport-draft", who: owner, path: "/new/draft",
			post: []string{"workspaceId", r.web, "summary", attacks[0], "description", strings.Join(attacks, "\n\n") +
				marks}},
		{name: "newreport-filed", who: owner, path: "/new?workspace=WEB",
			post: []string{"workspaceId", r.web, "summary", attacks[2][:100], "description",
				strings.Join(attacks, "\n\n") + marks}},
		{name: "newfiles", who: owner, path: "/new/WEB-161/files"},
		{name: "policies-preview", who: owner, path: "/settings/policies",
			post: []string{"personalKeyScopes", "slices:read",
				"sessionHours", "1", "personalKeyDays", "1", "invitationDomains", "nowhere.example"}},
		{name: "people", who: owner, path: "/settings/people"},
		{name: "person", who: owner, path: "/settings/people/" + r.person},
		{name: "erasure", who: owner, path: "/settings/people/" + r.person + "/erase"},
		{name: "invite", who: owner, path: "/settings/people/new"},
		{name: "invitation", path: r.invitation},
		{name: "workspace", who: owner, path: "/settings/workspace?workspace=WEB"},
		{name: "confirm", who: "stale", path: "/settings/keys", post: key},
		{name: "login", path: "/login", post: []string{"email", attacks[0], "password", "wrong"}},
	}
}

// markdown is a description with everything that Markdown has.
const markdown = "# Steps\n\n1. Put **two** mugs into the _cart_\n2. Use the voucher `SPRING` twice\n   - at " +
	"https://shop.example.com/cart\n\n" +
	"> The total is ~~4.00~~ -4.00 €.\n\n```js\nconst total = cart.total - voucher.value; // twice\n```\n\n| Field | Value " +
	"|\n|---|--:|\n| total | -4.00 |\n\n" +
	"- [x] seen in Firefox\n- [ ] seen in Safari\n\n![A picture](https://pictures.example/cart.png)\n\n---\n\n<details>as it is</details>"

// setupStates lists the states of the first run of an empty world.
func setupStates(link string) []state {
	form := func(password string) []string {
		return []string{"organization", "Northwind", "name", "Mara Lindqvist", "email", owner, "password", password}
	}
	return []state{
		{name: "setup", path: link},
		{name: "setup-faults", path: link, post: form("short")},
		{name: "setup-done", path: link, post: form(password)},
		{name: "setup-used", path: link},
	}
}
