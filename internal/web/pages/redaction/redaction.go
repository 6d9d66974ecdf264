// Package redaction is the redaction rules of a workspace in the settings. They can be tried on a text, which is
// stored nowhere.
package redaction

import (
	"embed"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
	"bugslice/internal/web/page"
	"bugslice/internal/web/ui"
)

//go:embed page.html
var folder embed.FS

var view = ui.NewPage("redaction", folder)

type data struct {
	Workspace page.Workspace
	Admin     bool // whether the reader may change the rules
	Rules     form
	Version   string                 // of the rules that the form was made from
	ETag      string                 // of the workspace
	Faults    map[string][]ruleFault // by the name of the field
	Code      string                 // why the rules were not saved
	Stored    *api.RedactionRules    // that somebody else has saved since the form was shown

	Counts api.RedactionCounts // what the rules have removed
	Most   int64               // the largest number of values that one of them has removed

	Trial      *api.RuleTrial // of the rules of the form on the newest reports
	Confirming string         // identifies the rules that are saved once the trial was seen; empty when none are

	Text   string // that the rules were tried on
	Tried  *api.DryRunResult
	Pieces []piece
}

// form is the rules as the fields of a form.
type form struct {
	Fields, Allow, Off string // one a line
	Added              string
	Patterns           []pattern
}

// pattern is a row of the form, with what is wrong with it.
type pattern struct {
	api.RedactionPattern
	Fault api.Fault
}

// ruleFault is what is wrong with the rule in a line of a field; Line is 0 for a fault of all of them.
type ruleFault struct {
	Line   int
	Detail string
}

// piece is a part of the text, with the rule that removes it; without one it stays.
type piece struct{ Text, Kind, Rule string }

// freePatterns is the number of empty rows for further patterns.
const freePatterns = 2

// Show shows the rules.
func Show(q *page.Request) (page.Result, error) { return page.Load(q, view, load) }

func load(q *page.Request) (d data, err error) {
	v, err := input.Check(api.GetWorkspace{WorkspaceID: q.Workspace.ID})
	if err != nil {
		return d, err
	}
	w, err := q.Tracker.GetWorkspace(q.Context(), q.Session.Caller, v)
	d = data{Workspace: q.Workspace, Admin: q.Workspace.Role == api.RoleAdmin,
		Version: page.ContentVersion(w.Redaction), ETag: w.ETag()}
	d.Rules = form{Fields: strings.Join(w.Redaction.Fields, "\n"), Allow: strings.Join(w.Redaction.Allow, "\n"),
		Off: strings.Join(w.Redaction.Off, "\n"), Added: w.Redaction.Added}
	for _, p := range w.Redaction.Patterns {
		d.Rules.Patterns = append(d.Rules.Patterns, pattern{RedactionPattern: p})
	}
	d.Rules.extend()
	if err != nil {
		return d, err
	}
	d.Counts, err = page.Call(q, q.Tracker.GetRedactionCounts, api.GetRedactionCounts{WorkspaceID: q.Workspace.ID})
	for _, u := range d.Counts.Rules {
		d.Most = max(d.Most, u.Removed, u.Mistakes)
	}
	return d, err
}

// MayOff reports whether the reader may switch a rule off.
func (d data) MayOff(u api.RuleUse) bool { return d.Admin && !u.Off && tracker.MaySwitchOff(u.Rule) }

// Bar returns the length of the bar of a number, of 100. Its scale is logarithmic: some rules remove a thousand times as
// much as others.
func (d data) Bar(n int64) int64 {
	if n == 0 {
		return 0
	}
	return max(3, int64(100*math.Log1p(float64(n))/math.Log1p(float64(max(d.Most, 1)))))
}

// extend adds empty rows for further patterns.
func (f *form) extend() {
	for range freePatterns {
		f.Patterns = append(f.Patterns, pattern{})
	}
}

