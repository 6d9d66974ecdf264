package redact

import "strings"

const (
	markerPrefix  = "[redacted:"
	urlMarker     = "REDACTED"
	maxKindLength = 20
)

func marker(kind string) string { return markerPrefix + kind + "]" }

// markerEnd returns where the marker that begins at i ends, or i.
func markerEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], markerPrefix) {
		return i
	}
	for j := i + len(markerPrefix); j < len(s) && j <= i+len(markerPrefix)+maxKindLength; j++ {
		switch c := s[j]; {
		case c == ']':
			return j + 1
		case c != '_' && (c < 'a' || c > 'z'):
			return i
		}
	}
	return i
}

// endsWithMarker reports whether a text ends with a marker.
func endsWithMarker(s string) bool {
	s = s[max(0, len(s)-len(markerPrefix)-maxKindLength-1):]
	at := strings.LastIndex(s, markerPrefix)
	return at >= 0 && markerEnd(s, at) == len(s)
}

// isMarker reports whether a text is a marker.
func isMarker(s string) bool {
	return s == urlMarker || s != "" && markerEnd(s, 0) == len(s)
}
