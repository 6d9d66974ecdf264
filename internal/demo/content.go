// Package demo fills an empty instance with believable data: an organisation, its people,
// three workspaces and 300 slices of the last four months. It is the same on each run but
// for its dates.
package demo

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"bugslice/api"
)

// Organization is the demo's organisation.
const Organization = "Northwind Outfitters"

// Person is a user of the demo; the first is its owner.
type Person struct{ Key, Name, Email string }

// People are the demo's users.
var People = []Person{
	{"mara", "Mara Lindqvist", "mara@northwind.example"},
	{"tunde", "Tunde Adeyemi", "tunde@northwind.example"},
	{"ines", "Inês Carvalho", "ines@northwind.example"},
	{"kenji", "Kenji Watanabe", "kenji@northwind.example"},
}

// Team is a workspace of the demo. Its first member is its admin.
type Team struct {
	Name, Description string
	Spaces            []api.SpaceFields
	Members           []string // keys of people
	scenarios         []scenario
	settings          []setting
	reports           int
	site              string
}

// setting is where a bug was met; where tells the summaries of one scenario apart.
type setting struct {
	where, browser, os, device, viewport, locale, timezone string
}

func text(s string) *string { return &s }

func spaces(names ...string) []api.SpaceFields {
	all := make([]api.SpaceFields, len(names))
	for i, n := range names {
		all[i] = api.SpaceFields{Name: n}
	}
	return all
}

// Teams are the demo's workspaces.
var Teams = []Team{
	{"Web shop", "Everything the customer sees in a browser", spaces("Checkout", "Search", "Account", "Product pages"), []string{"mara", "tunde", "ines"}, shopScenarios, []setting{
		{"in Firefox on Windows", "Firefox 144", "Windows 11", "ThinkPad X1", "1440x812", "sv-SE", "Europe/Stockholm"},
		{"in Safari on macOS", "Safari 19.1", "macOS 26.1", "MacBook Air", "1512x861", "en-GB", "Europe/London"},
		{"in Chrome on Android", "Chrome 142", "Android 16", "Pixel 9", "412x915", "de-DE", "Europe/Berlin"},
		{"in Safari on iPhone", "Safari 19.1", "iOS 19.1", "iPhone 16", "390x844", "fr-FR", "Europe/Paris"},
		{"in Edge with a Polish locale", "Edge 142", "Windows 11", "Surface Laptop", "1536x864", "pl-PL", "Europe/Warsaw"},
		{"at 200 % zoom", "Chrome 142", "Ubuntu 24.04", "Desktop", "960x540", "en-US", "America/New_York"},
		{"for guests", "Chrome 142", "Windows 10", "Desktop", "1920x969", "nb-NO", "Europe/Oslo"},
		{"since release 2026.11", "Firefox 144", "Fedora 43", "Desktop", "1920x1004", "pt-PT", "Europe/Lisbon"},
	}, 160, "https://shop.northwind.example/"},
	{"Mobile app", "The app for iOS and Android", spaces("Onboarding", "Scanner", "Offline", "Push"), []string{"ines", "kenji", "mara"}, appScenarios, []setting{
		{"on Pixel 9", "", "Android 16", "Pixel 9", "412x915", "en-GB", "Europe/London"},
		{"on iPhone 16", "", "iOS 19.1", "iPhone 16", "390x844", "ja-JP", "Asia/Tokyo"},
		{"on Galaxy Tab S10", "", "Android 16", "Galaxy Tab S10", "1280x800", "ko-KR", "Asia/Seoul"},
		{"on iPhone SE", "", "iOS 18.7", "iPhone SE", "375x667", "es-ES", "Europe/Madrid"},
		{"on Fairphone 5", "", "Android 15", "Fairphone 5", "412x892", "nl-NL", "Europe/Amsterdam"},
		{"with the beta of iOS 19.2", "", "iOS 19.2 beta 2", "iPhone 15 Pro", "393x852", "en-US", "America/Chicago"},
		{"in dark mode", "", "Android 16", "Nothing Phone 3", "412x919", "it-IT", "Europe/Rome"},
		{"after an update from 4.16", "", "iOS 19.1", "iPhone 14", "390x844", "sv-SE", "Europe/Stockholm"},
	}, 92, "app://northwind/"},
	{"Warehouse", "Picking, labels and stock in Malmö and Gdańsk", spaces("Picking", "Labels", "Stock"), []string{"tunde", "mara", "kenji"}, warehouseScenarios, []setting{
		{"at station 3", "Chrome 138", "ChromeOS", "Station 3", "1366x768", "sv-SE", "Europe/Stockholm"},
		{"at station 7", "Chrome 138", "ChromeOS", "Station 7", "1366x768", "sv-SE", "Europe/Stockholm"},
		{"in Gdańsk", "Chrome 138", "ChromeOS", "Station 11", "1366x768", "pl-PL", "Europe/Warsaw"},
		{"with the ring scanner", "", "Android 13", "Zebra RS5100", "480x800", "sv-SE", "Europe/Stockholm"},
		{"in the night shift", "Chrome 138", "ChromeOS", "Station 2", "1366x768", "pl-PL", "Europe/Warsaw"},
		{"on the handheld", "", "Android 13", "Zebra TC58", "360x720", "en-GB", "Europe/Stockholm"},
	}, 48, "https://wms.northwind.example/"},
}