// bind returns the rules that a form means. A row without a pattern is left out.
func bind(posted url.Values) (f form, rules api.RedactionRules) {
	f = form{Fields: posted.Get("fields"), Allow: posted.Get("allow"), Off: posted.Get("off"),
		Added: strings.ReplaceAll(posted.Get("added"), "\r\n", "\n")}
	rules = api.RedactionRules{Fields: lines(posted["fields"]), Allow: lines(posted["allow"]),
		Off: lines(posted["off"]), Added: strings.TrimSpace(f.Added), Patterns: []api.RedactionPattern{}}
	masks := posted["mask"]
	for i, text := range posted["pattern"] {
		p := api.RedactionPattern{Pattern: strings.TrimSpace(text)}
		if i < len(masks) {
			p.Mask = masks[i]
		}
		if p.Pattern != "" || p.Mask != "" {
			f.Patterns = append(f.Patterns, pattern{RedactionPattern: p})
		}
		if p.Pattern != "" {
			rules.Patterns = append(rules.Patterns, p)
		}
	}
	f.extend()
	return f, rules
}

// rules returns the lists of a form as they were entered, without the empty rows.
func (f form) rules() *api.RedactionRules {
	r := &api.RedactionRules{Fields: lines([]string{f.Fields}), Allow: lines([]string{f.Allow}),
		Off: lines([]string{f.Off}), Added: f.Added}
	for _, p := range f.Patterns {
		if p.Pattern != "" {
			r.Patterns = append(r.Patterns, p.RedactionPattern)
		}
	}
	return r
}

func lines(texts []string) []string {
	all := []string{}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all
}

// Save stores the rules. It refuses rules that somebody else has changed since the form was shown.
func Save(q *page.Request) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	posted, rules := bind(q.PostForm)
	if rule := q.PostForm.Get("switch-off"); rule != "" { // the form has this rule alone
		posted, rules = d.Rules, *d.Rules.rules()
		rules.Off = append(rules.Off, rule)
		posted.Off = strings.Join(rules.Off, "\n")
	}
	if sent := q.PostForm.Get("version"); sent != "" && sent != d.Version {
		return stale(d, posted)
	}
	if confirming := page.ContentVersion(rules); d.Admin && q.PostForm.Get("tried") != confirming {
		trial, err := try(q, rules)
		if err == nil && removesMore(trial, *d.Rules.rules(), rules) { // the rules that are refused are so below
			d.Rules, d.Trial, d.Confirming = posted, &trial, confirming
			return page.Show(view, d)
		}
	}
	patch, err := asPatch(rules)
	if err != nil {
		return page.Result{}, err
	}
	v, err := input.Check(api.UpdateWorkspace{WorkspaceID: q.Workspace.ID, IfMatch: d.ETag, Patch: patch})
	if err == nil {
		_, err = q.Tracker.UpdateWorkspace(q.Context(), q.Session.Caller, v)
	}
	if err == nil {
		return page.Redirect("/settings/redaction?workspace="+q.Workspace.Key, "redaction-saved")
	}
	d.Rules = posted
	if page.HasCode(err, api.CodePrecondition) { // since they were read
		if d, err = load(q); err != nil {
			return page.Result{}, err
		}
		return stale(d, posted)
	}
	return refuse(d, err)
}

// try tries rules on the newest reports of the workspace.
func try(q *page.Request, rules api.RedactionRules) (api.RuleTrial, error) {
	return page.Call(q, q.Tracker.TryRules, api.TryRules{WorkspaceID: q.Workspace.ID,
		Body: api.TriedRules{Rules: &rules}})
}

// removesMore reports whether a trial has a removal by a rule that was changed, and not by one that is stored.
func removesMore(trial api.RuleTrial, stored, changed api.RedactionRules) bool {
	sameIDs := stored.Added == changed.Added && slices.Equal(stored.Off, changed.Off)
	return slices.ContainsFunc(trial.Removals, func(r api.TriedRemoval) bool {
		if r.Rule == nil {
			return !sameIDs
		}
		return !slices.Contains(stored.Fields, *r.Rule) &&
			!slices.ContainsFunc(stored.Patterns, func(p api.RedactionPattern) bool { return p.Pattern == *r.Rule })
	})
}

// stale shows the form with rules that are not saved, because somebody else has changed the stored ones.
func stale(d data, posted form) (page.Result, error) {
	d.Stored, d.Rules, d.Code = d.Rules.rules(), posted, api.CodePrecondition
	return page.Result{Page: view, Data: d, Status: http.StatusPreconditionFailed}, nil
}

