package finding_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/finding"
	"bugslice/internal/ci/job"
	"bugslice/internal/ci/owners"
	"bugslice/internal/ci/results"
)

const shop = `<testsuite name="shop">
  <testcase classname="cart" name="adds" file="src/cart/cart_test.py"><failure message="expected 3, got 2">at line 4</failure>
    <system-out>[[ATTACHMENT|shots/cart.png]]
[[ATTACHMENT|../outside.txt]]</system-out></testcase>
  <testcase classname="cart" name="totals" file="src/cart/total_test.py">
    <error message="dial tcp 10.0.0.1:5432: connection refused"/></testcase>
  <testcase classname="cart" name="taxes"><error message="dial tcp 10.0.0.2:5431: connection refused"/></testcase>
  <testcase classname="cart" name="opens"/>
  <testcase classname="cart" name="closes"/>
  <testcase classname="cart" name="closes"><failure message="m"/></testcase>
  <testcase classname="cart" name="waits"><flakyFailure message="slow"/></testcase>
  <testcase classname="cart" name="later"><skipped/></testcase>
</testsuite>`

// write writes files below a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "project")
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func find(t *testing.T, folder string, from finding.Source) *finding.Finding {
	t.Helper()
	run, err := results.ReadFile(filepath.Join(folder, "results.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if from.Root, err = os.OpenRoot(folder); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Root.Close() }()
	return finding.Of([]*results.Run{run}, from)
}

// TestFailuresOfAJob: a job has a failure for each cause, with its files and its owner; a test that passed and failed
// has not passed.
func TestFailuresOfAJob(t *testing.T) {
	folder := write(t, map[string]string{"results.xml": shop, "shots/cart.png": "\x89PNG", "../outside.txt": "secret",
		"CODEOWNERS": "* @all\nsrc/ ada@acme.example\nsrc/cart/ @Bo @acme/cart\n"})
	rules, err := owners.Load(folder, owners.GitHub)
	if err != nil {
		t.Fatal(err)
	}
	found := find(t, folder, finding.Source{MaxFailures: 9, Budget: 1 << 20, Owners: rules,
		Emails: map[string]string{"bo": "bo@acme.example"}})
	var failures []string
	for _, f := range found.Failures {
		var names []string
		for _, file := range f.Files {
			names = append(names, file.Name)
		}
		failures = append(failures, strings.Join([]string{f.Title, string(f.Scope), f.Email, strings.Join(names, " ")}, "|"))
	}
	assert.Equal(t, "failures", failures, []string{
		"cart › adds: expected 3, got 2||bo@acme.example|output.txt cart.png",
		"dial tcp 10.0.0.1:5432: connection refused|environment|bo@acme.example|output.txt",
		"cart › closes: m|||output.txt"})
	assert.Equal(t, "tests of the second one", len(found.Failures[1].Tests), 2)
	assert.Equal(t, "passed and flaky", []int{len(found.Passed), len(found.Flaky)}, []int{2, 1}) // the suite passed, too
	assert.Contains(t, "the notes", strings.Join(found.Notes, "\n"), `"../outside.txt" is not sent`)
	assert.Contains(t, "the description", found.Failures[0].Description, "- `cart › adds` in `src/cart/cart_test.py`",
		"```\nexpected 3, got 2\n```", "at line 4")

	kept, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	var again finding.Finding
	if err := json.Unmarshal(kept, &again); err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, "what is kept", again.Failures, found.Failures)
}

// TestSuiteThatFails: what a suite needs before its tests has passed when one of its tests has passed and it has not
// failed itself.
func TestSuiteThatFails(t *testing.T) {
	passed := map[string][]string{}
	for name, text := range map[string]string{
		"broken": `{"Action":"output","Package":"shop/cart","Output":"# shop/cart\ncart.go:3:1: syntax error\n"}
{"Action":"fail","Package":"shop/cart","Elapsed":0}
`,
		"mended": `{"Action":"run","Package":"shop/cart","Test":"TestAdds"}
{"Action":"pass","Package":"shop/cart","Test":"TestAdds","Elapsed":0}
{"Action":"pass","Package":"shop/cart","Elapsed":0}
`} {
		found := finding.Of([]*results.Run{results.ReadAs(results.GoTest, name, strings.NewReader(text))}, finding.Source{MaxFailures: 9})
		passed[name] = found.Passed
		if name == "broken" {
			assert.Equal(t, "failures", len(found.Failures), 1)
			passed["failing"] = []string{found.Failures[0].Tests[0].ID}
		}
	}
	assert.Equal(t, "passed while it is broken", len(passed["broken"]), 0)
	assert.Contains(t, "passed afterwards", strings.Join(passed["mended"], " "), passed["failing"][0])
}

// TestLimitsOfAJob: a job reports so many causes, and sends so many bytes, as it is told, and says what is left out.
func TestLimitsOfAJob(t *testing.T) {
	folder := write(t, map[string]string{"results.xml": shop, "shots/cart.png": strings.Repeat("x", 2<<20)})
	found := find(t, folder, finding.Source{MaxFailures: 1, Budget: 1 << 20})
	assert.Equal(t, "failures", len(found.Failures), 1)
	assert.Equal(t, "files", len(found.Failures[0].Files), 1)
	assert.Contains(t, "the notes", strings.Join(found.Notes, "\n"), "2 further causes of failures are not reported",
		"cart.png is not sent: the files of a job have at most 1 MiB")
	none := find(t, folder, finding.Source{MaxFailures: 9})
	assert.Equal(t, "files without a budget", len(none.Failures[0].Files), 0)
}

// TestKey: the key of a report is that of the job, its attempt, its shard and the cause; without a run there is none.
func TestKey(t *testing.T) {
	keys := map[string]bool{}
	for _, j := range []job.Job{{Run: "1"}, {Run: "2"}, {Run: "1", Attempt: 2}, {Run: "1", Shard: 2}, {Run: "1", Name: "unit"},
		{Run: "1", Repository: "https://acme.example/shop"}} {
		f := finding.Finding{Job: j}
		keys[f.Key("a")], keys[f.Key("b")] = true, true
		assert.Equal(t, "the key again", f.Key("a"), f.Key("a"))
	}
	assert.Equal(t, "keys", len(keys), 12)
	assert.Equal(t, "a key without a run", (&finding.Finding{}).Key("a"), "")
}
