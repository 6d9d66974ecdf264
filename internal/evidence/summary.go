package evidence

import (
	"errors"

	"bugslice/api"
)

// Summary returns the summary of a HAR entry, or an error when a required member is missing.
func Summary(line []byte) (api.NetworkEntry, error) {
	var entry map[string]any
	if err := decode(line, &entry); err != nil {
		return api.NetworkEntry{}, err
	}
	return summarize(entry)
}

// summarize returns the summary of a HAR entry, or an error when a required member is missing. Both validation and
// display rely on it. An optional member of a wrong type counts as absent. Names are case-sensitive.
func summarize(entry map[string]any) (n api.NetworkEntry, err error) {
	request, response := object(entry["request"]), object(entry["response"])
	content := object(response["content"])
	n.Method, n.URL = stringMember(request, "method"), stringMember(request, "url")
	n.StatusText = stringMember(response, "statusText")
	n.ContentType = optional(stringMember(content, "mimeType"))
	n.RequestBody = optional(truncate(stringMember(object(request["postData"]), "text")))
	if stringMember(content, "encoding") == "" {
		n.ResponseBody = optional(truncate(stringMember(content, "text")))
	}
	if n.Error = optional(stringMember(entry, "_error")); n.Error == nil {
		n.Error = optional(stringMember(response, "_error"))
	}
	if size, ok := number(content["size"]); ok && size >= 0 && size < 1<<53 {
		n.ResponseBytes = new(int64(size))
	}
	duration, _ := number(entry["time"])
	status, hasStatus := number(response["status"])
	n.DurationMs, n.Status = max(0, duration), int64(max(0, min(status, 999)))
	timeErr := n.StartedAt.UnmarshalText([]byte(stringMember(entry, "startedDateTime")))
	switch {
	case n.Method == "" || n.URL == "":
		err = errors.New("must have a request with method and url")
	case response == nil:
		err = errors.New("must have a response (status 0 when there was none)")
	case !hasStatus:
		err = errors.New("response must have a status, which is a number")
	case timeErr != nil:
		err = errors.New("startedDateTime must be an RFC 3339 time")
	}
	return n, err
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Failed reports whether a request got no response, or one with a status of 400 or more.
func Failed(n api.NetworkEntry) bool { return n.Status == 0 || n.Status >= 400 }
