package trace_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/ci/trace"
)

// entry is an entry of an archive.
type entry struct {
	name    string
	content io.Reader
}

func text(name, content string) entry { return entry{name, strings.NewReader(content)} }

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.Create(e.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// options is the first event of a trace: its time 0 is at wallTime.
const options = `{"type":"context-options","version":8,"origin":"library","wallTime":1795000000000,"monotonicTime":1000}` + "\n"

func console(message string) string {
	line, _ := json.Marshal(map[string]any{"type": "console", "time": 2000, "messageType": "error", "text": message})
	return string(line) + "\n"
}

// zeros yields n bytes.
func zeros(n int64) io.Reader { return io.LimitReader(zeroReader{}, n) }

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestNoTrace: what is no trace is refused by name.
func TestNoTrace(t *testing.T) {
	t.Parallel()
	whole := archiveOf(t, "1.65.1")
	for name, c := range map[string]struct {
		archive []byte
		want    string
	}{
		"empty":            {nil, "not a complete zip file"},
		"text":             {[]byte("not a zip file at all"), "not a complete zip file"},
		"cut off":          {whole[:len(whole)-100], "not a complete zip file"},
		"another archive":  {archive(t, text("report.html", "<p>")), "no entry ends in .trace"},
		"without events":   {archive(t, text("trace.trace", "one\ntwo\n")), "the trace has no events"},
		"too many entries": {manyEntries(t), "too many entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := trace.Read(bytes.NewReader(c.archive), int64(len(c.archive)))
			assert.Contains(t, "error", fmt.Sprint(err), c.want)
		})
	}
}

func manyEntries(t *testing.T) []byte {
	entries := make([]entry, 9000)
	for i := range entries {
		entries[i] = text(fmt.Sprintf("%d/%s.trace", i, strings.Repeat("a", 1000)), "")
	}
	return archive(t, entries...)
}

// TestOtherVersion: a version that is not known is read, and said to be another one.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	made := read(t, archive(t, text("trace.trace", strings.Replace(options, `"version":8`, `"version":99`, 1)+console("read"))))
	assert.Equal(t, "message", made.Evidence.Console[0].Message, "read")
	assert.Equal(t, "left out", made.LeftOut, []string{"version 99 of the format is read like those from 6 to 10"})
}

// TestBomb: of an archive of 1 MB that unpacks to 1 GiB, at most 256 MiB are unpacked in little memory, and what comes
// before is read.
func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("unpacks 256 MiB")
	}
	packed := archive(t, text("a.trace", options+console("before")), entry{"b.trace", zeros(1 << 30)})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	made := read(t, packed)
	runtime.ReadMemStats(&after)
	assert.Equal(t, "messages", len(made.Evidence.Console), 1)
	assert.Contains(t, "left out", fmt.Sprint(made.LeftOut), "too large when it is unpacked")
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 128 {
		t.Errorf("allocated %d MiB", used)
	}
}

// TestLongLine: an event of more than 16 MiB is left out, and the next one is read.
func TestLongLine(t *testing.T) {
	t.Parallel()
	long := io.MultiReader(strings.NewReader(options+`{"type":"`), zeros(17<<20), strings.NewReader("\n"+console("after")))
	made := read(t, archive(t, entry{"trace.trace", long}))
	assert.Equal(t, "message", made.Evidence.Console[0].Message, "after")
	assert.Contains(t, "left out", fmt.Sprint(made.LeftOut), "an event has more than 16 MiB")
}

// TestDamagedEntry: an entry whose bytes are damaged is read as far as it goes.
func TestDamagedEntry(t *testing.T) {
	t.Parallel()
	packed := archive(t, text("trace.trace", options+console("whole")))
	at := bytes.Index(packed, []byte("PK\x07\x08")) // behind the bytes of the entry, with their checksum
	packed[at+4] ^= 0xff
	copy(packed[bytes.Index(packed, []byte("PK\x01\x02"))+16:], packed[at+4:at+8])
	made := read(t, packed)
	assert.Equal(t, "message", made.Evidence.Console[0].Message, "whole")
	assert.Contains(t, "left out", fmt.Sprint(made.LeftOut), zip.ErrChecksum.Error())
}

// TestNamesAreNoPaths: names in an archive are only names in it.
func TestNamesAreNoPaths(t *testing.T) {
	t.Parallel()
	attached := `{"type":"after","callId":"1","endTime":2000,"attachments":[` +
		`{"name":"../../up","contentType":"image/png","file":"../../secret"},` +
		`{"name":"host","contentType":"image/png","file":"/etc/hostname"}]}`
	made := read(t, archive(t, text("trace.trace", options+attached), text("../../secret", "\x89PNG")))
	assert.Equal(t, "pictures", len(made.Pictures), 1)
	assert.Equal(t, "name", made.Pictures[0].Name, "-..-up.png")
	assert.Contains(t, "left out", fmt.Sprint(made.LeftOut), `"/etc/hostname" is not in the archive`)
}

