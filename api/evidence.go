package api

import (
	"encoding/json"
	"reflect"
)

// Evidence is what a tool captured of a bug and sends in the same request. An invalid entry is left out or repaired,
// and the answer lists it in repairs; evidence of which nothing is valid is refused. Levels of other tools (warning,
// trace, SEVERE) and times in other forms (numbers since 1970, +0200) are read, too, and events that rrweb or PostHog
// has packed.
type Evidence struct {
	// Messages of the console.
	Console []ConsoleEntry `json:"console" maxItems:"20000"`
	// An HTTP archive (HAR 1.2), an object with the member log.
	// Example: {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"entries":[]}}
	Network json.RawMessage `json:"network,omitempty"`
	// Actions of the user.
	Actions []ActionEntry `json:"actions" maxItems:"20000"`
	// rrweb events in the order of their timestamps.
	// Example: [{"type":4,"timestamp":1795000000000,
	// "data":{"href":"https://shop.example.com/cart","width":1440,"height":812}}]
	Replay []json.RawMessage `json:"replay" maxItems:"50000"`
}

// RepairCode says how captured evidence was repaired.
type RepairCode string

// The repairs.
const (
	RepairCharacters RepairCode = "characters_replaced"
	RepairDropped    RepairCode = "entry_dropped"
	RepairMember     RepairCode = "member_dropped"
	RepairConverted  RepairCode = "member_converted"
	RepairTruncated  RepairCode = "truncated"
)

// Values lists the codes.
func (RepairCode) Values() []string {
	return names(RepairCharacters, RepairDropped, RepairMember, RepairConverted, RepairTruncated)
}

// Repair says what is stored otherwise than it was sent, because it was invalid. A machine observed it, so the rest
// is stored.
type Repair struct {
	// Points to the repaired value in the body of the request or in the uploaded file, or to the list that has several.
	Pointer string `json:"pointer" example:"/evidence/network/log/entries/3"`
	// characters_replaced: U+0000, halves of surrogate pairs and invalid UTF-8 became U+FFFD; entry_dropped: the
	// entry is not stored; member_dropped: the member is not stored; member_converted: the member was read otherwise
	// than it was written; truncated: the beginning of a text or a list is stored, or what is not nested too deep.
	Code RepairCode `json:"code" grows:"true" example:"entry_dropped"`
	// How many values were repaired.
	Count  int64  `json:"count" minimum:"1" example:"1"`
	Detail string `json:"detail" example:"startedDateTime must be a time" untrusted:"true"`
}

// ConsoleLevel is the severity of a console message.
type ConsoleLevel string

// Values lists the levels.
func (ConsoleLevel) Values() []string { return []string{"debug", "log", "info", "warn", "error"} }

// ConsoleEntry is a message of the console, or an error that the page did not catch.
type ConsoleEntry struct {
	Level     ConsoleLevel `json:"level" create:"required" example:"error"`
	Timestamp Time         `json:"timestamp" create:"required"`
	Message   string       `json:"message" create:"required" maxLength:"65536" example:"TypeError: total is undefined" untrusted:"true"`
	// The stack trace of an error, with one frame per line.
	Stack *string `json:"stack" maxLength:"65536" example:"TypeError: total is undefined\n    at pay (pay.js:42:17)" untrusted:"true"`
	// The logged values, as JSON.
	Args []json.RawMessage `json:"args" maxItems:"100" untrusted:"true"`
}

// ActionEntry is an action of the user.
type ActionEntry struct {
	// The kind of action, such as click, input or navigate.
	Type      string  `json:"type" create:"required" minLength:"1" maxLength:"50" example:"click" untrusted:"true"`
	Timestamp Time    `json:"timestamp" create:"required"`
	Selector  *string `json:"selector" maxLength:"1000" example:"button#checkout" untrusted:"true"`
	Text      *string `json:"text" maxLength:"1000" example:"Checkout" untrusted:"true"`
	// What was typed or chosen: checked or unchecked for a checkbox and a radio button, whose own value says nothing
	// about its state.
	Value *string `json:"value" maxLength:"10000" untrusted:"true"`
	URL   *string `json:"url" maxLength:"10000" example:"https://shop.example.com/cart" untrusted:"true"`
}

// ConsoleRow is a captured message of the console.
type ConsoleRow struct {
	ConsoleEntry
	// The number of the report of the bug with which it was captured.
	Occurrence int64 `json:"occurrence" minimum:"1" example:"1"`
}

// ActionRow is a captured action of the user.
type ActionRow struct {
	ActionEntry
	// The number of the report of the bug with which it was captured.
	Occurrence int64 `json:"occurrence" minimum:"1" example:"1"`
}

// NetworkRow is a captured request.
type NetworkRow struct {
	NetworkEntry
	// Counts the requests of the occurrence from 1, in the order of capture.
	Number int64 `json:"number" minimum:"1" example:"17"`
	// The number of the report of the bug with which it was captured.
	Occurrence int64 `json:"occurrence" minimum:"1" example:"1"`
	// Why the response, which is a success, may be the cause of a failure after it; null for no reason. The whole of its body
	// is compared with the errors of the occurrence.
	Suspicion *Suspicion `json:"suspicion"`
}

// Suspicion is why a successful response may be the cause of a failure.
type Suspicion struct {
	Reason string `json:"reason" example:"\"terms\": null in {\"terms\":null}; a later error reads length of null" untrusted:"true"`
	// Whether the failure may have met it, without a proof in the response.
	Guess bool `json:"guess"`
}

