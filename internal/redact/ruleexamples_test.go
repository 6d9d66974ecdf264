package redact_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"bugslice/internal/redact"
	"bugslice/internal/redact/decide"
)

// form is a form in which a name and its value, or a value alone, are sent.
type form struct {
	name   string
	redact func(r *redact.Redactor, name, value string) string
}

func inText(format string) func(r *redact.Redactor, name, value string) string {
	return func(r *redact.Redactor, name, value string) string {
		return r.Text(fmt.Sprintf(format, name, value), nil)
	}
}

func inBody(mediaType, format string) func(r *redact.Redactor, name, value string) string {
	return func(r *redact.Redactor, name, value string) string {
		return r.Body(mediaType, fmt.Sprintf(format, name, value), nil)
	}
}

func inURL(r *redact.Redactor, name, value string) string {
	return r.URL("https://example.com/x?"+name+"="+value+"&page=2", nil)
}

func inHeader(r *redact.Redactor, name, value string) string { return r.Header(name, value, nil) }

func inHAR(r *redact.Redactor, name, value string) string {
	body, _ := json.Marshal(map[string]string{name: value}) // strings
	entry := map[string]any{"request": map[string]any{"url": "https://example.com/x?" + name + "=" + value,
		"headers": []any{
			map[string]any{"name": name, "value": value}}},
		"response": map[string]any{"content": map[string]any{"text": string(body)}}}
	r.Entry(entry, nil)
	out, _ := json.Marshal(entry)
	return string(out)
}

// parameterForms are those of a parameter, and namedForms those of every name.
var (
	parameterForms = []form{
		{"URL", inURL},
		{"form", inBody("application/x-www-form-urlencoded", "a=1&%s=%s")},
	}
	namedForms = append([]form{
		{"setting", inText("%s=%s")},
		{"shell", inText("export %s='%s'")},
		{"colon", inText("%s: %s")},
		{"quotes", inText(`x = {"%s": "%s"}`)},
		{"escaped", inText(`{\"%s\":\"%s\"}`)},
		{"option", inText("run --%s=%s --fast")},
		{"call", inText(`store.setItem("%s", "%s")`)},
		{"element", inText("<%s>%s</x>")},
		{"JSON", inBody("application/json", `{"a":{"%s":"%s"}}`)},
		{"pair", inBody("application/json", `{"name":"%s","value":"%s"}`)},
		{"header", inHeader},
		{"HAR", inHAR},
	}, parameterForms...)
	aloneForms = []form{
		{"text", inText("seen%.0s %s here")},
		{"sentence", inText("It was%.0s %s.")},
		{"cell", inText("| x%.0s | %s |")},
		{"call", inText(`f(%.0s"%s")`)},
		{"file", inText("saved%.0s as log-%s.txt")},
		{"JSON", inBody("application/json", `{"value%.0s":"%s"}`)},
		{"list", inBody("application/json", `[["a%.0s"],"%s"]`)},
		{"header", func(r *redact.Redactor, _, value string) string { return r.Header("X-Info", value, nil) }},
		{"URL", func(r *redact.Redactor, _, value string) string { return inURL(r, "ref", value) }},
		{"HAR", func(r *redact.Redactor, _, value string) string { return inHAR(r, "ref", value) }},
	}
)

// exampleValues are values of the classes of names.
var exampleValues = map[decide.Class]string{decide.Always: "w8xyz1kQ", decide.Often: "w8xyz1kQ",
	decide.IfNumber:     "4821",
	decide.UnlessNumber: "w8xyz1kQ", decide.InURL: "w8xyz1kQ2m", decide.IfRandom: "9kQ2mW4xR8tL1vN6pB3cD5hJ",
	decide.IfKey: "9kQ2mW4xR8tL1vN6pB3cD5hJ"}

