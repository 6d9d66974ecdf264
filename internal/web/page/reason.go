package page

import "bugslice/api"

// Reason is a part of a report, other than its summary, for which the report was found.
type Reason struct{ Place, Text string }

// places are the parts of reports, as a row names them.
var places = map[api.MatchedPart]string{api.MatchDescription: "in the description", api.MatchError: "in an error",
	api.MatchURL: "in an address", api.MatchComment: "in a comment", api.MatchFile: "in the name of a file",
	api.MatchLabel: "in a label", api.MatchIdentifier: "in an identifier"}

// ReasonOf returns the part for which a report was found; nil when its row shows it.
func ReasonOf(matches []api.Match) *Reason {
	for _, m := range matches {
		if place := places[m.In]; place != "" {
			return &Reason{place, m.Text}
		}
	}
	return nil
}
