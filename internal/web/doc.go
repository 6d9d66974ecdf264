// Package web is the front end for people: pages in HTML, which work without script. It is a plain handler that is
// mounted on an httpserver.Server beside the API.
//
//	app, err := web.New(web.Options{Tracker: t, Setup: setup, Exports: exports, BaseURL: "https://bugs.example.com"})
//	server.Mount("/", app, …)
//
// A page is a row of the table (table.go): its path, who may see it, which workspaces it shows, its handlers for GET
// and POST. A path without a row is not served. A page is a folder in pages: a handler, its data, and page.html. Its
// parts:
//
//   - page: what handlers share. A Handler takes a Request (session, workspace, form) and returns a Result, which is a value:
//     a page, a redirect, a file, a stream, or an error that becomes a page about the problem.
//   - ui: components. Those that a page shows many times are compiled (.templ).
//   - static: scripts, styles, fonts and icons, embedded and named by their hash.
//
// A request passes, in this order (serve.go): the headers of every page; the session or the share; the rate of its
// owner; the form, within bounds; the workspace; the handler; and the response, rendered in a slot of the processor,
// within the bounds of memory. Nothing of a body is read before the credential is known.
//
// Guarantees and refusals:
//
//   - No rule is here. The operations behind the pages authorise, validate and refuse; a form becomes the input of an operation
//     by page.Bind, and its faults stand at the fields.
//   - A cookie with a session opens pages, and never the API; a bearer token opens the API, and never a page. A share opens
//     its pages alone, and no cookie is read there.
//   - A change from another origin is refused, by Sec-Fetch-Site or Origin.
//   - An operation that needs a proof of the password is answered with a page that asks for it and repeats the request.
//   - Only a page that was rendered here has the header Bugslice-Page, without which no script makes elements of an answer. A
//     row whose answer is no page is raw, and refuses the requests of scripts that expect one.
//   - Texts of people are written by ui.Prose alone. Pages load nothing of other hosts, and no inline script.
//   - A script gets the part of the page that differs; strangers get whole pages.
//
// The chapters pages, live and rendering of docs/design have the reasons; CONTRIBUTING.md says how a page is added.
package web
