package page

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"bugslice/internal/blob"
	"bugslice/internal/evidence"
)

// EnvironmentPanel is the panel of the system on which the bug was seen.
type EnvironmentPanel struct {
	Facts     []Fact // with the names of the members of api.Environment
	Metadata  []Fact
	UserAgent string
	External  string // the externalId
}

// Fact is a name with a value.
type Fact struct {
	Name, Value string
	Path        string // of the list of the reports that have it; empty for none
}

func (e *EvidenceView) readEnvironment(from EvidenceSource, parts EvidenceParts) (*EnvironmentPanel, error) {
	o := e.Captured.Occurrence
	p := &EnvironmentPanel{External: textOf(o.ExternalID)}
	v := o.Environment
	var ratio *string
	if v.DevicePixelRatio != nil {
		ratio = new(strconv.FormatFloat(*v.DevicePixelRatio, 'g', -1, 64))
	}
	for _, f := range []struct {
		name  string
		value *string
	}{{"browser", v.Browser}, {"os", v.OS}, {"device", v.Device}, {"viewport", v.Viewport}, {"screen", v.Screen},
		{"devicePixelRatio", ratio}, {"locale", v.Locale}, {"timezone", v.Timezone},
		{"appVersion", v.AppVersion}, {"release", v.Release}, {"commit", v.Commit},
		{"branch", v.Branch}, {"buildUrl", v.BuildURL}} {
		if textOf(f.value) != "" {
			p.Facts = append(p.Facts, Fact{Name: f.name, Value: *f.value})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Metadata)) {
		p.Metadata = append(p.Metadata, Fact{Name: name, Value: o.Metadata[name]})
	}
	if !parts.Network || e.Captured.Network.Rows == 0 {
		return p, nil
	}
	var x evidence.Exchange
	x, err := from.Request(e.Occurrence, 1)
	if HasCode(err, "not_found") || errors.Is(err, blob.ErrUnavailable) { // the file was lost, or cannot be reached
		return p, nil
	}
	p.UserAgent, _ = x.Request.Header("user-agent")
	return p, err
}
