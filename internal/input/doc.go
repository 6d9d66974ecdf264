// Package input binds and validates the input of operations, for every front end. The input of an operation is
// declared once, by the tags of its input type in package api, from which the OpenAPI document is made, too.
//
// The tracker accepts only a Valid[In], which only this package makes:
//
//	v, err := input.Bind[api.UpdateSlice](input.Source{Path: path, Query: query, Header: header, Body: body}) // a request
//	v, err := input.Check(api.UpdateSlice{SliceID: id, Patch: patch})                                          // a value in Go
//
// Check encodes the value as a request and binds it, so that there is one set of rules. A front end that has
// something else, such as a form, makes a Source of it. Binding.Arguments makes that of one JSON object with all
// parameters and members, as a tool is called; apidoc.Arguments describes the object. The value is given out against
// a right alone:
//
//	in, err := v.Value(c.Allow(api.OpUpdateSlice)) // the refusal of Allow comes before any use of the input
//
// The zero Valid is refused when it is used. Valid.Size is the size of the input, by which front ends decide what is
// heavy.
//
// Guarantees and refusals:
//
//   - The error is one api.Problem that names every fault, with a pointer or a parameter, a code, and the nearest known name
//     for an unknown one.
//   - Unknown, repeated and empty parameters are refused, a list may be repeated or separated by commas. Unknown, read-only and
//     duplicate members, invalid UTF-8 and U+0000 are refused. Names are exact.
//   - A fault of a parameter or of JSON is 400, another fault of a body 422, a malformed identifier in a path 404.
//   - In a merge patch null removes; members that cannot be removed refuse it. The items of a batch are validated one by one,
//     with their operations.
//   - Arguments have the types of JSON: "5" is no integer, and null no parameter. An operation that stores a file takes none.
//   - Evidence, environment and metadata that are odd are repaired, and refuse no report.
//
// Binding lists the parameters and the body of an operation, for the document and for what makes requests (Source).
// Record and Row validate records and rows of imports by the same schemas. Prepare compiles all schemas at once, at
// the start of a server.
//
// The chapter contract of docs/design has the reasons.
package input
