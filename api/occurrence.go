package api

// SliceOccurrence is one report of the bug of a slice.
type SliceOccurrence struct {
	// Counts the reports of the slice from 1.
	Number int64 `json:"number" minimum:"1" example:"2"`
	// Who reported the bug that time.
	Reporter Reporter `json:"reporter"`
	// The system on which the bug was seen that time, as it was reported.
	Environment Environment `json:"environment"`
	// The externalId of the report.
	ExternalID *string `json:"externalId" maxLength:"200" example:"ci-8123-checkout"`
	// The pairs of the report.
	Metadata map[string]string `json:"metadata" maxProperties:"50" maxLength:"500" nameLength:"100"`
	// Whether console, network, actions or a replay of the report are stored. Of a slice, only the first 10 reports keep the
	// evidence that they were sent with.
	HasEvidence bool `json:"hasEvidence"`
	// When the bug was reported that time.
	CreatedAt Time `json:"createdAt"`
}

// ListOccurrences returns the reports of the bug of a slice, newest first.
type ListOccurrences struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}
