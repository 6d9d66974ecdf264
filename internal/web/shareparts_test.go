package web

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bugslice/api"
)

// markedEvents are events of a recording, each with a text of its own, by the part of a share that shows them;
// "never" for none.
func markedEvents(name string, at time.Time) (events []json.RawMessage, texts map[string][]string) {
	texts = map[string][]string{}
	add := func(part, mark, format string) {
		mark = name + "-" + mark + "-end"
		texts[part] = append(texts[part], mark)
		event := strings.ReplaceAll(strings.ReplaceAll(format, "TEXT", mark), "NOW",
			fmt.Sprint(at.UnixMilli()+int64(len(events))))
		events = append(events, json.RawMessage(event))
	}
	add("", "meta", `{"type":4,"timestamp":NOW,"data":{"href":"https://shop.example/TEXT","width":800,"height":600}}`)
	add("", "snapshot", `{"data":{"node":{"type":0,"id":1,"childNodes":[{"type":2,"id":2,"tagName":"html","attributes":{},"childNodes":[
		{"type":3,"id":3,"textContent":"TEXT"}]}]},"initialOffset":{"top":0,"left":0}},"timestamp":NOW,"type":2}`)
	add("", "mutation", `{"type":3,"timestamp":NOW,"data":{"source":0,"adds":[],"removes":[],"attributes":[],"texts":[{"id":3,`+
		`"value":"TEXT"}]}}`)
	add("", "input", `{"type":3e0,"data":{"text":"TEXT","isChecked":false,"id":3,"source":5.0},"timestamp":NOW}`)
	add("console", "plugin-console",
		`{"type":6,"timestamp":NOW,"data":{"plugin":"rrweb/console@1","payload":{"level":"log","trace":[],"payload":["\"TEXT\""]}}}`)
	add("console", "late-console", `{"timestamp":NOW,"data":{"payload":{"payload":["TEXT"]},"plugin":"rrweb\/console@1"},"type":6}`)
	add("console", "log", `{"type":3,"timestamp":NOW,"data":{"source":11,"level":"log","payload":["TEXT"]}}`)
	add("console", "crumb", `{"type":5,"timestamp":NOW,"data":{"tag":"breadcrumb","payload":{"category":"console","message":"TEXT"}}}`)
	add("network", "plugin-network",
		`{"type":6,"timestamp":NOW,"data":{"plugin":"rrweb/network@1","payload":{"requests":[{"name":"https://shop.example/TEXT"}]}}}`)
	add("network", "tag-network", `{"type":5,"timestamp":NOW,"data":{"tag":"$network","payload":{"url":"TEXT"}}}`)
	add("network", "span", `{"type":5,"timestamp":NOW,"data":{"tag":"performanceSpan","payload":{"description":"TEXT","op":"resource.`+
		`fetch"}}}`)
	add("network", "fetch", `{"type":5,"timestamp":NOW,"data":{"payload":{"data":{"url":"TEXT"},"category":"fetch"},"tag":"breadcrumb"}}`)
	for i, format := range []string{
		`{"type":5,"timestamp":NOW,"data":{"tag":"customer","payload":{"name":"TEXT"}}}`,
		`{"type":5,"timestamp":NOW,"data":{"tag":"breadcrumb","payload":{"category":"ui.click","message":"TEXT"}}}`,
		`{"type":5,"timestamp":NOW,"data":{"tag":"breadcrumb","payload":{"message":"TEXT"}}}`,
		`{"type":5,"timestamp":NOW,"data":{"tag":["breadcrumb"],"payload":{"category":"console","message":"TEXT"}}}`,
		`{"type":6,"timestamp":NOW,"data":{"plugin":"rrweb/sequential-id@1","payload":{"id":"TEXT"}}}`,
		`{"type":6,"timestamp":NOW,"data":{"plugin":"rrweb/canvas-webrtc@1","payload":"TEXT"}}`,
		`{"type":6,"timestamp":NOW,"data":{"plugin":"some/plugin@1","payload":"TEXT"}}`,
		`{"type":7,"timestamp":NOW,"data":{"url":"TEXT"}}`,
		`{"type":3,"timestamp":NOW,"data":{"source":99,"text":"TEXT"}}`,
		`{"type":3,"timestamp":NOW,"data":{"text":"TEXT"}}`,
		`{"type":3,"timestamp":NOW,"data":{"nested":{"source":0},"text":"TEXT"}}`,
		`{"type":3,"timestamp":NOW,"data":{"source":"0","text":"TEXT"}}`,
	} {
		add("never", fmt.Sprint("other-", i), format)
	}
	return events, texts
}

// fileMarked files an occurrence whose members each have a text of its own.
func (w *world) fileMarked(t *testing.T, name, system string) (reference string, texts map[string][]string) {
	t.Helper()
	at := w.clock.now().Add(-time.Minute)
	text := func(s string) *string { return new(name + "-" + s + "-end") }
	events, texts := markedEvents(name, at)
	reference = w.capture(t, api.NewSlice{Fingerprint: new("marked"),
		SliceFields: api.SliceFields{Summary: "Marked", Environment: api.Environment{OS: &system,
			Commit: text("commit")}, Metadata: map[string]string{"m": *text("metadata")}},
		Evidence: &api.Evidence{
			Console: []api.ConsoleEntry{{Level: "error", Timestamp: api.At(at), Message: *text("line")}},
			Network: har(t, harEntry(at, "GET", "https://shop.example/"+*text("request"), 500)),
			Actions: []api.ActionEntry{{Type: "click", Timestamp: api.At(at), Text: text("action")}},
			Replay:  events}})
	texts["console"] = append(texts["console"], *text("line"))
	texts["network"] = append(texts["network"], *text("request"))
	texts[""] = append(texts[""], *text("action"), system)
	texts["never"] = append(texts["never"], *text("commit"), *text("metadata"))
	return reference, texts
}

