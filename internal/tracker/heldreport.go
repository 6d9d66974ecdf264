package tracker

import "bugslice/api"

// heldReport is a redacted report as a submission has it, in JSON.
type heldReport struct {
	SliceID          string          `json:"sliceId"`
	Visitor          api.Visitor     `json:"visitor"`
	Fields           api.SliceFields `json:"fields"`
	Fingerprint      *string         `json:"fingerprint,omitempty"`
	FingerprintForms []string        `json:"fingerprintForms,omitempty"`
	Redaction        *api.Redaction  `json:"redaction,omitempty"`
	Removed          []string        `json:"removed,omitempty"`
	Symptoms         string          `json:"symptoms,omitempty"`
	Repairs          []api.Repair    `json:"repairs,omitempty"`
}
