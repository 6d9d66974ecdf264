package lex

import "strings"

const (
	// MarkerPrefix begins every marker but that of URLs.
	MarkerPrefix = "[redacted:"
	// URLMarker is the marker in URLs and forms, where brackets would have to be escaped.
	URLMarker     = "REDACTED"
	maxKindLength = 20
)

// Marker returns the text that stands in place of a secret of a kind.
func Marker(kind string) string { return MarkerPrefix + kind + "]" }

// MarkerEnd returns where the marker that begins at i ends, or i.
func MarkerEnd(s string, i int) int {
	if i >= len(s) || s[i] != '[' || !strings.HasPrefix(s[i:], MarkerPrefix) {
		return i
	}
	for j := i + len(MarkerPrefix); j < len(s) && j <= i+len(MarkerPrefix)+maxKindLength; j++ {
		switch c := s[j]; {
		case c == ']':
			return j + 1
		case c != '_' && (c < 'a' || c > 'z'):
			return i
		}
	}
	return i
}

// EndsWithMarker reports whether a text ends with a marker.
func EndsWithMarker(s string) bool {
	s = s[max(0, len(s)-len(MarkerPrefix)-maxKindLength-1):]
	at := strings.LastIndex(s, MarkerPrefix)
	return at >= 0 && MarkerEnd(s, at) == len(s)
}

// IsMarker reports whether a text is a marker.
func IsMarker(s string) bool {
	return s == URLMarker || s != "" && MarkerEnd(s, 0) == len(s)
}
