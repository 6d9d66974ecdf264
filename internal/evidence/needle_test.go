package evidence

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugslice/internal/words"
)

// TestNeedle: no row that has the text is taken for one without it, however it is written.
func TestNeedle(t *testing.T) {
	letters := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "é",
		"É", "İ", "K", "\"", "\\", "/", "\n", "\t", "\b", "\x1b", "<",
		"&", "\u2028", "ß", "Ł", "ﬁ", "＂", "＼", "e\u0301", "İ", "購", "😀", "\ufffd", "u", "n", "\x7f"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		before, text, behind := strings.Join(letters.Draw(t, "before"), ""),
			strings.Join(letters.Draw(t, "text"), ""), strings.Join(letters.Draw(t, "behind"), "")
		message := map[string]any{"message": before + text + behind}
		kept, err := marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		other, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		q := strings.ToUpper(text)
		if !strings.Contains(words.Fold(before+text+behind), words.Fold(q)) {
			q = text
		}
		for _, row := range []string{string(kept), string(other), strings.ReplaceAll(string(kept), "/", `\/`),
			strings.ReplaceAll(string(kept), "a", `\u0061`)} {
			if !json.Valid([]byte(row)) {
				continue
			}
			n := NewNeedle(q)
			for range 2 { // one is used for many rows
				if !n.Possible([]byte(row)) {
					t.Fatalf("%q is not found in %s", q, row)
				}
			}
		}
	})
	if NewNeedle("nowhere").Possible([]byte(`{"message":"Somewhere\n\"else\""}`)) {
		t.Error("found where it is not")
	}
}
