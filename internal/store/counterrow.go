package store

// Counters are the counters of a workspace.
type Counters struct {
	WorkspaceID   string
	Number        int64 // of the last slice
	Sequence      int64 // of the last event
	Subscriptions int64 // 0 without webhooks, else a number that changes with each change of the webhooks
	Stored        int64 // its size in bytes
	ReportsToday  int64 // slices and occurrences created on the day
	WorkspaceKey  string

	Charged bool // Stored includes the events that the sequences are for
}
