package reports

import (
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
)

// orderOf returns the key by which a report has its place in an order, as a text.
func orderOf(order string, s api.Slice) string {
	switch strings.TrimSuffix(order, "-asc") {
	case "updated":
		return fmt.Sprintf("%020d ", s.UpdatedAt.UnixMilli()) + s.ID
	case "priority":
		all := api.Priority("").Values() // urgent is the first
		rank := len(all)
		if s.Priority != nil {
			rank = slices.Index(all, string(*s.Priority))
		}
		return fmt.Sprint(len(all)-rank, " ", s.ID)
	}
	return s.ID
}

// cursorOf returns the cursor of the next page; empty on the last one.
func cursorOf(p api.Pagination) string {
	if p.Cursor == nil {
		return ""
	}
	return *p.Cursor
}
