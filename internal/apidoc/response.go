package apidoc

import (
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/schema"
)

func header(description string) object {
	return object{"description": description, "schema": object{"type": "string"}}
}

var (
	requestIDHeader = header("Identifies the request in the service's log.")
	etagHeader      = header("Changes with every change of the record.")
)

// problemHeaders describes the headers of the problems of a status.
func problemHeaders(status int) object {
	all := object{"X-Request-Id": requestIDHeader}
	if status == http.StatusUnauthorized || status == http.StatusForbidden {
		all["WWW-Authenticate"] = header("What is missing (RFC 6750): a valid token, or a scope, which it names.")
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		all["Retry-After"] = object{"description": "Seconds after which to send the request again.",
			"schema": object{"type": "integer", "minimum": 0}}
	}
	if status == http.StatusTooManyRequests {
		all["RateLimit"] = header("What remains of the rate limit of the key, and the seconds until it is full: \"key\";r=0;t=1.")
		all["RateLimit-Policy"] = header("The rate limit of the key: requests and seconds, \"key\";q=600;w=60.")
	}
	return all
}

// responses describes the responses of an operation, by status.
func responses(set *schema.Set, op *api.Operation) object {
	all := object{}
	for _, code := range errorCodes(op) {
		status := strconv.Itoa(api.NewProblem(code, "").Status)
		all[status] = object{"$ref": "#/components/responses/Problem" + status}
	}
	success := object{"description": statusText(op.Status), "headers": headers(op)}
	if content := content(set, op); len(content) > 0 {
		success["content"] = content
	}
	all[strconv.Itoa(op.Status)] = success
	_, versioned := op.Out().(api.Versioned)
	_, foundOrCreated := op.Out().(api.FoundOrCreated)
	switch {
	case returnsFile(op):
		all["206"] = object{"description": "The range of the file that Range names.", "content": success["content"]}
		all["304"] = object{"description": "The file has not changed since the ETag in If-None-Match."}
	case foundOrCreated:
		existing := maps.Clone(success)
		existing["description"] = "A slice with the fingerprint was open. The request was counted as an occurrence of it."
		existing["headers"] = object{"X-Request-Id": requestIDHeader, "ETag": etagHeader}
		all["200"] = existing
	case versioned && op.Method == http.MethodGet:
		all["304"] = object{"description": "The record has not changed since the ETag in If-None-Match."}
	}
	return all
}

func statusText(status int) string {
	switch status {
	case http.StatusCreated:
		return "Created."
	case http.StatusNoContent:
		return "Success, without a body."
	}
	return "Success."
}

// headers describes the headers of a successful response.
func headers(op *api.Operation) object {
	all := object{"X-Request-Id": requestIDHeader}
	if returnsFile(op) {
		all["ETag"] = header("Made from the SHA-256 of the file.")
		all["Content-Disposition"] = header("The name of the file, and whether it is a download.")
	}
	if _, versioned := op.Out().(api.Versioned); versioned {
		all["ETag"] = etagHeader
	}
	if _, paged := op.Out().(api.Paged); paged {
		all["Link"] = header("The URL of the next page, as rel=\"next\", if there is one.")
	}
	if op.Status == http.StatusCreated {
		all["Location"] = header("The URL of the record that was created.")
	}
	return all
}

// content describes the body of a successful response, by media type.
func content(set *schema.Set, op *api.Operation) object {
	all := object{}
	if t := reflect.TypeOf(op.Out()); t != reflect.TypeFor[api.Nothing]() && !returnsFile(op) {
		all["application/json"] = object{"schema": set.Ref(t, schema.Record)}
	}
	for _, media := range op.Media {
		all[media] = object{"schema": object{"type": "string"}, "example": textExamples[media]}
		if strings.HasSuffix(media, "/*") {
			all[media] = object{"schema": object{"type": "string", "format": "binary"}, "example": "bytes"}
		}
	}
	return all
}

// returnsFile reports whether the response is the bytes of a file.
func returnsFile(op *api.Operation) bool {
	_, ok := op.Out().(api.Bytes)
	return ok
}
