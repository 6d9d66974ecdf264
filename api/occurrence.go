package api

// EvidenceSummary counts evidence.
type EvidenceSummary struct {
	// Messages of the console.
	Console int64 `json:"console" minimum:"0" example:"120"`
	// Messages of the console of the level error.
	ConsoleErrors int64 `json:"consoleErrors" minimum:"0" example:"2"`
	// Requests.
	Network int64 `json:"network" minimum:"0" example:"48"`
	// Requests with a status from 400 on, or without a response.
	FailedRequests int64 `json:"failedRequests" minimum:"0" example:"1"`
	// Actions of the user.
	Actions int64 `json:"actions" minimum:"0" example:"9"`
	// Recordings by rrweb.
	Replays int64 `json:"replays" minimum:"0" example:"1"`
	// Files of the kind screenshot.
	Screenshots int64 `json:"screenshots" minimum:"0" example:"1"`
	// Files of the kind video.
	Videos int64 `json:"videos" minimum:"0" example:"0"`
	// Screenshots and videos that nobody has reviewed. Pixels are not redacted.
	Unreviewed int64 `json:"unreviewed" minimum:"0" example:"1"`
}

// EvidenceFilter is a kind of evidence by which slices are listed.
type EvidenceFilter string

// Values lists the filters.
func (EvidenceFilter) Values() []string {
	return []string{"replay", "screenshot", "console_error", "failed_request", "unreviewed"}
}

// SliceOccurrence is one report of the bug of a slice.
type SliceOccurrence struct {
	// Counts the reports of the slice from 1.
	Number int64 `json:"number" minimum:"1" example:"2"`
	// Who reported the bug that time.
	Reporter Reporter `json:"reporter"`
	// The key with which the report was filed; null for a person in the web application.
	Via *Via `json:"via"`
	// The system on which the bug was seen that time, as it was reported.
	Environment Environment `json:"environment"`
	// The externalId of the report.
	ExternalID *string `json:"externalId" maxLength:"200" example:"ci-8123-checkout" untrusted:"true"`
	// The pairs of the report.
	Metadata map[string]string `json:"metadata" maxProperties:"50" maxLength:"500" nameLength:"100" untrusted:"true"`
	// What evidence of the report is stored.
	Evidence EvidenceSummary `json:"evidence"`
	// Whether console, network, actions or a replay of the report are stored. Of a slice, only the first 10 reports
	// keep the evidence that they were sent with.
	HasEvidence bool `json:"hasEvidence"`
	// When the bug was reported that time.
	CreatedAt Time `json:"createdAt"`
}

// ListOccurrences returns the reports of the bug of a slice, newest first.
type ListOccurrences struct {
	Returns[Page[SliceOccurrence]]
	Paging
	SliceID string `path:"sliceId" id:"slc"`
}
