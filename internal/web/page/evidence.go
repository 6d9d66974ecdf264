package page

import (
	"errors"
	"slices"

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
	e := &Evidence{EvidenceView: EvidenceView{EvidenceState: state, SliceID: sliceID, Reference: reference}}
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
	return e.Stage.Replay == nil && len(e.Stage.Pictures) == 0 &&
		!slices.ContainsFunc(e.Tabs, func(t EvidenceTab) bool {
			return t.Count > 0 || t.Name == EnvironmentTab && isDescribed(e.Captured.Occurrence)
		})
}

// setTabs sets the tabs of the parts that the reader may see. When none is selected, it selects the first one with
// rows, or the environment where only that was sent.
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
		if tab.shown {
			tab.Address = e.With(tab.Name)
			e.Tabs = append(e.Tabs, tab.EvidenceTab)
		}
	}
	first, at, sent := 0, -1, isDescribed(c.Occurrence)
	for i, tab := range e.Tabs {
		if e.Tabs[first].Count == 0 && (tab.Count > 0 || tab.Name == EnvironmentTab && sent) {
			first = i
		}
		if tab.Name == e.Tab {
			at = i
		}
	}
	if len(e.Tabs) == 0 {
		return
	}
	if e.First = e.Tabs[first].Name; at < 0 {
		at = first
	}
	e.Tabs[at].Current, e.Tab = true, e.Tabs[at].Name
}
