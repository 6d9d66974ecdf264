package tracker

import (
	"bytes"
	"encoding/json"

	"bugslice/api"
	"bugslice/internal/store"
)

// newSliceEncoder returns the encoder of slices as the API shows them.
func newSliceEncoder(baseURL string) *store.SliceEncoder {
	return store.NewSliceEncoder(func(s store.Slice) ([]byte, error) { return encodeJSON(showSlice(baseURL, s)) })
}

// showSlice returns a stored slice as the API shows it, with its reference and its URL in the web application.
func showSlice(baseURL string, s store.Slice) api.Slice {
	s.Reference = api.Reference(s.WorkspaceKey, s.Number)
	s.URL = baseURL + "/slices/" + s.ID
	return s.Slice
}

// encodeJSON returns the JSON of a part of a response: HTML in it is not escaped.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
