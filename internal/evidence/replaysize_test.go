package evidence

import (
	"runtime"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/redact"
)

// TestPackedReplayTakesLittleMemory: the nodes of a packed event take memory in proportion to their text, however
// small they are, and a body with packed events is counted with what they may unpack to.
func TestPackedReplayTakesLittleMemory(t *testing.T) {
	nodes := `{"node":{"id":1,"tagName":"input","attributes":{"type":"password","value":"hunter2"},"childNodes":[` +
		strings.Repeat(`{"a":{}},`, 200_000) + `1]}}`
	event := `{"type":2,"timestamp":1795168800000,"cv":"2024-10","data":` + jsonOf(inGzip(nodes)) + `}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Parse(api.KindReplay, []byte("["+event+"]"), redactor(t), redact.Counts{})
	runtime.ReadMemStats(&after)
	if err != nil || strings.Contains(string(s.Lines()), "hunter2") {
		t.Fatalf("the replay is stored with %v", err)
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(len(nodes)); each > 60 {
		t.Errorf("%d bytes for each byte of an event", each)
	}
	packed := jsonOf(inZlib(nodes))
	for _, body := range []string{event, strings.Replace(event, `\u001f`, `\u001F`, 1), `{"evidence":{"replay":[` +
		packed + `]}}`} {
		if Size([]byte(body)) < len(nodes) {
			t.Errorf("%.40s is counted as %d bytes", body, Size([]byte(body)))
		}
	}
	if body := []byte(`{"x":1,"y":"x"}`); Size(body) != len(body) {
		t.Errorf("a body without a packed event is counted as %d bytes", Size(body))
	}
}
