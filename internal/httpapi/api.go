package httpapi

import (
	"net/http"

	"bugslice/internal/apidoc"
	"bugslice/internal/gateway"
)

// Options are what an API is made from.
type Options struct {
	Gateway *gateway.Gateway
	BaseURL string             // without a trailing slash
	Pages   apidoc.Application // the web application beside the API; zero for none
}

// API answers /v1, /openapi.json and /docs. It is safe for concurrent use.
type API struct {
	Options
	handler http.Handler
}

// request is an authorised request and its response.
type request struct {
	*http.Request
	w    http.ResponseWriter
	call *gateway.Call
}
