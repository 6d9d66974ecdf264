package evidence

import "bugslice/api"

// Faults returns the number of rows that are errors of the console or failed requests.
func (s Set) Faults() (n int64) {
	for _, class := range s.classes {
		if IsFault(s.Kind, class) {
			n++
		}
	}
	return n
}

// IsFault reports whether rows of a class are errors of the console or failed requests.
func IsFault(kind api.AttachmentKind, class int) bool {
	switch kind {
	case api.KindConsole:
		return class == LevelClass("error")
	case api.KindNetwork:
		return class == 0 || class >= 4
	}
	return false
}
