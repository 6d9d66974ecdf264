package trace

import (
	"encoding/json"
	"regexp"
	"strings"

	"bugslice/api"
)

// kinds are the types of the actions by the methods of Playwright. Calls of other methods, such as evaluate, are not
// of the user.
var kinds = map[string]string{
	"goto": "navigate", "reload": "navigate", "goBack": "navigate", "goForward": "navigate", "setContent": "navigate",
	"click": "click", "dblclick": "dblclick", "tap": "tap", "mouseClick": "click", "touchscreenTap": "tap",
	"fill": "input", "type": "input", "keyboardType": "input", "keyboardInsertText": "input",
	"press": "keydown", "keyboardPress": "keydown", "keyboardDown": "keydown",
	"check": "change", "uncheck": "change", "selectOption": "change", "setInputFiles": "change",
	"hover": "hover", "focus": "focus", "blur": "blur", "dragAndDrop": "drag", "selectText": "select",
	"mouseWheel": "scroll", "scrollIntoViewIfNeeded": "scroll", "setViewportSize": "resize", "dispatchEvent": "dispatch",
	"expect": "expect", "waitForSelector": "wait", "waitForTimeout": "wait",
}

// actions collects the calls of all parts.
type actions struct {
	all   list[*call]
	calls map[string]*call // of the part, by id
	steps map[string]step  // of the test, by id
}

func newActions() *actions { return &actions{calls: map[string]*call{}, steps: map[string]step{}} }

// call is a call of a method of Playwright.
type call struct {
	api.ActionEntry
	stepID   string
	resolved string // the element, as Playwright writes it
}

// step is a step of the test, which has the locators as the test has them.
type step struct{ locator string }

// params are the parameters of a call. Each method has some of them.
type params struct {
	Selector   string
	Locator    string
	URL        string
	Value      string
	Text       string
	Key        string
	Expression string
	Options    []struct {
		ValueOrLabel, Value, Label string
	}
	ExpectedText []struct{ String string }
}

// add adds a call of the library, or a step of the test.
func (a *actions) add(part *part, e event) {
	var p params
	// A parameter of another type stays empty, and the others are read.
	_ = json.Unmarshal(e.Params, &p)
	at, ok := part.at(e.StartTime)
	switch {
	case !ok:
	case part.isTest:
		a.steps[e.CallID] = step{p.Locator}
		if e.Method == "test.step" || strings.HasPrefix(e.CallID, "test.step@") {
			title := e.Title + e.APIName
			a.all.add(&call{ActionEntry: api.ActionEntry{Type: "step", Timestamp: at, Text: &title}})
		}
	case kinds[e.Method] != "":
		c := &call{ActionEntry: p.action(e.Method), stepID: e.StepID}
		if c.Timestamp = at; c.stepID == "" {
			c.stepID = e.CallID
		}
		if c.URL == nil {
			c.URL = optional(part.url)
		}
		a.all.add(c)
		a.calls[e.CallID] = c
	}
}

// action returns a call as an action of the user.
func (p params) action(method string) api.ActionEntry {
	a := api.ActionEntry{Type: kinds[method], Selector: optional(p.Selector), URL: optional(p.URL)}
	switch method {
	case "fill", "type":
		a.Value = optional(p.Value + p.Text)
	case "keyboardType", "keyboardInsertText":
		a.Value = optional(mask(p.Text)) // no field is named, so it may be a password
	case "press":
		a.Value = optional(p.Key)
	case "keyboardPress", "keyboardDown":
		if a.Value = optional(p.Key); len(p.Key) == 1 {
			a.Value = optional(mask(p.Key))
		}
	case "check":
		a.Value = optional("checked")
	case "uncheck":
		a.Value = optional("unchecked")
	case "selectOption":
		var chosen []string
		for _, o := range p.Options {
			chosen = append(chosen, o.ValueOrLabel+o.Value+o.Label)
		}
		a.Value = optional(strings.Join(chosen, ", "))
	case "expect":
		text := p.Expression
		for _, expected := range p.ExpectedText {
			text += " " + expected.String
		}
		a.Text = optional(text)
	}
	return a
}

// mask replaces a text by as many signs.
func mask(text string) string { return strings.Repeat("•", min(len([]rune(text)), 20)) }

// log takes the element of an action from what Playwright logs about it.
func (a *actions) log(e event) {
	if _, element, ok := strings.Cut(e.Message, "locator resolved to "); ok && a.calls[e.CallID] != nil {
		a.calls[e.CallID].resolved = element
	}
}

var (
	password = regexp.MustCompile(`(?i)^<input\b[^>]*\btype="?password\b`)
	label    = regexp.MustCompile(`^<[^>]+>([^<]+)</`)
)

// rows returns the calls as actions, whose fields are known now: the newest that fit, and the number of the others.
func (a *actions) rows() (rows []api.ActionEntry, older int) {
	for _, c := range a.all.rows {
		if s := a.steps[c.stepID]; s.locator != "" {
			c.Selector = &s.locator
		}
		if c.Value != nil && password.MatchString(c.resolved) {
			c.Value = optional(mask(*c.Value))
		}
		if found := label.FindStringSubmatch(c.resolved); found != nil && c.Text == nil && c.Value == nil {
			c.Text = optional(unescapeHTML(found[1]))
		}
		rows = append(rows, c.ActionEntry)
	}
	rows, older = newest(rows, maxActions, func(e api.ActionEntry) api.Time { return e.Timestamp })
	return rows, a.all.older + older
}

// unescapeHTML replaces the entities that browsers write when they serialise an element.
func unescapeHTML(text string) string { return htmlEntities.Replace(text) }

var htmlEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&nbsp;", "\u00a0", "&amp;", "&")
