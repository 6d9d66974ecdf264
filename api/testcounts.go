package api

// RecordTestRun counts the tests of a run of continuous integration.
type RecordTestRun struct {
	Returns[TestRun]
	Idempotency
	Body TestRunFields
}

// TestRunFields is the body of RecordTestRun.
type TestRunFields struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID *string `json:"workspaceId,omitempty" nullable:"true"`
	// Names this part of the run: another one for each job, attempt and shard, and for each request of a run that has
	// more tests than one request. A part is counted once within 30 days, however often it is sent.
	// Example: 4711.1/unit/3#0
	Run string `json:"run" create:"required" minLength:"1" maxLength:"200" pattern:"\\S"`
	// Whether the run tested the default branch.
	DefaultBranch bool `json:"defaultBranch" default:"false"`
	// When the tests ran, within the last 30 days; now by default. A time in the future, by the clock of a job, is now.
	FinishedAt *Time `json:"finishedAt,omitempty" nullable:"true"`
	// From 1 to 5,000 tests. Those with the same suite and name are added.
	// Example: [{"suite":"cart","name":"adds an item","passed":1,"durationMs":340}]
	Tests []TestCounts `json:"tests" create:"required" minItems:"1" maxItems:"5000"`
}

// TestCounts count how a test of a run ended.
type TestCounts struct {
	// The suite of the test: its class, its file or its package.
	Suite string `json:"suite" redact:"text" maxLength:"300" default:"" example:"cart"`
	// The name of the test within its suite.
	Name string `json:"name" create:"required" redact:"text" minLength:"1" maxLength:"300" pattern:"\\S" example:"adds an item"`
	// How often the test passed at once.
	Passed int64 `json:"passed" minimum:"0" maximum:"1000000" default:"0" example:"1"`
	// How often the test failed.
	Failed int64 `json:"failed" minimum:"0" maximum:"1000000" default:"0" example:"0"`
	// How often the test failed, and passed when it ran again.
	Flaky int64 `json:"flaky" minimum:"0" maximum:"1000000" default:"0" example:"0"`
	// How long the test took in all, in milliseconds.
	DurationMs int64 `json:"durationMs" minimum:"0" maximum:"1000000000" default:"0" example:"340"`
	// The slice that reports the failure of the test.
	SliceID *string `json:"sliceId,omitempty" nullable:"true" maxLength:"100" example:"slc_01ja8m2c9tf3qb6h0v5r4x7kyz"`
}

// TestRun says what was counted of a run.
type TestRun struct {
	WorkspaceID string `json:"workspaceId" example:"wsp_01ja8m2c9tf3qb6h0v5r4x7kyz"`
	// Whether the tests were counted; false when this part of the run was counted before.
	Counted bool `json:"counted"`
	// New tests that were left out, because the workspace has 100,000.
	LeftOut int `json:"leftOut" minimum:"0" example:"0"`
}

// TestFilters select the counts of tests. Counts are those of the last 30 days.
type TestFilters struct {
	// The default is the workspace of a WST, and the only workspace of the user of a PAT. Required for a PAT that
	// reaches several.
	WorkspaceID string `query:"workspaceId"`
	// Only tests of this suite.
	Suite string `query:"suite" maxLength:"300"`
	// Only runs of the default branch, or only those of the others. Both by default.
	Branch string `query:"branch" enum:"default,other"`
}

// ListTests lists the tests that runs of a workspace had in the last 30 days.
type ListTests struct {
	Returns[Page[Test]]
	Paging
	TestFilters
	// failed: those that failed, most failures first. flaky: those that were flaky, the most flaky first. newest: the one
	// that was seen last for the first time comes first. slowest: the one that takes longest on average comes first. An
	// order leaves out the tests without what it counts.
	Sort string `query:"sort" enum:"failed,flaky,newest,slowest" default:"failed"`
}

// Test counts the runs of a test in the last 30 days.
type Test struct {
	// Identifies the test within its workspace: it follows from its suite and its name.
	ID    string `json:"id" example:"5f1d7a84db00d2fce00b31a7f73224c1"`
	Suite string `json:"suite" example:"cart" untrusted:"true"`
	Name  string `json:"name" example:"adds an item" untrusted:"true"`
	TestTally
	// When a run first had the test, and when one last had it.
	FirstRunAt Time `json:"firstRunAt"`
	LastRunAt  Time `json:"lastRunAt"`
	// When the test last failed, at once or finally; null when it did not.
	LastFailedAt *Time `json:"lastFailedAt"`
	// The slice that reports the failure of the test; null when there is none, or it is deleted.
	Slice *SliceLink `json:"slice"`
	// The days on which the test ran, the oldest first.
	Days []TestDay `json:"days"`
}

// TestTally counts runs of tests.
type TestTally struct {
	// How often it ran: the passes, the failures and the flaky passes.
	Runs   int64 `json:"runs" minimum:"0" example:"412"`
	Failed int64 `json:"failed" minimum:"0" example:"3"`
	Flaky  int64 `json:"flaky" minimum:"0" example:"9"`
	// How long a run took on average, in milliseconds.
	AverageMs int64 `json:"averageMs" minimum:"0" example:"340"`
}

// TestDay counts the runs of a day in UTC.
type TestDay struct {
	Date string `json:"date" example:"2026-11-22"`
	TestTally
}

// GetTestStatistics returns the counts of all tests of a workspace, by day and by suite.
type GetTestStatistics struct {
	Returns[TestStatistics]
	TestFilters
}

// TestStatistics count the runs of all tests in the last 30 days.
type TestStatistics struct {
	// Each of the last 30 days in UTC, also those without a run, the oldest first.
	Days []TestDay `json:"days"`
	// The suites, at most 100: those with most failures and flaky passes first.
	Suites []SuiteTally `json:"suites"`
}

// SuiteTally counts the runs of the tests of a suite.
type SuiteTally struct {
	Suite string `json:"suite" example:"cart" untrusted:"true"`
	TestTally
}