// everyDoor returns what strangers get of a share by every address below its own.
func (w *world) everyDoor(b *browser, path string, files []string) string {
	var all strings.Builder
	read := func(a answer) {
		fmt.Fprintf(&all, "\n%s: %d\n%s", a.path, a.status, a.body)
	}
	for _, occurrence := range []string{"", "0", "1", "2", "3", "-1", "01"} {
		query := "occurrence=" + occurrence
		for _, tab := range []string{"", "console", "network", "actions", "environment"} {
			read(b.get(path + "?tab=" + tab + "&" + query))
			read(b.panel(path + "?tab=" + tab + "&" + query))
			read(b.panel(path + "?tab=" + tab + "&request=1&failed=true&q=end&" + query))
		}
		read(b.get(path + "/replay?" + query))
		read(b.get(path + "/network.har?" + query))
	}
	for _, id := range files {
		read(b.get(path + "?show=" + id))
		read(b.get(path + "/files/" + id))
		read(b.get(path + "/files/" + id + "/thumbnail"))
	}
	for _, below := range []string{"/markdown", "/console", "/events", "/replay/1", "/shares"} {
		read(b.get(path + below))
	}
	return all.String()
}

// TestShareShowsOneOccurrenceAndItsParts: whatever the address below that of a share, it answers with texts of the
// parts of the share, of the occurrence that it shows: of no other event of its replay, no other file and no other
// occurrence.
func TestShareShowsOneOccurrenceAndItsParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, table, nil)
	c := w.caller(t, owner)
	reference, former := w.fileMarked(t, "former", "Windows 11")
	picture := w.attach(t, reference, "former.png", screenshot(t, 300, 200)).ID
	described := w.attach(t, reference, "described.png", screenshot(t, 300, 200)).ID
	w.attach(t, reference, "former-log-end.log", "former-log-end")
	_, newest := w.fileMarked(t, "newest", "Android 16")
	shownPicture := w.attach(t, reference, "newest.png", screenshot(t, 300, 200)).ID
	w.attach(t, reference, "newest-log-end.log", "newest-log-end")
	newest["console"] = append(newest["console"], "newest-log-end")
	newest[""] = append(newest[""], "/files/"+shownPicture)
	former["never"] = append(former["never"], "former-log-end", "/files/"+picture+`"`)
	_, err := w.UpdateSlice(t.Context(), c, valid(t, api.UpdateSlice{SliceID: reference,
		Patch: api.SlicePatch{"description": "![](/files/" + described + ")"}}))
	must(t, err)
	listed, err := w.ListAttachments(t.Context(), c,
		valid(t, api.ListAttachments{SliceID: reference, Paging: api.Paging{Limit: 100}}))
	must(t, err)
	var files []string
	for _, a := range listed.Data {
		files = append(files, a.ID)
	}
	b := w.signedIn(t, owner)
	for query, systems := range map[string][2]string{"": {"Android 16", "Windows 11"},
		"?occurrence=2": {"Android 16", "Windows 11"}, "?occurrence=1": {"Windows 11", "Android 16"}} {
		chips := regexp.MustCompile(`(?s)<ul class="environment".*?</ul>`).
			FindString(b.get("/" + reference + query).body)
		if !strings.Contains(chips, "<bdi>"+systems[0]) || strings.Contains(chips, "<bdi>"+systems[1]) {
			t.Errorf("the chips of %q: %s", query, chips)
		}
		if marked := strings.Contains(chips, "first reported with "); marked != (systems[0] == "Android 16") {
			t.Errorf("of %q it is %t that a chip differs from the first report: %s", query, marked, chips)
		}
	}
	stranger := w.browser(t)
	for n := range 8 {
		var parts []api.SharePart
		for i, part := range []api.SharePart{api.ShareConsole, api.ShareNetwork, api.ShareComments} {
			if n>>i&1 == 1 {
				parts = append(parts, part)
			}
		}
		path, _ := w.share(t, c, reference, parts...)
		all := w.everyDoor(stranger, path, files)
		for part, texts := range newest {
			shown := part == "" || slices.Contains(parts, api.SharePart(part))
			for _, text := range texts {
				if strings.Contains(all, text) != shown {
					t.Errorf("with %q: %s is shown: %t", parts, text, !shown)
				}
			}
		}
		for _, text := range slices.Concat(former[""], former["console"], former["network"], former["never"]) {
			if strings.Contains(all, text) {
				t.Errorf("with %q: %s of another occurrence is shown", parts, text)
			}
		}
		for id, want := range map[string]int{picture: 404, described: 200, shownPicture: 200} {
			stranger.get(path + "/files/" + id).wants(want)
			stranger.get(path + "/files/" + id + "/thumbnail").wants(want)
		}
	}
}