// TestOddEvents: an event of another form is counted, and the others are read.
func TestOddEvents(t *testing.T) {
	t.Parallel()
	odd := `{"type":7}` + "\n[]\nnull\n{\"type\":\"console\",\"time\":1e300,\"text\":\"never\"}\n" +
		`{"type":"before","callId":"1","startTime":"soon","method":"click"}` + "\n" +
		`{"type":"resource-snapshot","snapshot":{"request":[]}}` + "\n{\"type\":\"of-version-99\"}\n"
	made := read(t, archive(t, text("trace.trace", options+odd+console("read"))))
	assert.Equal(t, "messages", len(made.Evidence.Console), 1)
	assert.Equal(t, "left out", made.LeftOut, []string{"5 lines of the trace are no events"})
}

func snapshot(at int, html string) string {
	return fmt.Sprintf(`{"type":"frame-snapshot","snapshot":{"callId":"1","frameId":"f","frameUrl":"http://a.example/",`+
		`"html":%s,"timestamp":%d,"viewport":{"width":9,"height":9},"isMainFrame":true}}`+"\n", html, at)
}

// TestSnapshotBomb: snapshots that refer to each other twice, to themselves, or to nothing, and nodes that are nested
// deep, cost little and are drawn as far as the limits go.
func TestSnapshotBomb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(options + snapshot(1000, `["HTML",{},["B",{},"a"]]`))
	for i := range 60 {
		b.WriteString(snapshot(1001+i, `["HTML",{},[[1,2]],[[1,2]]]`))
		b.WriteString(snapshot(1001+i, `["HTML",{},[[1,0]],[[1,0]]]`))
	}
	b.WriteString(snapshot(2000, `[[0,0]]`) + snapshot(2001, `[[1,0]]`) + snapshot(2002, `[[-1,1e300]]`))
	b.WriteString(snapshot(2003, strings.Repeat(`["I",{},`, 5000)+`"x"`+strings.Repeat("]", 5000)))
	b.WriteString(snapshot(2004, `["HTML",{"onload":"alert(1)"},["SCRIPT",{},"alert(1)"],["IFRAME",{"srcdoc":"<p>"}],"end"]`))
	made := read(t, archive(t, text("trace.trace", b.String())))
	last := string(made.Evidence.Replay[len(made.Evidence.Replay)-1])
	assert.Contains(t, "last snapshot", last, `"end"`, `"iframe"`)
	assert.NotContains(t, "last snapshot", last, "alert", "srcdoc")
	size := 0
	for _, e := range made.Evidence.Replay {
		size += len(e)
	}
	if size > 3<<20 {
		t.Errorf("the replay has %d bytes", size)
	}
}

// TestManySnapshots: of a page of 5,000 nodes with 3,000 snapshots, most of which differ in one text, the newest are
// drawn alone, so that they cost little; those that are equal are drawn within a limit.
func TestManySnapshots(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(options + snapshot(1000, `["HTML",{},["UL",{}`+strings.Repeat(`,["LI",{},"item"]`, 2500)+`],"0"]`))
	for i := range 3000 {
		b.WriteString(snapshot(1001+i, fmt.Sprintf(`["HTML",{},[[%d,5000]],"%d"]`, i+1, i/2)))
	}
	packed := archive(t, text("trace.trace", b.String()))
	started := time.Now()
	made := read(t, packed)
	t.Log("read in", time.Since(started))
	last := string(made.Evidence.Replay[len(made.Evidence.Replay)-1])
	assert.Contains(t, "last snapshot", last, `"item"`, `"textContent":"1499"`, `"timestamp":1795000002999`)
	if n := len(made.Evidence.Replay); n < 8 || n > 40 {
		t.Errorf("%d events", n)
	}
	assert.Contains(t, "left out", fmt.Sprint(made.LeftOut), "older or damaged snapshots")
}

// TestLimits: the evidence of a trace that has too much of everything fits in a report, and its newest part stays.
func TestLimits(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(options)
	for i := range 30_000 {
		fmt.Fprintf(&b, `{"type":"console","time":%d,"messageType":"log","text":"%d %060d"}`+"\n", 1000+i, i, 0)
		fmt.Fprintf(&b, `{"type":"before","callId":"%d","startTime":%d,"method":"click","params":{"selector":"#b"}}`+"\n", i, 1000+i)
	}
	for i := range 200 {
		b.WriteString(snapshot(1000+i, fmt.Sprintf(`["HTML",{},["P",{},"%d %s"]]`, i, strings.Repeat("p", 40_000))))
	}
	made := read(t, archive(t, text("trace.trace", b.String())))
	encoded, err := json.Marshal(made.Evidence)
	if err != nil || len(encoded) > 9<<20 {
		t.Errorf("%d bytes, %v", len(encoded), err)
	}
	e := made.Evidence
	assert.Contains(t, "last message", e.Console[len(e.Console)-1].Message, "29999 0")
	assert.Contains(t, "last snapshot", string(e.Replay[len(e.Replay)-1]), "199 p")
	assert.Contains(t, "left out", fmt.Sprint(made.LeftOut), "older messages of the console", "older actions", "snapshots of the page")
}

