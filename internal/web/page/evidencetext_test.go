package page

import (
	"strings"
	"testing"
)

// TestIndented: JSON is shown in lines, unless these would be far longer than it.
func TestIndented(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"a":[1,{"b":"[,\"{"}],"c":{}}`: "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"[,\\\"{\"\n    }\n  ],\n  \"c\": {}\n}",
		`{"a`:                            `{"a`,
	} {
		if got := indented([]byte(raw)); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
	rows := "[" + strings.Repeat(`{"id":1,"name":"a","tags":[1,2,3]},`, 2000) + "1]"
	if got := indented([]byte(rows)); !strings.Contains(got, "\n") {
		t.Error("rows of objects are in one line")
	}
	for _, deep := range []string{
		strings.Repeat("[", 9000) + strings.Repeat("]", 9000), strings.Repeat(`{"a":`, 9000) + "1" +
			strings.Repeat("}", 9000),
		strings.Repeat("[", 500) + strings.Repeat("[],", 50_000) + "1" + strings.Repeat("]", 500),
	} {
		if got := indented([]byte(deep)); got != deep {
			t.Errorf("%d bytes have %d in lines", len(deep), len(got))
		}
	}
}
