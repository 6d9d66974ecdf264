package download

import (
	"fmt"
	"math"
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
	var ranges []string
	for text := range strings.SplitSeq(list[1], ",") {
		if text = strings.Trim(text, " \t"); text == "" {
			continue
		}
		r, ok := parseRange(text)
		if !ok {
			return ""
		}
		ranges = append(ranges, r)
	}
	if ranges == nil || len(ranges) > maxRanges {
		return ""
	}
	return "bytes=" + strings.Join(ranges, ",")
}

// parseRange returns one range in the form that net/http reads; ok is false for a malformed one.
func parseRange(text string) (r string, ok bool) {
	m := byteRange.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	hasFirst, hasLast := m[1] != "", m[2] != ""
	first, last := offset(m[1]), offset(m[2])
	switch {
	case hasFirst && hasLast:
		return fmt.Sprintf("%d-%d", first, last), first <= last
	case hasFirst:
		return fmt.Sprintf("%d-", first), true
	case hasLast && last == 0: // the last 0 bytes: a range that no file has
		return fmt.Sprintf("%d-", math.MaxInt64), true
	case hasLast:
		return fmt.Sprintf("-%d", last), true
	}
	return "", false
}

// offset parses digits; none are 0. A number that is too large becomes the largest, which lies beyond every file.
func offset(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return n
}