// TestTypedText: what is typed without naming a field is masked, and so is the value of a password field.
func TestTypedText(t *testing.T) {
	t.Parallel()
	call := func(id, method, params string) string {
		return fmt.Sprintf(`{"type":"before","callId":%q,"startTime":2000,"method":%q,"params":%s}`+"\n", id, method, params)
	}
	made := read(t, archive(t, text("trace.trace", options+
		call("1", "keyboardType", `{"text":"hunter2"}`)+call("2", "keyboardPress", `{"key":"h"}`)+
		call("3", "keyboardPress", `{"key":"Enter"}`)+call("4", "type", `{"selector":"#a","text":"hunter2"}`)+
		`{"type":"log","callId":"4","message":"  locator resolved to <INPUT id=\"a\" TYPE=\"Password\"/>"}`+"\n"+
		call("5", "press", `{"selector":"#a","key":"h"}`)+
		`{"type":"log","callId":"5","message":"locator resolved to <input type=password>"}`+"\n")))
	var values []string
	for _, a := range made.Evidence.Actions {
		values = append(values, value(a.Value))
	}
	assert.Equal(t, "values", values, []string{"•••••••", "•", "Enter", "•••••••", "•"})
}

// TestOtherClock: the starts of requests are on the clock of the test when that of the browser is an hour ahead, and stay
// when a response took long.
func TestOtherClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		started string
		took    int
		want    int64 // milliseconds after the message
	}{
		"an hour ahead": {"2026-11-18T12:06:41.500Z", 100, 500},
		"slow":          {"2026-11-18T11:06:11.600Z", 30_000, -29_400},
		"a second":      {"2026-11-18T11:06:41.100Z", 0, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := fmt.Sprintf(`{"type":"resource-snapshot","snapshot":{"startedDateTime":%q,"time":%d,"_monotonicTime":2600,`+
				`"request":{"method":"GET","url":"http://a.example/"},"response":{"status":200}}}`, c.started, c.took)
			made := read(t, archive(t, text("trace.trace", options+console("at 11:06:41")), text("trace.network", request)))
			var h har
			if err := json.Unmarshal(made.Evidence.Network, &h); err != nil {
				t.Fatal(err)
			}
			after := h.Log.Entries[0].StartedDateTime.Sub(made.Evidence.Console[0].Timestamp.Time).Milliseconds()
			assert.Equal(t, "milliseconds after the message", after, c.want)
		})
	}
}

// FuzzRead: no trace makes the reader fail otherwise than with an error, nor exceed the limits.
func FuzzRead(f *testing.F) {
	f.Add(options+console("a")+snapshot(1000, `["HTML",{},["LINK",{"rel":"stylesheet","href":"/a.css"}],[[0,0]],[[1,1]]]`),
		`{"type":"resource-snapshot","snapshot":{"startedDateTime":"2026-11-20T10:00:00Z","request":{"method":"POST",`+
			`"url":"http://a.example/a.css","postData":{"_sha1":"b"}},"response":{"status":200,"content":{"_file":"b"}}}}`, "body")
	f.Add(`{"type":"before","callId":"1","startTime":5,"wallTime":1795000000000,"method":"fill","params":{"selector":"#a","value":"b"}}`,
		"", "")
	f.Fuzz(func(t *testing.T, events, network, body string) {
		packed := archive(t, text("trace.trace", events), text("trace.network", network), text("b", body), text("resources/b", body))
		made, err := trace.Read(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			return
		}
		if encoded, err := json.Marshal(made.Evidence); err != nil || len(encoded) > 10<<20 {
			t.Error(len(encoded), err)
		}
	})
}

// FuzzArchive: damaged bytes of a trace make the reader fail with an error that says so, or leave the rest.
func FuzzArchive(f *testing.F) {
	f.Add(archive(f, text("trace.trace", options)))
	f.Fuzz(func(t *testing.T, packed []byte) {
		made, err := trace.Read(bytes.NewReader(packed), int64(len(packed)))
		if err != nil && !strings.Contains(err.Error(), "zip") && !strings.Contains(err.Error(), "trace") &&
			!strings.Contains(err.Error(), "archive") {
			t.Error(err)
		}
		if err != nil && len(made.Pictures)+len(made.Evidence.Console) > 0 {
			t.Error("evidence beside an error")
		}
	})
}
