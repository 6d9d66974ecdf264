// Package apidoc describes the API, from the rows of api.Operations and the tags and comments of their types:
//
//	document, err := apidoc.OpenAPI("https://bugs.example.com") // OpenAPI 3.1, as JSON
//	page, err := apidoc.Reference(document)                     // the reference page, in HTML
//	schema := apidoc.Arguments(op)                              // of the whole input of an operation, as one object
//
// Nothing is written by hand but an introduction, the words about tags, and examples. The schemas are those by which
// package input validates, so that the document says what the service does: a change of a tag changes both. The
// golden file api/openapi.json shows a change in review, and `make contract` writes it.
//
// Guarantees:
//
//   - The document is the same on every instance but for its server. It is deterministic.
//   - An enum is one component, by the name of its Go type; where it may be null, it is anyOf of the component and null. Codes
//     and event types, which may grow, are strings with x-extensible-enum.
//   - Records are open, because later versions add members, and bodies of requests are closed. The patch of an item of a batch
//     has the schema of the patch.
//   - Each operation has its scope, its error codes and an example that works as it is. Each public event is a webhook of the
//     document.
//   - The reference page is complete without script and loads nothing from other hosts: its own style sheet (Stylesheet), and the
//     script of the forms that try an operation, which a front end serves beside it. It works with a keyboard and a screen
//     reader, in light and dark, wide and narrow.
//
// What a type cannot say is refused at the start of the program, not at a request: package schema panics on a kind of
// type that it does not know. The chapter contract of docs/design has the reasons, and the generators that were
// tried.
package apidoc