// TestExamplesOfRules: each rule removes its examples in each form of text, and has nothing to do with its
// counterexamples.
func TestExamplesOfRules(t *testing.T) {
	r := redactor(t, redact.Rules{})
	set, err := decide.NewSet(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, rule := range decide.Builtin() {
		if ids[rule.ID] {
			t.Errorf("two rules are %s", rule.ID)
		}
		ids[rule.ID] = true
		switch rule.Sort {
		case "name":
			checkNameRule(t, r, set, rule)
		case "token":
			checkTokenRule(t, r, set, rule)
		default:
			checkPlaceRule(t, r, rule)
		}
	}
	if len(ids) < 150 {
		t.Errorf("only %d rules", len(ids))
	}
}

func checkNameRule(t *testing.T, r *redact.Redactor, set *decide.Set, rule *decide.Rule) {
	for _, name := range rule.Not {
		if m := set.Meaning(name); m.Rule == rule {
			t.Errorf("%s is a name of %s", name, rule.ID)
		}
	}
	for _, name := range rule.Examples {
		m := set.Meaning(name)
		if m.Class == decide.NotSecret {
			if out := r.Text(name+"=w8xyz1kQ", nil); !strings.Contains(out, "w8xyz1kQ") {
				t.Errorf("%s of %s: %s", name, rule.ID, out)
			}
			continue
		}
		if m.Rule != rule {
			t.Errorf("%s is no name of %s", name, rule.ID)
		}
		forms := namedForms
		if m.Class == decide.InURL {
			forms = parameterForms
		}
		for _, f := range forms {
			if out := f.redact(r, name, exampleValues[m.Class]); strings.Contains(out, exampleValues[m.Class]) {
				t.Errorf("%s of %s in %s: %s", name, rule.ID, f.name, out)
			}
		}
	}
}

func checkTokenRule(t *testing.T, r *redact.Redactor, set *decide.Set, rule *decide.Rule) {
	for _, token := range rule.Examples {
		if end, m := set.Token(token, 0); end != len(token) || m.Rule != rule {
			t.Errorf("%s of %s ends at %d by %v", token, rule.ID, end, m.Rule)
		}
		for _, f := range aloneForms {
			if f.name == "file" && rule.IsApart() {
				continue
			}
			if out := f.redact(r, "", token); strings.Contains(out, token[len(token)/2:]) {
				t.Errorf("%s of %s in %s: %s", token, rule.ID, f.name, out)
			}
		}
	}
	for _, text := range rule.Not {
		for _, f := range aloneForms {
			if out := f.redact(r, "", text); !strings.Contains(out, text) {
				t.Errorf("%s, not of %s, in %s: %s", text, rule.ID, f.name, out)
			}
		}
	}
}

var marked = regexp.MustCompile("«(.*)»")

func checkPlaceRule(t *testing.T, r *redact.Redactor, rule *decide.Rule) {
	for _, text := range rule.Examples {
		secret := marked.FindStringSubmatch(text)[1]
		plain := strings.NewReplacer("«", "", "»", "").Replace(text)
		quoted, _ := json.Marshal(plain) // a string
		for form, out := range map[string]string{"text": r.Text(plain, nil),
			"log":  r.Text("2026-11-20 INFO running "+plain, nil),
			"list": r.Text("- `"+plain+"`", nil),
			"JSON": r.Body("application/json", `{"log":`+string(quoted)+`}`, nil)} {
			if strings.Contains(out, secret) {
				t.Errorf("%s of %s in %s: %s", plain, rule.ID, form, out)
			}
		}
	}
	for _, text := range rule.Not {
		if out := r.Text(text, nil); out != text {
			t.Errorf("%s, not of %s: %s", text, rule.ID, out)
		}
	}
}

// TestOffAndAdded: a workspace switches rules off, and adds some in the same form.
func TestOffAndAdded(t *testing.T) {
	const text = "seen ntn_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz0aBcDeFgHi and acme1_9kQ2mW4xR8tL, door code: Tr0ub4dor"
	r := redactor(t, redact.Rules{Off: []string{"notion"},
		Added: "token acme acme1_\nthen alnum 10\nexample acme1_9kQ2mW4xR8tL\n" +
			"not acme1_docs\n\nname door\nvalue always\nwords doorcode\nexample doorCode\nnot code\n"})
	const want = "seen ntn_9kQ2mW4xR8tL1vN6pB3cD5hJ7gS0fA2dK4Zz0aBcDeFgHi and [redacted:token], door code: [redacted:field]"
	if got := r.Text(text, nil); got != want {
		t.Error(got)
	}
	removals, _ := r.Explain(text)
	if len(removals) != 2 || removals[0].ID != "acme" || removals[1].ID != "door" {
		t.Errorf("%+v", removals)
	}
	for want, rules := range map[string]redact.Rules{
		`off[0]: no built-in rule is "nonsense"`:                {Off: []string{"nonsense"}},
		"added: token acme has no example":                      {Added: "token acme acme1_\nthen alnum 10\n"},
		"added: token acme: \"many 10\"":                        {Added: "token acme acme1_\nthen many 10\nexample a\nnot b\n"},
		"added: name x: \"a\" is too short":                     {Added: "name x\nvalue always\nend a\nexample a\nnot b\n"},
		"added: token x: \"a\" is too short":                    {Added: "token x a\nthen alnum 10\nexample a\nnot b\n"},
		"added: token github: another rule has":                 {Added: "token github acme_\nthen alnum 4\nexample acme_9kQ2\nnot b\n"},
		`added: token x: it does not find its example "acme_9"`: {Added: "token x acme_\nthen alnum 4\nexample acme_9\nnot b\n"},
		`added: token x: it finds its counterexample "acme_9k22"`: {
			Added: "token x acme_\nthen alnum 4\nexample acme_9kQ2\nnot acme_9k22\n"},
		`added: name x: it finds its counterexample "doorNumber"`: {
			Added: "name x\nvalue always\nwords doornumber\nexample doorNumber\nnot doorNumber\n"},
	} {
		if _, err := redact.New(rules); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTableInDocs: docs/evidence.md has the table by which the values of names are removed. BUGSLICE_TEST_UPDATE=1
// writes it.
func TestTableInDocs(t *testing.T) {
	const file, begin, end = "../../docs/evidence.md", "<!-- table of decisions -->\n", "<!-- end of the table -->"
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), begin)
	table, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", file)
	}
	want := "\n" + decide.Markdown() + "\n"
	if table == want {
		return
	}
	if os.Getenv("BUGSLICE_TEST_UPDATE") == "" {
		t.Fatalf("%s has another table than package decide: BUGSLICE_TEST_UPDATE=1 go test -run TableInDocs ./internal/redact", file)
	}
	if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
