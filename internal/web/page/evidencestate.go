package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
)

// The panels of the component evidence.
const (
	ConsoleTab     = "console"
	NetworkTab     = "network"
	ActionsTab     = "actions"
	EnvironmentTab = "environment"
)

// EvidenceState is the state of the component evidence, as the address of its page has it.
type EvidenceState struct {
	Path       string // of the page
	Tab        string // empty for the first panel with rows
	Occurrence int64  // 0 for the newest one with evidence
	Request    int64  // the number of the request that is open; 0 for none
	Levels     []api.ConsoleLevel
	Text       string // that rows contain
	Failed     bool   // whether only failed requests are shown
	Time       string // seconds after zero
	cursor     string // of the first row
}

// parseEvidenceState reads the state of an address. A value that the component does not know counts as absent.
func parseEvidenceState(path string, query url.Values) EvidenceState {
	s := EvidenceState{Path: path, Text: query.Get("q"), Failed: query.Get("failed") == "true",
		cursor: query.Get("cursor")}
	if tab := query.Get("tab"); slices.Contains([]string{ConsoleTab, NetworkTab, ActionsTab, EnvironmentTab}, tab) {
		s.Tab = tab
	}
	s.Occurrence, s.Request = positive(query.Get("occurrence")), positive(query.Get("request"))
	for level := range strings.SplitSeq(query.Get("level"), ",") {
		if slices.Contains(api.ConsoleLevel("").Values(), level) {
			s.Levels = append(s.Levels, api.ConsoleLevel(level))
		}
	}
	if _, err := strconv.ParseFloat(query.Get("t"), 64); err == nil && len(query.Get("t")) < 20 {
		s.Time = query.Get("t")
	}
	if len(s.Text) > 500 {
		s.Text = ""
	}
	return s
}

// positive returns a number from 1 to the largest one of an occurrence, 0 for another text.
func positive(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// Address returns the address of the state.
func (s EvidenceState) Address() string {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("tab", s.Tab)
	set("q", s.Text)
	set("t", s.Time)
	set("cursor", s.cursor)
	var levels []string
	for _, l := range s.Levels {
		levels = append(levels, string(l))
	}
	set("level", strings.Join(levels, ","))
	if s.Occurrence > 0 {
		set("occurrence", strconv.FormatInt(s.Occurrence, 10))
	}
	if s.Request > 0 {
		set("request", strconv.FormatInt(s.Request, 10))
	}
	if s.Failed {
		set("failed", "true")
	}
	if len(query) == 0 {
		return s.Path
	}
	return s.Path + "?" + query.Encode()
}

// With returns the address of the panel of a tab at the same moment of the same occurrence, without filters.
func (s EvidenceState) With(tab string) string {
	return EvidenceState{Path: s.Path, Tab: tab, Occurrence: s.Occurrence, Time: s.Time}.Address()
}

// Of returns the address of another occurrence, with the same panel.
func (s EvidenceState) Of(occurrence int64) string {
	return EvidenceState{Path: s.Path, Tab: s.Tab, Occurrence: occurrence}.Address()
}

// after returns the address of the rows after a cursor.
func (s EvidenceState) after(cursor *string) string {
	if cursor == nil {
		return ""
	}
	s.cursor = *cursor
	return s.Address()
}

// toggled returns the address with a level added to the filter, or removed from it. No level means all of them.
func (s EvidenceState) toggled(level api.ConsoleLevel) string {
	s.cursor = ""
	if slices.Contains(s.Levels, level) {
		s.Levels = slices.DeleteFunc(slices.Clone(s.Levels), func(l api.ConsoleLevel) bool { return l == level })
	} else {
		s.Levels = append(slices.Clone(s.Levels), level)
	}
	return s.Address()
}
