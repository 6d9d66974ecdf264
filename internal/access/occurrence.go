package access

import (
	"fmt"

	"bugslice/api"
	"bugslice/internal/store"
)

// CheckOccurrence refuses a number that no occurrence of a slice has. 0 stands for none.
func CheckOccurrence(s store.Slice, number int64) error {
	if number <= s.OccurrenceCount {
		return nil
	}
	return api.InvalidParameter("occurrence", "not_found",
		fmt.Sprintf("the newest occurrence of the slice has the number %d", s.OccurrenceCount))
}