// asPatch returns the patch of a workspace that replaces its rules.
func asPatch(rules api.RedactionRules) (api.WorkspacePatch, error) {
	text, err := json.Marshal(rules)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	err = json.Unmarshal(text, &members)
	return api.WorkspacePatch{"redaction": members}, err
}

// refuse shows the form with the faults that an error names, each at its rule.
func refuse(d data, err error) (page.Result, error) {
	var p *api.Problem
	if !errors.As(err, &p) || p.Status != http.StatusUnprocessableEntity {
		return page.Result{}, err
	}
	d.Faults = map[string][]ruleFault{}
	for _, f := range p.Errors {
		d.place(f)
	}
	if p.Code == api.CodeRedactionCost {
		d.Code = p.Code
	}
	return page.Invalid(view, d)
}

// place puts a fault at the rule that its pointer names, or at the field.
func (d *data) place(f api.Fault) {
	path := strings.Split(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(f.Pointer, "/rules"), "/redaction"),
		"/"), "/")
	of := ruleFault{Detail: f.Detail}
	if len(path) > 1 {
		n, _ := strconv.Atoi(path[1])
		switch path[0] {
		case "fields":
			of.Line = lineOf(d.Rules.Fields, n)
		case "allow":
			of.Line = lineOf(d.Rules.Allow, n)
		case "off":
			of.Line = lineOf(d.Rules.Off, n)
		case "patterns":
			if row := d.Rules.rowOf(n); row != nil {
				row.Fault = f
				return
			}
		}
	}
	d.Faults[path[0]] = append(d.Faults[path[0]], of)
}

// lineOf returns the number of the line of a rule in a text; 0 for none.
func lineOf(text string, rule int) int {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.TrimSpace(line) == "" {
			continue
		}
		if rule--; rule < 0 {
			return number
		}
	}
	return 0
}

// rowOf returns the row of a pattern; nil for none.
func (f form) rowOf(rule int) *pattern {
	for i := range f.Patterns {
		if f.Patterns[i].Pattern == "" {
			continue
		}
		if rule--; rule < 0 {
			return &f.Patterns[i]
		}
	}
	return nil
}

// Try shows what the rules of the form remove from a text and from the newest reports. The text is stored nowhere.
func Try(q *page.Request) (page.Result, error) {
	d, err := load(q)
	if err != nil {
		return page.Result{}, err
	}
	d.Text = strings.ReplaceAll(q.PostForm.Get("text"), "\r\n", "\n")
	in := api.DryRun{WorkspaceID: q.Workspace.ID, Body: api.DryRunFields{Text: &d.Text}}
	if q.PostForm.Has("fields") {
		var rules api.RedactionRules
		d.Rules, rules = bind(q.PostForm)
		in.Body.Rules = &rules
		if sent := q.PostForm.Get("version"); sent != "" {
			d.Version = sent
		}
	}
	v, err := input.Check(in)
	var result api.DryRunResult
	if err == nil {
		result, err = q.Tracker.DryRun(q.Context(), q.Session.Caller, v)
	}
	if err != nil {
		return refuse(d, err)
	}
	d.Tried, d.Pieces = &result, pieces(d.Text, result.Removals)
	if in.Body.Rules != nil {
		trial, err := try(q, *in.Body.Rules)
		if err != nil {
			return refuse(d, err)
		}
		d.Trial = &trial
	}
	return page.Show(view, d)
}

// pieces returns a text in pieces, those that stay and those that are removed.
func pieces(text string, removals *[]api.Removal) (all []piece) {
	if removals == nil {
		return nil
	}
	points := []rune(text)
	at := int64(0)
	for _, r := range *removals {
		removed := piece{Text: string(points[r.Start:r.End]), Kind: r.Kind}
		if removed.Rule = r.RuleID; r.Rule != nil {
			removed.Rule = *r.Rule
		}
		all = append(all, piece{Text: string(points[at:r.Start])}, removed)
		at = r.End
	}
	return append(all, piece{Text: string(points[at:])})
}
