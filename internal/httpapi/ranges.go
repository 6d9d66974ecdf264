package httpapi

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

var (
	byteRanges = regexp.MustCompile(`^(?i:bytes)=([0-9, \t-]*)$`)
	byteRange  = regexp.MustCompile(`^(\d*)-(\d*)$`)
)

// maxRanges bounds the ranges of one response: each costs a seek.
const maxRanges = 16

// parseRanges returns a Range header in the form that net/http reads. It returns "" for a header that is ignored
// (RFC 9110): malformed, of another unit, or of too many ranges.
func parseRanges(header string) string {
	list := byteRanges.FindStringSubmatch(header)
	if list == nil {
		return ""
	}
	var all []string
	for one := range strings.SplitSeq(list[1], ",") {
		if one = strings.Trim(one, " \t"); one == "" {
			continue
		}
		m := byteRange.FindStringSubmatch(one)
		if m == nil || m[1] == "" && m[2] == "" {
			return ""
		}
		from, to := offset(m[1]), offset(m[2])
		switch {
		case m[1] == "" && to == 0: // the last 0 bytes: a range that no file has
			all = append(all, fmt.Sprintf("%d-", math.MaxInt64))
		case m[1] == "":
			all = append(all, fmt.Sprintf("-%d", to))
		case m[2] == "":
			all = append(all, fmt.Sprintf("%d-", from))
		case from > to:
			return ""
		default:
			all = append(all, fmt.Sprintf("%d-%d", from, to))
		}
	}
	if all == nil || len(all) > maxRanges {
		return ""
	}
	return "bytes=" + strings.Join(all, ",")
}

// offset parses digits. A number that is too large becomes the largest, which lies beyond every file.
func offset(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// errorInterceptor keeps the error responses of net/http from the client, so that they become problems.
type errorInterceptor struct {
	http.ResponseWriter
	status int // of the error response; 0 when there is none
	body   string
}

func (w *errorInterceptor) WriteHeader(status int) {
	if status >= 400 {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *errorInterceptor) Write(b []byte) (int, error) {
	if w.status != 0 {
		w.body += string(b)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *errorInterceptor) Unwrap() http.ResponseWriter { return w.ResponseWriter }