// Report is a slice of the demo.
type Report struct {
	Space, Reporter, Assignee string // a space's name; keys of people, "ci" and ""
	Age                       time.Duration
	ResolvedAfter             time.Duration // zero while it is open or in progress
	DuplicateOf               int           // index among the team's reports, or -1
	Fields                    api.SliceFields
}

const period = 120 * 24 * time.Hour

// Reports returns a team's reports, oldest first.
func (t Team) Reports() []Report {
	r := rand.New(rand.NewPCG(7, uint64(t.reports)))
	order := r.Perm(len(t.scenarios) * len(t.settings))[:t.reports]
	all := make([]Report, t.reports)
	for i, n := range order {
		all[i] = t.report(r, n, i, order[:i])
	}
	return all
}

func (t Team) report(r *rand.Rand, n, i int, before []int) Report {
	s, at := t.scenarios[n/len(t.settings)], t.settings[n%len(t.settings)]
	rep := Report{Space: s.space, Reporter: t.Members[r.IntN(len(t.Members))], DuplicateOf: -1,
		Age: period*time.Duration(t.reports-i)/time.Duration(t.reports) - time.Duration(r.IntN(90))*time.Minute}
	rep.Fields = api.SliceFields{Summary: s.summary + " " + at.where, Description: text(describe(s, at)), Labels: s.labels,
		SourceURL:   text(t.site + strings.ToLower(strings.ReplaceAll(s.space, " ", "-"))),
		Environment: environment(r, at), Metadata: map[string]string{"customers": fmt.Sprint(1 + r.IntN(40))}}
	severity := s.severity
	rep.Fields.Severity = &severity
	priority := []api.Priority{"urgent", "high", "high", "medium", "medium", "medium", "low"}[r.IntN(7)]
	rep.Fields.Priority = &priority
	if s.trace != "" && r.IntN(3) == 0 {
		rep.Reporter = "ci"
		rep.Fields.ExternalID = text(fmt.Sprintf("ci-%d-%d", 8000+i, n))
	}
	if r.IntN(4) > 0 {
		rep.Assignee = t.Members[r.IntN(len(t.Members))]
	}
	t.settle(r, &rep, n, before)
	return rep
}

// settle gives a report its status: the older, the likelier it is done.
func (t Team) settle(r *rand.Rand, rep *Report, n int, before []int) {
	draw := r.IntN(100) - int(30*float64(rep.Age)/float64(period))
	switch {
	case draw < 4:
		rep.Fields.Status = api.Closed
	case draw < 26:
		rep.Fields.Status = api.Resolved
	case draw < 40:
		rep.Fields.Status = api.InProgress
		return
	default:
		rep.Fields.Status = api.Open
		return
	}
	rep.ResolvedAfter = min(time.Duration(1+r.IntN(20*24))*time.Hour, rep.Age*9/10)
	resolution := []api.Resolution{"fixed", "fixed", "fixed", "fixed", "wont_fix", "cannot_reproduce", "not_a_bug"}[r.IntN(7)]
	for j, m := range before {
		if m/len(t.settings) == n/len(t.settings) && r.IntN(2) == 0 {
			rep.DuplicateOf, resolution = j, api.Duplicate
			break
		}
	}
	rep.Fields.Resolution = &resolution
}

func describe(s scenario, at setting) string {
	var b strings.Builder
	b.WriteString("### Steps\n")
	for i, step := range strings.Split(s.steps, "|") {
		fmt.Fprintf(&b, "%d. %s\n", i+1, step)
	}
	fmt.Fprintf(&b, "\n### Expected\n%s.\n\n### Actual\n%s.\n\nSeen %s.\n", s.expected, s.actual, at.where)
	if s.trace != "" {
		fmt.Fprintf(&b, "\n```\n%s\n```\n", s.trace)
	}
	return b.String()
}

func environment(r *rand.Rand, at setting) api.Environment {
	ratio := []float64{1, 1.25, 2, 3}[r.IntN(4)]
	e := api.Environment{OS: text(at.os), Device: text(at.device), Viewport: text(at.viewport), Locale: text(at.locale), Timezone: text(at.timezone),
		DevicePixelRatio: &ratio, AppVersion: text(fmt.Sprintf("4.%d.%d", 14+r.IntN(5), r.IntN(6))), Release: text(fmt.Sprintf("2026.%d.%d", 8+r.IntN(4), 1+r.IntN(5))),
		Commit: text(fmt.Sprintf("%07x", r.Uint32()>>4)), Branch: text("main")}
	if at.browser != "" {
		e.Browser = text(at.browser)
	}
	return e
}
