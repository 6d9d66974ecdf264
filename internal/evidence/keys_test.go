package evidence

import (
	"fmt"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/redact"
)

// keyLines are the lines of a private key that is of no use.
var keyLines = []string{"-----BEGIN PRIVATE KEY-----",
	"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
	"MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
	"aaaabbbbccccddddeeeeffffgggghhhhiiiijjjjkkkkllllmmmmnnnnoooopppp", "qzR0xK9=", "-----END PRIVATE KEY-----"}

// TestKeysOverSeveralTexts: a private key that is captured line by line keeps no line, also with other texts between
// its lines, which stay.
func TestKeysOverSeveralTexts(t *testing.T) {
	others := []string{"GET /api/orders 200", "ok", "42", "rendered 17 items in 3 ms", "Warning"}
	var texts []string
	for i, line := range keyLines {
		texts = append(texts, line, others[i%len(others)])
	}
	texts = append(texts, "after c2FmZSBhZ2Fpbg9X", "c2FmZSBhZ2Fpbg9XYWZ0ZXI")
	rows := func(shape string) string {
		var all []string
		for _, text := range texts {
			all = append(all, strings.ReplaceAll(shape, "%", text))
		}
		return strings.Join(all, ",")
	}
	const at = `"timestamp":"2026-11-20T10:00:00Z"`
	socket := strings.Replace(sound[api.KindNetwork], `"time":1`,
		`"time":1,"_webSocketMessages":[`+rows(`{"type":"receive","opcode":1,"data":"%"}`)+`]`, 1)
	for name, c := range map[string]struct {
		kind api.AttachmentKind
		in   string
	}{
		"messages": {api.KindConsole, `[` + rows(`{"level":"log",`+at+`,"message":"%"}`) + `]`},
		"messages with a time": {api.KindConsole,
			`[` + strings.ReplaceAll(rows(`{"level":"log",`+at+`,"message":"12:00:01 [app] %"}`),
				" [app] qzR0xK9=", "") + `]`},
		"arguments": {api.KindConsole, `[` + rows(`{"level":"log",`+at+`,"message":"","args":["%"]}`) + `]`},
		"both":      {api.KindConsole, `[` + rows(`{"level":"log",`+at+`,"message":"%","args":["%"]}`) + `]`},
		"frames":    {api.KindNetwork, string(file(api.KindNetwork, socket))},
		"frames of JSON": {api.KindNetwork, string(file(api.KindNetwork,
			strings.ReplaceAll(socket, `"data":"`, `"opcode":1,"data":"\n`)))},
		"texts of nodes": {api.KindReplay,
			`[` + rows(`{"type":3,"timestamp":1,"data":{"source":0,"adds":[{"parentId":1,"node":{"type":3,"id":9,"textContent":"%"}}]}}`+
				``) + `]`},
		"texts of one node": {api.KindReplay, `[{"type":2,"timestamp":1,"data":{"node":{"childNodes":[` +
			rows(`{"tagName":"div","childNodes":[{"type":3,"textContent":"%"}]}`) + `]}}}]`},
		"console of a replay": {api.KindReplay,
			`[` + rows(`{"type":6,"timestamp":1,"data":{"plugin":"rrweb/console@1","payload":{"level":"log","payload":["\"%\""]}}}`) + `]`},
		"colors": {api.KindConsole,
			`[` + rows(`{"level":"log",`+at+`,"message":"\u001b[1;32m%\u001b[0m"}`) + `]`},
		"lines of a program": {api.KindConsole, `[` + rows(`{"level":"log",`+at+`,"message":"\"%\\n\" +"}`) + `]`},
		"colored after a time": {api.KindConsole,
			`[` + strings.ReplaceAll(rows(`{"level":"log",`+at+
				`,"message":"\u001b[2m12:00:01\u001b[0m \u001b[32m%\u001b[0m"}`),
				"qzR0xK9=", "") + `]`},
		"blanks": {api.KindConsole, `[` + strings.NewReplacer("-----BEGIN",
			"----- BEGIN", "-----END", "-----  END", "KEY-----", "KEY -----").
			Replace(rows(`{"level":"log",`+at+`,"message":"%"}`)) + `]`},
		"four dashes": {api.KindConsole, `[` + strings.NewReplacer("-----BEGIN",
			"---- BEGIN SSH2", "-----END", "---- END SSH2", "KEY-----",
			"KEY ----").Replace(rows(`{"level":"log",`+at+`,"message":"%"}`)) + `]`},
		"actions": {api.KindActions, `[` + rows(`{"type":"click",`+at+`,"text":"%"}`) + `]`},
	} {
		s, err := Parse(c.kind, []byte(c.in), redactor(t), redact.Counts{})
		if err == nil {
			err = readable(s)
		}
		text := string(s.Lines())
		for _, line := range keyLines[1:5] {
			if strings.Contains(text, line) && (name != "messages with a time" || line != "qzR0xK9=") {
				t.Errorf("%s: %s survives in\n%s", name, line, text)
			}
		}
		for _, other := range append(others, texts[len(texts)-2:]...) {
			if !strings.Contains(text, other) {
				t.Errorf("%s: %s is gone from\n%s", name, other, text)
			}
		}
		if err != nil || !strings.Contains(text, "[redacted:private_key]") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	long := "-----BEGIN CERTIFICATE-----"
	s, err := Parse(api.KindConsole, []byte(fmt.Sprintf(`[{"level":"log",%s,"message":"%s"},{"level":"log",%[1]s,"message":"%[3]s"}]`,
		at, long, keyLines[1])), redactor(t), redact.Counts{})
	if err != nil || !strings.Contains(string(s.Lines()), keyLines[1]) {
		t.Errorf("a certificate: %v %s", err, s.Lines())
	}
}
