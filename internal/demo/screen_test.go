package demo

import (
	"strings"
	"testing"

	"bugslice/internal/evidence"
)

// TestScreensOfCaptures: the text of each recorded page is read, from its first event to its last: what a visitor saw of
// the discount code is there, and a masked field is not.
func TestScreensOfCaptures(t *testing.T) {
	shown := map[string]string{}
	for _, r := range CapturedReports {
		for _, v := range r.Visits {
			c, err := ReadCapture(v.Capture)
			must(t, err)
			var page evidence.Screen
			for _, event := range c.Replay {
				page.Apply(event)
			}
			text := strings.Join(page.Text(), "\n")
			if text == "" || page.Address() == "" || page.IsPartial() {
				t.Errorf("%s at %q, partial: %v:\n%s", v.Capture, page.Address(), page.IsPartial(), text)
			}
			shown[v.Capture] = text
		}
	}
	for capture, part := range map[string]string{"discount-code": "AUTUMN15"} {
		if !strings.Contains(shown[capture], part) {
			t.Errorf("%s does not show %q:\n%s", capture, part, shown[capture])
		}
	}
}
