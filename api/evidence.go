package api

import "encoding/json"

// Evidence is what a tool captured of a bug, sent together with it.
type Evidence struct {
	Console []ConsoleEntry    `json:"console" maxItems:"20000" doc:"What was written to the console."`
	Network json.RawMessage   `json:"network,omitempty" example:"{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"WebInspector\",\"version\":\"537.36\"},\"entries\":[]}}" doc:"An HTTP archive: HAR 1.2, an object with log."`
	Actions []ActionEntry     `json:"actions" maxItems:"20000" doc:"What the user did."`
	Replay  []json.RawMessage `json:"replay" maxItems:"50000" example:"[{\"type\":4,\"timestamp\":1795000000000,\"data\":{\"href\":\"https://shop.example.com/cart\",\"width\":1440,\"height\":812}}]" doc:"Events of rrweb, in order."`
}

// ConsoleLevel is how grave a line of a console is.
type ConsoleLevel string

// Values lists the levels.
func (ConsoleLevel) Values() []string { return []string{"debug", "log", "info", "warn", "error"} }

// ConsoleEntry is a line of a console, or an error that nobody caught.
type ConsoleEntry struct {
	Level     ConsoleLevel      `json:"level" create:"required" example:"error"`
	Timestamp Time              `json:"timestamp" create:"required"`
	Message   string            `json:"message" create:"required" maxLength:"65536" example:"TypeError: cart.total is undefined"`
	Stack     *string           `json:"stack" maxLength:"65536" example:"TypeError: cart.total is undefined\n    at checkout (checkout.js:42:17)"`
	Args      []json.RawMessage `json:"args" maxItems:"100" doc:"What was logged, as JSON."`
}

// ActionEntry is something the user did.
type ActionEntry struct {
	Type      string  `json:"type" create:"required" minLength:"1" maxLength:"50" example:"click" doc:"click, input, navigate and the like."`
	Timestamp Time    `json:"timestamp" create:"required"`
	Selector  *string `json:"selector" maxLength:"1000" example:"button#checkout"`
	Text      *string `json:"text" maxLength:"1000" example:"Checkout"`
	Value     *string `json:"value" maxLength:"10000"`
	URL       *string `json:"url" maxLength:"10000" example:"https://shop.example.com/cart"`
}

// NetworkEntry is a request and its answer, in short; network.har has them whole.
type NetworkEntry struct {
	StartedAt    Time    `json:"startedAt"`
	DurationMs   float64 `json:"durationMs" minimum:"0" example:"183.4"`
	Method       string  `json:"method" example:"POST"`
	URL          string  `json:"url" example:"https://shop.example.com/api/orders"`
	Status       int64   `json:"status" minimum:"0" example:"500" doc:"0 when there was no answer."`
	StatusText   string  `json:"statusText" example:"Internal Server Error"`
	ContentType  *string `json:"contentType" example:"application/json"`
	Error        *string `json:"error" example:"net::ERR_CONNECTION_REFUSED"`
	RequestBody  *string `json:"requestBody" doc:"At most the first 4,096 characters."`
	ResponseBody *string `json:"responseBody" doc:"At most the first 4,096 characters, of text."`
}

// Redaction says what was removed from a slice and its evidence before it was stored.
type Redaction struct {
	Ruleset string           `json:"ruleset" example:"2" doc:"The version of the built-in rules, with a mark of the workspace's own."`
	Counts  map[string]int64 `json:"counts" doc:"How much of each kind was removed."`
}

// RedactionRules are what a workspace removes beside the built-in rules.
type RedactionRules struct {
	Fields   []string           `json:"fields" maxItems:"50" minLength:"1" maxLength:"200" example:"[\"customerNumber\",\"iban*\"]" doc:"Names of further members, headers and parameters whose values go. Case, - and _ do not count; * stands at an end."`
	Patterns []RedactionPattern `json:"patterns" maxItems:"50" doc:"Further patterns whose matches go."`
	Allow    []string           `json:"allow" maxItems:"50" minLength:"1" maxLength:"200" example:"[\"sessionId\"]" doc:"Names that the built-in rules take and that are to stay."`
}

// RedactionPattern is a pattern of a workspace.
type RedactionPattern struct {
	Pattern string `json:"pattern" create:"required" minLength:"1" maxLength:"200" example:"CUST-[0-9]{6}" doc:"A regular expression (RE2). With a group named secret, only that goes."`
	Mask    string `json:"mask" maxLength:"100" default:"[redacted:rule]" example:"CUST-******" doc:"What stands there instead."`
}

// ListEvidence asks for captured rows of a slice, in the order they were captured.
type ListConsole struct {
	Paging
	SliceID string         `path:"sliceId" id:"slc"`
	Level   []ConsoleLevel `query:"level" doc:"Only lines of these levels."`
	Q       string         `query:"q" maxLength:"500" doc:"Only lines whose message or stack has this text, whatever its case."`
}

// ListNetwork asks for the requests of a slice.
type ListNetwork struct {
	Paging
	SliceID string        `path:"sliceId" id:"slc"`
	Status  []StatusClass `query:"status" doc:"Only answers of these classes; failed for requests without an answer."`
	Method  []string      `query:"method" maxLength:"20" doc:"Only requests of these methods."`
	URL     string        `query:"url" maxLength:"500" doc:"Only requests whose URL has this text, whatever its case."`
}

// StatusClass is the first digit of a status.
type StatusClass string

// Values lists the classes.
func (StatusClass) Values() []string { return []string{"1xx", "2xx", "3xx", "4xx", "5xx", "failed"} }

// ListActions asks for what the user did.
type ListActions struct {
	Paging
	SliceID string   `path:"sliceId" id:"slc"`
	Type    []string `query:"type" maxLength:"50" doc:"Only actions of these types."`
	Q       string   `query:"q" maxLength:"500" doc:"Only actions whose selector, text or URL has this text, whatever its case."`
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
	Text        *string         `json:"text" maxLength:"262144" doc:"A description, a comment, a log."`
	ContentType *string         `json:"contentType" maxLength:"200" example:"application/json" doc:"How to read the text; free text when left out."`
	Evidence    *Evidence       `json:"evidence"`
	Rules       *RedactionRules `json:"rules" doc:"Try these instead of the workspace's own."`
}

// DryRunResult is what would be stored.
type DryRunResult struct {
	Text      *string   `json:"text"`
	Evidence  *Evidence `json:"evidence"`
	Redaction Redaction `json:"redaction"`
}

// Archive is an HTTP archive (HAR 1.2).
type Archive struct {
	Log json.RawMessage `json:"log" doc:"version, creator, entries, as HAR 1.2 says."`
}

// Replay is what rrweb recorded.
type Replay struct {
	Events []json.RawMessage `json:"events" example:"[{\"type\":4,\"timestamp\":1795000000000,\"data\":{\"href\":\"https://shop.example.com/cart\",\"width\":1440,\"height\":812}}]" doc:"In order; for rrweb-player."`
}
