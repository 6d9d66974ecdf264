package page

import (
	"errors"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/web/ui"
)

// Evidence is the data of the component evidence: what was captured of one occurrence of a report, and one open panel.
type Evidence struct {
	EvidenceView
	Stage  Stage
	Tabs   []EvidenceTab
	First  string               // the tab that is open when none is selected
	Switch []EvidenceOccurrence // empty for a single occurrence
	Away   bool                 // whether the storage of the files of the open panel cannot be reached

	// The open panel; nil for the others.
	Console     *ConsolePanel
	Network     *NetworkPanel
	Actions     *ActionsPanel
	Environment *EnvironmentPanel
}

// EvidenceTab is the tab of a panel.
type EvidenceTab struct {
	Name, Address string
	Count, Faults int64 // rows, and those of them that are errors or failed requests
	Current       bool
}

// EvidenceOccurrence is an occurrence that can be shown in place of another one.
type EvidenceOccurrence struct {
	api.SliceOccurrence
	Address string
	Current bool
}

// System returns the browser and the operating system of the occurrence, empty when nothing is known of them.
func (o EvidenceOccurrence) System() string {
	known := []string{textOf(o.Environment.Browser), textOf(o.Environment.OS)}
	return strings.Join(slices.DeleteFunc(known, func(text string) bool { return text == "" }), " · ")
}

// Earlier returns the address of the occurrence before the one that is shown, empty for none.
func (e *Evidence) Earlier() string { return e.beside(-1) }

// Later returns the address of the occurrence after the one that is shown, empty for none.
func (e *Evidence) Later() string { return e.beside(1) }

func (e *Evidence) beside(by int64) string {
	number := e.Captured.Occurrence.Number + by
	if number < 1 || number > e.Captured.Occurrences {
		return ""
	}
	return e.Of(number)
}

// fragment is the page of one panel alone.
var fragment = ui.NewFragment("evidence-fragment")

// WantsPanel says whether the script of the component asks for one panel of the page.
func (q *Request) WantsPanel() bool {
	return q.Header.Get("HX-Request-Type") == "partial" && q.Header.Get("HX-Target") == "panel"
}

// Fragment answers the script that asks for a panel.
func (e *Evidence) Fragment() (Result, error) { return Show(fragment, e) }

// ReadEvidence returns the evidence of a report as the address of the request selects it.
func (q *Request) ReadEvidence(from EvidenceSource, sliceID, reference string, parts EvidenceParts) (*Evidence, error) {
	state := parseEvidenceState(q.URL.Path, q.URL.Query())
	e := &Evidence{EvidenceView: EvidenceView{EvidenceState: state, SliceID: sliceID, Reference: reference,
		BaseURL: q.BaseURL}}
	var err error
	if e.Captured, err = from.Captured(e.Occurrence); err != nil {
		return nil, err
	}
	if e.Captured.Occurrences > 1 {
		e.Occurrence = e.Captured.Occurrence.Number
		for _, o := range e.Captured.Others {
			e.Switch = append(e.Switch, EvidenceOccurrence{o, e.Of(o.Number), o.Number == e.Occurrence})
		}
	}
	e.setTabs(parts)
	e.setZero(parts)
	limit := rowsOfPage
	if q.WantsPanel() {
		limit = rowsOfPiece
	}
	switch e.Tab {
	case ConsoleTab:
		e.Console, err = e.readConsole(from, limit)
	case NetworkTab:
		e.Network, err = e.readNetwork(from, limit)
	case ActionsTab:
		e.Actions, err = e.readActions(from, limit)
	case EnvironmentTab:
		e.Environment, err = e.readEnvironment(from, parts)
	}
	if errors.Is(err, blob.ErrUnavailable) {
		e.Away, err = true, nil
	}
	return e, err
}

// isDescribed returns whether an occurrence has anything that the panel of the environment shows.
func isDescribed(o api.SliceOccurrence) bool {
	return o.Environment != (api.Environment{}) || len(o.Metadata) > 0 || textOf(o.ExternalID) != ""
}

// Nothing returns whether there is nothing to show: no tab has rows or a description of the system, and there is no
// replay and no picture.
func (e *Evidence) Nothing() bool {
	return e.Stage.Replay == nil && len(e.Stage.Pictures) == 0 && len(e.Tabs) == 0
}

// Plain returns whether no console, request or action was captured, so that pictures have the whole width.
func (e *Evidence) Plain() bool {
	return e.Stage.Replay == nil && !slices.ContainsFunc(e.Tabs, func(t EvidenceTab) bool { return t.Count > 0 })
}

// Few returns whether there is nothing to see, and so few rows that the panels are as high as they are.
func (e *Evidence) Few() bool {
	return e.Stage.Replay == nil && len(e.Stage.Pictures) == 0 &&
		!slices.ContainsFunc(e.Tabs, func(t EvidenceTab) bool { return t.Count > fewRows })
}

// fewRows is the number of rows that need no panel of a height of its own.
const fewRows = 15

// Once returns a text that makes the repetition of a form harmless.
func (e *Evidence) Once() string { return Once() }

// setTabs sets the tabs of what was captured and the reader may see. When none of them is selected, it selects the
// first one.
func (e *Evidence) setTabs(parts EvidenceParts) {
	c := e.Captured
	for _, tab := range []struct {
		EvidenceTab
		shown bool
	}{
		{EvidenceTab{Name: ConsoleTab, Count: c.Console.Rows, Faults: c.Console.Count(evidence.LevelClass("error"))},
			parts.Console},
		{EvidenceTab{Name: NetworkTab, Count: c.Network.Rows, Faults: failures(c.Network)}, parts.Network},
		{EvidenceTab{Name: ActionsTab, Count: c.Actions.Rows}, parts.Actions},
		{EvidenceTab{Name: EnvironmentTab}, parts.Environment},
	} {
		if tab.shown && (tab.Count > 0 || tab.Name == EnvironmentTab && isDescribed(c.Occurrence)) {
			tab.Address = e.With(tab.Name)
			e.Tabs = append(e.Tabs, tab.EvidenceTab)
		}
	}
	if len(e.Tabs) == 0 {
		e.Tab = ""
		return
	}
	e.First = e.Tabs[0].Name
	at := max(0, slices.IndexFunc(e.Tabs, func(t EvidenceTab) bool { return t.Name == e.Tab }))
	e.Tabs[at].Current, e.Tab = true, e.Tabs[at].Name
}
