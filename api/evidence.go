package api

import "encoding/json"

// Evidence is what a tool captured of a bug, sent together with it.
type Evidence struct {
	// What was written to the console.
	Console []ConsoleEntry `json:"console" maxItems:"20000"`
	// An HTTP archive: HAR 1.2, an object with log.
	// Example: {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"entries":[]}}
	Network json.RawMessage `json:"network,omitempty"`
	// What the user did.
	Actions []ActionEntry `json:"actions" maxItems:"20000"`
	// Events of rrweb, in order.
	// Example:
	// [{"type":4,"timestamp":1795000000000,"data":{"href":"https://shop.example.com/cart","width":1440,"height":812}}]
	Replay []json.RawMessage `json:"replay" maxItems:"50000"`
}

// ConsoleLevel is how grave a line of a console is.
type ConsoleLevel string

// Values lists the levels.
func (ConsoleLevel) Values() []string { return []string{"debug", "log", "info", "warn", "error"} }

// ConsoleEntry is a line of a console, or an error that nobody caught.
type ConsoleEntry struct {
	Level     ConsoleLevel `json:"level" create:"required" example:"error"`
	Timestamp Time         `json:"timestamp" create:"required"`
	Message   string       `json:"message" create:"required" maxLength:"65536" example:"TypeError: cart.total is undefined"`
	Stack     *string      `json:"stack" maxLength:"65536" example:"TypeError: cart.total is undefined\n    at checkout (checkout.js:42:17)"`
	// What was logged, as JSON.
	Args []json.RawMessage `json:"args" maxItems:"100"`
}

// ActionEntry is something the user did.
type ActionEntry struct {
	// click, input, navigate and the like.
	Type      string  `json:"type" create:"required" minLength:"1" maxLength:"50" example:"click"`
	Timestamp Time    `json:"timestamp" create:"required"`
	Selector  *string `json:"selector" maxLength:"1000" example:"button#checkout"`
	Text      *string `json:"text" maxLength:"1000" example:"Checkout"`
	Value     *string `json:"value" maxLength:"10000"`
	URL       *string `json:"url" maxLength:"10000" example:"https://shop.example.com/cart"`
}

// NetworkEntry is a request and its answer, in short; network.har has them whole.
type NetworkEntry struct {
	StartedAt  Time    `json:"startedAt"`
	DurationMs float64 `json:"durationMs" minimum:"0" example:"183.4"`
	Method     string  `json:"method" example:"POST"`
	URL        string  `json:"url" example:"https://shop.example.com/api/orders"`
	// 0 when there was no answer.
	Status      int64   `json:"status" minimum:"0" example:"500"`
	StatusText  string  `json:"statusText" example:"Internal Server Error"`
	ContentType *string `json:"contentType" example:"application/json"`
	Error       *string `json:"error" example:"net::ERR_CONNECTION_REFUSED"`
	// At most the first 4,096 characters.
	RequestBody *string `json:"requestBody"`
	// At most the first 4,096 characters, of text.
	ResponseBody *string `json:"responseBody"`
}

// Redaction says what was removed from a slice and its evidence before it was stored.
type Redaction struct {
	// The version of the built-in rules, with a mark of the workspace's own.
	Ruleset string `json:"ruleset" example:"2"`
	// How much of each kind was removed.
	Counts map[string]int64 `json:"counts"`
}

// RedactionRules are what a workspace removes beside the built-in rules.
type RedactionRules struct {
	// Names of further members, headers and parameters whose values go. Case, - and _ do not count; * stands at an
	// end.
	Fields []string `json:"fields" maxItems:"50" minLength:"1" maxLength:"200" example:"[\"customerNumber\",\"iban*\"]"`
	// Further patterns whose matches go.
	Patterns []RedactionPattern `json:"patterns" maxItems:"50"`
	// Names that the built-in rules take and that are to stay.
	Allow []string `json:"allow" maxItems:"50" minLength:"1" maxLength:"200" example:"[\"sessionId\"]"`
}

// RedactionPattern is a pattern of a workspace.
type RedactionPattern struct {
	// A regular expression (RE2). With a group named secret, only that goes.
	Pattern string `json:"pattern" create:"required" minLength:"1" maxLength:"200" example:"CUST-[0-9]{6}"`
	// What stands there instead.
	Mask string `json:"mask" maxLength:"100" default:"[redacted:rule]" example:"CUST-******"`
}

// ListEvidence asks for captured rows of a slice, in the order they were captured.
type ListConsole struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
	// Only lines of these levels.
	Level []ConsoleLevel `query:"level"`
	// Only lines whose message or stack has this text, whatever its case.
	Q string `query:"q" maxLength:"500"`
}

// ListNetwork asks for the requests of a slice.
type ListNetwork struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
	// Only answers of these classes; failed for requests without an answer.
	Status []StatusClass `query:"status"`
	// Only requests of these methods.
	Method []string `query:"method" maxLength:"20"`
	// Only requests whose URL has this text, whatever its case.
	URL string `query:"url" maxLength:"500"`
}

// StatusClass is the first digit of a status.
type StatusClass string

// Values lists the classes.
func (StatusClass) Values() []string { return []string{"1xx", "2xx", "3xx", "4xx", "5xx", "failed"} }

// ListActions asks for what the user did.
type ListActions struct {
	Paging
	SliceID string `path:"sliceId" id:"slc"`
	// Only actions of these types.
	Type []string `query:"type" maxLength:"50"`
	// Only actions whose selector, text or URL has this text, whatever its case.
	Q string `query:"q" maxLength:"500"`
}

// GetArchive asks for the requests of a slice as one HTTP archive.
type GetArchive struct {
	SliceID string `path:"sliceId" id:"slc"`
}

// GetReplay asks for the events of rrweb of a slice.
type GetReplay struct {
	SliceID string `path:"sliceId" id:"slc"`
}

// DryRun shows what would be removed of a text or of evidence. Nothing is stored.
type DryRun struct {
	Idempotency
	WorkspaceID string `path:"workspaceId" id:"wsp"`
	Body        DryRunFields
}

// DryRunFields is what is to be tried, and on what.
type DryRunFields struct {
	// A description, a comment, a log.
	Text *string `json:"text" maxLength:"262144"`
	// How to read the text; free text when left out.
	ContentType *string   `json:"contentType" maxLength:"200" example:"application/json"`
	Evidence    *Evidence `json:"evidence"`
	// Try these instead of the workspace's own.
	Rules *RedactionRules `json:"rules"`
}

// DryRunResult is what would be stored.
type DryRunResult struct {
	Text      *string   `json:"text"`
	Evidence  *Evidence `json:"evidence"`
	Redaction Redaction `json:"redaction"`
}

// Archive is an HTTP archive (HAR 1.2).
type Archive struct {
	// version, creator, entries, as HAR 1.2 says.
	Log json.RawMessage `json:"log"`
}

// Replay is what rrweb recorded.
type Replay struct {
	// In order; for rrweb-player.
	// Example:
	// [{"type":4,"timestamp":1795000000000,"data":{"href":"https://shop.example.com/cart","width":1440,"height":812}}]
	Events []json.RawMessage `json:"events"`
}