// NetworkEntry summarises a request and its response. GetArchive returns them in full.
type NetworkEntry struct {
	StartedAt  Time    `json:"startedAt"`
	DurationMs float64 `json:"durationMs" minimum:"0" example:"183.4"`
	Method     string  `json:"method" example:"POST" untrusted:"true"`
	URL        string  `json:"url" example:"https://shop.example.com/api/orders" untrusted:"true"`
	// The status of the response; 0 when there was none.
	Status      int64   `json:"status" minimum:"0" example:"500"`
	StatusText  string  `json:"statusText" example:"Internal Server Error" untrusted:"true"`
	ContentType *string `json:"contentType" example:"application/json" untrusted:"true"`
	// The size of the body of the response in bytes, when it was captured.
	ResponseBytes *int64  `json:"responseBytes" minimum:"0" example:"1834"`
	Error         *string `json:"error" example:"net::ERR_CONNECTION_REFUSED" untrusted:"true"`
	// The first 4,096 characters of the body.
	RequestBody *string `json:"requestBody" untrusted:"true"`
	// The first 4,096 characters of the body, when it is text.
	ResponseBody *string `json:"responseBody" untrusted:"true"`
}

// ListConsole returns the captured console messages of a slice, in the order of capture.
type ListConsole struct {
	Returns[Page[ConsoleRow]]
	Paging
	Chosen[ConsoleMember]
	SliceID string `path:"sliceId" id:"slc"`
	// Only the evidence of the report with this number. The default is the newest report of which evidence is stored.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
	// Only messages of these levels.
	Level []ConsoleLevel `query:"level"`
	// Only messages whose text or stack contains this text. Case is ignored.
	Q string `query:"q" maxLength:"500"`
}

// ListNetwork returns the captured requests of a slice, in the order of capture.
type ListNetwork struct {
	Returns[Page[NetworkRow]]
	Paging
	Chosen[NetworkMember]
	SliceID string `path:"sliceId" id:"slc"`
	// Only the evidence of the report with this number. The default is the newest report of which evidence is stored.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
	// Only requests with a response of these classes; failed selects the requests without a response.
	Status []StatusClass `query:"status"`
	// Only requests with one of these methods.
	Method []string `query:"method" maxLength:"20"`
	// Only requests whose URL contains this text. Case is ignored.
	URL string `query:"url" maxLength:"500"`
}

// StatusClass is the class of an HTTP status, or failed for a request without a response.
type StatusClass string

// Values lists the classes.
func (StatusClass) Values() []string { return []string{"1xx", "2xx", "3xx", "4xx", "5xx", "failed"} }

// ListActions returns the captured actions of the user, in the order of capture.
type ListActions struct {
	Returns[Page[ActionRow]]
	Paging
	Chosen[ActionMember]
	SliceID string `path:"sliceId" id:"slc"`
	// Only the evidence of the report with this number. The default is the newest report of which evidence is stored.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
	// Only actions of these types.
	Type []string `query:"type" maxLength:"50"`
	// Only actions whose selector, text or URL contains this text. Case is ignored.
	Q string `query:"q" maxLength:"500"`
}

// GetArchive returns the captured requests of a slice as one HTTP archive.
type GetArchive struct {
	Returns[Archive]
	SliceID string `path:"sliceId" id:"slc"`
	// Only the evidence of the report with this number. The default is the newest report of which evidence is stored.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
}

// Archive is an HTTP archive (HAR 1.2).
type Archive struct {
	// The log of HAR 1.2 with its version, creator and entries.
	Log json.RawMessage `json:"log" untrusted:"true"`
}

// GetReplay returns the rrweb events of a slice.
type GetReplay struct {
	Returns[Replay]
	SliceID string `path:"sliceId" id:"slc"`
	// Only the evidence of the report with this number. The default is the newest report of which evidence is stored.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
}

// Replay is a recording by rrweb.
type Replay struct {
	// rrweb events in the order of their timestamps, as rrweb-player takes them.
	// Example: [{"type":4,"timestamp":1795000000000,
	// "data":{"href":"https://shop.example.com/cart","width":1440,"height":812}}]
	Events []json.RawMessage `json:"events" untrusted:"true"`
}

// GetScreen returns the text that the page showed at a moment of a replay.
type GetScreen struct {
	Returns[Screen]
	SliceID string `path:"sliceId" id:"slc"`
	// Only the evidence of the report with this number. The default is the newest report of which evidence is stored.
	Occurrence int `query:"occurrence" minimum:"1" maximum:"2147483647"`
	// The moment. The default is the end of the replay.
	At *Time `query:"at"`
}

// Screen is the text that a page showed at a moment of a replay. It is read from the recording: what a style sheet hides
// is in it too.
type Screen struct {
	// The last recorded change of the page until the moment; null when nothing is recorded until then.
	At *Time `json:"at"`
	// The address of the page; null when it is not recorded.
	URL *string `json:"url" untrusted:"true" example:"https://shop.example.com/cart"`
	// The lines of text from top to bottom, at most 2,000 of 300 characters. Fields and buttons are in brackets, with what
	// is typed, which the recorder may have masked.
	// Example: ["Your cart","[code: AUTUMN15] [Apply]"]
	Lines []string `json:"lines" untrusted:"true"`
	// False when the page or the replay is larger than what is read.
	Complete bool `json:"complete"`
}

// ConsoleMember is a member by which items of a list are chosen.
type ConsoleMember string

// Values lists the members of a message of the console.
func (ConsoleMember) Values() []string {
	return memberPaths(reflect.TypeFor[ConsoleRow]())
}

// NetworkMember is a member by which items of a list are chosen.
type NetworkMember string

// Values lists the members of a request.
func (NetworkMember) Values() []string {
	return memberPaths(reflect.TypeFor[NetworkRow]())
}

// ActionMember is a member by which items of a list are chosen.
type ActionMember string

// Values lists the members of an action.
func (ActionMember) Values() []string {
	return memberPaths(reflect.TypeFor[ActionRow]())
}
