// Package demo fills an empty instance with realistic data: an organisation, its users, three workspaces, 300 slices
// of the last four months, and a dozen of the last days with evidence that a browser captured. The data is the same
// on each run except for its dates.
package demo

import (
	_ "embed"
	"encoding/json"

	"bugslice/api"
)

// Organization is the name of the demo's organisation.
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
	Spaces            []string
	Members           []string // keys of people
	Site              string   // prefix of the addresses of its pages
	Scenarios         []Scenario
	Settings          []Setting
	Count             int `json:"reports"`
}

// Scenario is a bug; a team files it at most once for each of its settings.
type Scenario struct {
	Space, Summary   string
	Steps            []string
	Expected, Actual string
	Labels           []string
	Severity         api.Severity
	Trace            string // a stack trace, or ""
}

// Setting is where a bug occurred. Where makes the summaries of a scenario unique.
type Setting struct {
	Where, Browser, OS, Device, Viewport, Locale, Timezone string
}

//go:embed teams.json
var teamsFile []byte

// Teams are the demo's workspaces.
var Teams = func() (teams []Team) {
	if err := json.Unmarshal(teamsFile, &teams); err != nil {
		panic("demo: teams.json: " + err.Error())
	}
	return teams
}()
