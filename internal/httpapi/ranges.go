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

// maxRanges is how many ranges of a file are answered at once: each costs a search for its place.
const maxRanges = 16

// ranges returns a Range header as net/http reads it. One that is malformed, of another unit or of
// many ranges is ignored (RFC 9110): it returns "".
func ranges(header string) string {
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
		case m[1] == "" && to == 0: // the last none: behind every end
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

// offset reads digits; beyond every file is the same as far beyond.
func offset(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}

// held is an answer of net/http whose refusals are held back, to become problems.
type held struct {
	http.ResponseWriter
	refusal int
	cause   string
}

func (w *held) WriteHeader(status int) {
	if status >= 400 {
		w.refusal = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *held) Write(b []byte) (int, error) {
	if w.refusal != 0 {
		w.cause += string(b)
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *held) Unwrap() http.ResponseWriter { return w.ResponseWriter }
