package evidence

import (
	"encoding/json"
	"slices"

	"bugslice/api"
)

// noClass is the class of a row that has none.
const noClass = -1

// Class returns the class of a row, by which rows are filtered: the level of a console message, or the first digit of
// the status of a request. Rows of other kinds and invalid rows have none.
func Class(kind api.AttachmentKind, row []byte) int {
	switch kind {
	case api.KindConsole:
		var e struct{ Level api.ConsoleLevel }
		if json.Unmarshal(row, &e) == nil {
			return LevelClass(e.Level)
		}
	case api.KindNetwork:
		if n, err := Summary(row); err == nil {
			return StatusClass(n)
		}
	}
	return noClass
}

var levels = api.ConsoleLevel("").Values()

// LevelClass returns the class of console messages of a level.
func LevelClass(l api.ConsoleLevel) int { return slices.Index(levels, string(l)) }

// StatusClass returns the class of a request: the first digit of its status, or 0 without a response.
func StatusClass(n api.NetworkEntry) int {
	if n.Status > 0 && n.Status < 100 {
		return noClass
	}
	return int(n.Status / 100)
}
