package command_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bugslice/api"
	"bugslice/client"
	"bugslice/client/clienttest"
	"bugslice/internal/assert"
	"bugslice/internal/command"
)

// pipeline is a repository whose jobs report to a workspace of its own, with a key that reads and writes slices alone.
type pipeline struct {
	server *clienttest.Server
	api    *client.Client
	folder string
	where  string
	token  string
	url    string // of the server, for the jobs
	runs   int
}

func newPipeline(t *testing.T, server *clienttest.Server, key string) *pipeline {
	t.Helper()
	ctx := t.Context()
	w, err := server.Client().CreateWorkspace(ctx, api.CreateWorkspace{Body: api.WorkspaceFields{Name: "Shop", Key: key}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := server.Client().CreateKey(ctx, api.CreateKey{Body: api.KeyFields{Name: "CI", Type: api.WST, WorkspaceID: &w.ID,
		Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite}}})
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline{server: server, api: server.Client(), folder: t.TempDir(), where: w.ID, token: made.Token, url: server.URL}
}

// job runs ci report in a new run of the pipeline, on the default branch unless the arguments say otherwise.
func (p *pipeline) job(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	p.runs++
	return p.run(t, append([]string{"--run", fmt.Sprint(p.runs), "--commit", fmt.Sprintf("%040x", p.runs)}, args...)...)
}

func (p *pipeline) run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	all := append([]string{"ci", "report", "--branch", "main", "--default-branch", "main", "--job", "unit", "--job-url",
		"https://ci.example/jobs/1"}, args...)
	e := command.Environment{Folder: p.folder, Streams: command.Streams{Out: &stdout, Err: &stderr}, Variables: []string{
		"HOME=" + p.folder, "PATH=" + os.Getenv("PATH"), "BUGSLICE_URL=" + p.url, "BUGSLICE_TOKEN=" + p.token}}
	code = command.Run(context.Background(), all, e, "1.2.3")
	return code, stdout.String(), stderr.String()
}

// must runs a job that must succeed and returns its summary.
func (p *pipeline) must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := p.job(t, args...)
	if code != 0 || errs != "" {
		t.Fatalf("exit %d\n%s\n%s", code, out, errs)
	}
	return out
}

// write writes a file of results and returns its name.
func (p *pipeline) write(t *testing.T, name string, cases ...string) string {
	t.Helper()
	text := `<testsuite name="shop">` + strings.Join(cases, "\n") + `</testsuite>`
	if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// xmlText returns a text as the value of an attribute.
func xmlText(text string) string {
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(text)); err != nil {
		panic(err)
	}
	return out.String()
}

func passes(name string) string { return fmt.Sprintf(`<testcase classname="cart" name=%q/>`, name) }

func fails(name, message string) string {
	return fmt.Sprintf(`<testcase classname="cart" name="%s"><failure message="%s">at step 3</failure></testcase>`, xmlText(name),
		xmlText(message))
}

func flaky(name string) string {
	return fmt.Sprintf(`<testcase classname="cart" name=%q><flakyFailure message="slow"/></testcase>`, name)
}

// reports returns the reports of the pipeline, the oldest first.
func (p *pipeline) reports(t *testing.T) (all []api.Slice) {
	t.Helper()
	in := api.ListSlices{Order: "asc"}
	in.WorkspaceID = p.where
	for slice, err := range client.All(t.Context(), p.api, in) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, slice)
	}
	return all
}

// only returns the only report of the pipeline.
func (p *pipeline) only(t *testing.T) api.Slice {
	t.Helper()
	all := p.reports(t)
	if len(all) != 1 {
		t.Fatalf("%d reports, want 1: %v", len(all), all)
	}
	return all[0]
}

func (p *pipeline) patch(t *testing.T, id string, patch api.SlicePatch) {
	t.Helper()
	if _, err := p.api.UpdateSlice(t.Context(), api.UpdateSlice{SliceID: id, Patch: patch}); err != nil {
		t.Fatal(err)
	}
}

// state returns the status of a report with its counts.
func state(s api.Slice) string {
	return fmt.Sprintf("%s ×%d reopened:%s flaky:%s", s.Status, s.OccurrenceCount, s.Metadata["ci.reopened"], s.Metadata["ci.flaky"])
}

// TestCIReport has stories of pipelines, each with a workspace of its own on one server.
func TestCIReport(t *testing.T) {
	server := clienttest.New(t)
	for key, story := range map[string]func(*testing.T, *pipeline){"HISTORY": historyOfABug, "SHARDS": shardsAtOnce,
		"CLOSED": closedStaysClosed, "TOFRO": toAndFro, "DRY": dryRun, "HOSTILE": hostileTest, "OWNED": ownersAreAssigned,
		"COMMON": sharedCause, "BRANCH": otherBranches, "PASSES": severalPasses, "FAILON": failOn, "FILES": filesOfOccurrences,
		"TRACE": traceOfEachOccurrence, "UNDECIDED": undecided, "TESTS": testsAreCounted} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			story(t, newPipeline(t, server, key[:min(len(key), 5)]))
		})
	}
}

// historyOfABug: a pipeline that fails twice, is flaky once and passes has one report with that history.
func historyOfABug(t *testing.T, p *pipeline) {
	red := p.write(t, "red.xml", fails("adds", "expected 3, got 2"), passes("opens"))
	assert.Contains(t, "the first summary", p.must(t, red), "### New failures (1)", "[HISTO-1](http", "cart › adds")
	first := p.only(t)
	assert.Equal(t, "labels", first.Labels, []string{"ci"})
	e := first.Environment
	assert.Equal(t, "commit, branch and job", []string{*e.Commit, *e.Branch, *e.BuildURL},
		[]string{fmt.Sprintf("%040x", 1), "main", "https://ci.example/jobs/1"})
	assert.Contains(t, "the second summary", p.must(t, red), "### Known failures (1)", "seen 2 times", "since 20")
	assert.Contains(t, "the flaky summary", p.must(t, p.write(t, "flaky.xml", flaky("adds"))), "### Flaky tests (1)")
	assert.Equal(t, "the report after a flaky pass", state(p.only(t)), "open ×2 reopened: flaky:1")
	assert.Contains(t, "the green summary", p.must(t, p.write(t, "green.xml", passes("adds"))), "### Fixed (1)", "HISTO-1")
	fixed := p.only(t)
	assert.Equal(t, "the report at the end", state(fixed), "resolved ×2 reopened: flaky:1")
	assert.Equal(t, "the commit of the fix", fixed.Metadata["ci.fixedBy"], fmt.Sprintf("%040x", 4))
	assert.Equal(t, "its comments", fixed.CommentCount, int64(1))
	if out := p.must(t, "green.xml"); strings.Contains(out, "Fixed") {
		t.Errorf("it is fixed again:\n%s", out)
	}
	assert.Contains(t, "the summary afterwards", p.must(t, red), "### Failures that are back (1)")
	assert.Equal(t, "the report afterwards", state(p.only(t)), "open ×3 reopened:1 flaky:1")
}

// shardsAtOnce: 32 shards that fail alike at once have one report; when they pass at once it is resolved once.
func shardsAtOnce(t *testing.T, p *pipeline) {
	together := func(run string, name func(shard int) string) {
		var work sync.WaitGroup
		for shard := 1; shard <= 32; shard++ {
			work.Go(func() {
				part := fmt.Sprintf("%d/32", shard)
				code, out, errs := p.run(t, "--run", run, "--shard", part, "--commit", "abcdef0", name(shard))
				if code != 0 || errs != "" {
					t.Errorf("shard %d: exit %d\n%s\n%s", shard, code, out, errs)
				}
			})
		}
		work.Wait()
	}
	for shard := 1; shard <= 32; shard++ {
		p.write(t, fmt.Sprintf("red%d.xml", shard), fails(fmt.Sprint("works ", shard), "connect ECONNREFUSED 127.0.0.1:5432"),
			fails("adds", "expected 3, got 2"))
		p.write(t, fmt.Sprintf("green%d.xml", shard), passes(fmt.Sprint("works ", shard)), passes("adds"))
	}
	red := func(shard int) string { return fmt.Sprintf("red%d.xml", shard) }
	together("1", red)
	var states []string
	for _, s := range p.reports(t) {
		states = append(states, state(s))
	}
	assert.Equal(t, "two reports", states, []string{"open ×32 reopened: flaky:", "open ×32 reopened: flaky:"})
	together("1", red)
	for _, s := range p.reports(t) {
		assert.Equal(t, "the files after the same jobs again", s.AttachmentCount, int64(32))
	}
	assert.Equal(t, "the same jobs again", state(p.reports(t)[0]), "open ×32 reopened: flaky:")
	together("2", func(shard int) string { return fmt.Sprintf("green%d.xml", shard) })
	for _, s := range p.reports(t) {
		assert.Equal(t, s.Summary, state(s), "resolved ×32 reopened: flaky:")
		assert.Equal(t, "comments", s.CommentCount, int64(1))
	}
	together("3", red)
	for _, s := range p.reports(t) {
		assert.Equal(t, s.Summary, state(s), "open ×64 reopened:1 flaky:")
	}
}

// undecided: a job that does not know its default branch says that its passes resolve nothing, and why.
func undecided(t *testing.T, p *pipeline) {
	green := p.write(t, "green.xml", passes("adds"))
	var stdout, stderr bytes.Buffer
	e := command.Environment{Folder: p.folder, Streams: command.Streams{Out: &stdout, Err: &stderr}, Variables: []string{
		"HOME=" + p.folder, "PATH=" + os.Getenv("PATH"), "BUGSLICE_URL=" + p.url, "BUGSLICE_TOKEN=" + p.token}}
	assert.Equal(t, "exit code", command.Run(t.Context(), []string{"ci", "report", green}, e, "1.2.3"), 0)
	assert.Contains(t, "the summary", stdout.String(), "No report is resolved", "the default branch is not known", "--default-branch")
	if out := p.must(t, green); strings.Contains(out, "No report is resolved") {
		t.Errorf("on the default branch:\n%s", out)
	}
}

// testsAreCounted: the tests of a job are counted once, those of a repeated step and of another branch as well, and a
// failing one leads to its report. A job that files nothing counts nothing.
func testsAreCounted(t *testing.T, p *pipeline) {
	p.must(t, "--dry-run", p.write(t, "red.xml", fails("adds", "expected 3, got 2"), passes("opens"), flaky("waits")))
	p.must(t, "--pull-request", "7", "red.xml")
	for range 2 {
		p.must(t, "--run", "first", "red.xml")
	}
	p.must(t, "--branch", "other", "red.xml")
	list := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		e := command.Environment{Folder: p.folder, Streams: command.Streams{Out: &stdout, Err: &stderr}, Variables: []string{
			"HOME=" + p.folder, "BUGSLICE_URL=" + p.url, "BUGSLICE_TOKEN=" + p.token}}
		const line = `.[] | "\(.suite)/\(.name) \(.runs) \(.failed) \(.flaky) \(.slice.reference)"`
		args = append([]string{"ci", "tests", "--jq", line}, args...)
		if code := command.Run(t.Context(), args, e, "1.2.3"); code != 0 {
			t.Fatalf("%s", stderr.String())
		}
		return stdout.String()
	}
	assert.Equal(t, "failed", list(), "shop/cart › adds 2 2 0 TESTS-1\n")
	assert.Equal(t, "flaky on the default branch", list("--sort", "flaky", "--branch", "default"), "shop/cart › waits 1 0 1 null\n")
	assert.Equal(t, "all", strings.Count(list("--sort", "newest"), "\n"), 3)
}

// closedStaysClosed: what a person has closed, or resolved other than as fixed, stays so; --reopen-closed reopens it.
func closedStaysClosed(t *testing.T, p *pipeline) {
	red := p.write(t, "red.xml", fails("adds", "expected 3, got 2"))
	p.must(t, red)
	for _, patch := range []api.SlicePatch{{"status": "closed", "resolution": "not_a_bug"},
		{"status": "resolved", "resolution": "wont_fix"}} {
		p.patch(t, p.only(t).ID, patch)
		before := p.only(t)
		assert.Contains(t, "the summary", p.must(t, red), "### Failures that somebody has closed (1)", "CLOSE-1")
		assert.Equal(t, "the report", p.only(t).Version, before.Version)
	}
	assert.Contains(t, "the summary", p.must(t, "--reopen-closed", red), "### Failures that are back (1)")
	assert.Equal(t, "the report", state(p.only(t)), "open ×2 reopened:1 flaky:")
}

// toAndFro: a report that came back three times is labelled as flaky, and no job resolves it any more.
func toAndFro(t *testing.T, p *pipeline) {
	red, green := p.write(t, "red.xml", fails("adds", "expected 3, got 2")), p.write(t, "green.xml", passes("adds"))
	for n := range 4 {
		p.must(t, red)
		want := map[bool]string{true: "ci flaky", false: "ci"}[n == 3]
		assert.Equal(t, fmt.Sprint("labels after ", n), strings.Join(p.only(t).Labels, " "), want)
		p.must(t, green)
	}
	assert.Equal(t, "the report", state(p.only(t)), "open ×4 reopened:3 flaky:")
}

// dryRun: --dry-run says what would happen, and writes nothing.
func dryRun(t *testing.T, p *pipeline) {
	red, green := p.write(t, "red.xml", fails("adds", "expected 3, got 2")), p.write(t, "green.xml", passes("adds"))
	assert.Contains(t, "the summary", p.must(t, "--dry-run", red), "### New failures (1)")
	assert.Equal(t, "reports", len(p.reports(t)), 0)
	p.must(t, red)
	before := p.only(t)
	assert.Contains(t, "the known summary", p.must(t, "--dry-run", red), "### Known failures (1)")
	assert.Contains(t, "the green summary", p.must(t, "--dry-run", green), "### Fixed (1)")
	assert.Equal(t, "the report", p.only(t).Version, before.Version)
}

// hostileTest: the name of a test is text in the summary and in the report.
func hostileTest(t *testing.T, p *pipeline) {
	out := p.must(t, p.write(t, "red.xml", fails("a|b\n## <script>x</script> [l](https://evil.example) `c`", "```\n# heading")))
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "  - `") && (strings.Contains(line, "<script>") || strings.Contains(line, "[l](")) {
			t.Errorf("%q is in\n%s", line, out)
		}
	}
	assert.Equal(t, "headings", strings.Count(out, "\n#"), 1)
	assert.Contains(t, "the description", *p.only(t).Description, "````\n```\n# heading\n````")
}

// ownersAreAssigned: a new report is assigned to the owner in CODEOWNERS who is a member.
func ownersAreAssigned(t *testing.T, p *pipeline) {
	rules := "* nobody@elsewhere.example\nsrc/cart/ @ada\n"
	if err := os.WriteFile(filepath.Join(p.folder, "CODEOWNERS"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	failure := func(name, file string) string {
		return fmt.Sprintf(`<testcase classname="cart" name=%q file=%q><failure message="expected 3"/></testcase>`, name, file)
	}
	out := p.must(t, "--owner", "ada=owner@example.com", p.write(t, "red.xml", failure("adds", "src/cart/adds_test.js"),
		failure("opens", "src/shop/opens_test.js")))
	reports := p.reports(t)
	assert.Equal(t, "reports", len(reports), 2)
	me, err := p.api.GetMe(t.Context(), api.GetMe{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		got := ""
		if r.AssigneeID != nil {
			got = *r.AssigneeID
		}
		assert.Equal(t, r.Summary, got, map[bool]string{true: me.ID, false: ""}[strings.Contains(r.Summary, "adds")])
	}
	assert.Contains(t, "the summary", out, "owner ada", "assigned to a member", "owner nobody")
}

// sharedCause: a failure of many tests is one report that lists them, and is resolved when all of them pass again.
func sharedCause(t *testing.T, p *pipeline) {
	refused := "connect ECONNREFUSED 127.0.0.1:5432"
	p.must(t, p.write(t, "red.xml", fails("a", refused), fails("b", refused), fails("c", refused)))
	assert.Contains(t, "the description", *p.only(t).Description, "- `cart › a`", "- `cart › b`", "- `cart › c`")
	p.must(t, p.write(t, "some.xml", passes("a"), fails("b", refused)))
	p.must(t, p.write(t, "more.xml", passes("b")))
	assert.Equal(t, "the report before the last one passes", state(p.only(t)), "open ×2 reopened: flaky:")
	p.must(t, p.write(t, "last.xml", passes("c")))
	assert.Equal(t, "the report at the end", state(p.only(t)), "resolved ×2 reopened: flaky:")
}

// otherBranches: another branch counts occurrences, and neither resolves nor reopens; a pull request writes nothing.
func otherBranches(t *testing.T, p *pipeline) {
	red, green := p.write(t, "red.xml", fails("adds", "expected 3, got 2")), p.write(t, "green.xml", passes("adds"))
	out := p.must(t, "--pull-request", "7", "--branch", "topic", red)
	assert.Contains(t, "the summary of a pull request", out, "### New failures (1)", "Nothing is filed for a pull request")
	assert.Equal(t, "reports of a pull request", len(p.reports(t)), 0)
	p.must(t, "--branch", "topic", red)
	p.must(t, "--branch", "topic", green)
	assert.Equal(t, "the report of another branch", state(p.only(t)), "open ×1 reopened: flaky:")
	p.must(t, "--branch", "main", green)
	before := p.only(t)
	assert.Equal(t, "the report after a pass on main", string(before.Status), "resolved")
	assert.Contains(t, "the summary of an old branch", p.must(t, "--branch", "topic", red),
		"### Failures that are fixed on the default branch (1)")
	assert.Equal(t, "the report", p.only(t).Version, before.Version)
}

// severalPasses: with --resolve-after 2 a report is resolved after two passes in a row.
func severalPasses(t *testing.T, p *pipeline) {
	red, green := p.write(t, "red.xml", fails("adds", "expected 3, got 2")), p.write(t, "green.xml", passes("adds"))
	for _, step := range []struct{ file, want string }{{red, "open ×1"}, {green, "open ×1"}, {red, "open ×2"}, {green, "open ×2"},
		{green, "resolved ×2"}} {
		p.must(t, "--resolve-after", "2", step.file)
		assert.Contains(t, "after "+step.file, state(p.only(t)), step.want)
	}
}

// failOn: --fail-on new lets known failures pass, and --strict does not let faults pass.
func failOn(t *testing.T, p *pipeline) {
	red := p.write(t, "red.xml", fails("adds", "expected 3, got 2"))
	broken := filepath.Join(p.folder, "broken.xml")
	if err := os.WriteFile(broken, []byte(`<testsuite name="shop"><testcase name="a"/>`), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		args []string
		code int
	}{{[]string{"--fail-on", "new", red}, 1}, {[]string{"--fail-on", "new", red}, 0}, {[]string{"--fail-on", "any", red}, 1},
		{[]string{red}, 0}, {[]string{"broken.xml"}, 0}, {[]string{"--strict", "broken.xml"}, 1}, {[]string{"missing.xml"}, 2},
		{[]string{"--fail-on", "some", red}, 2}, {[]string{"--shard", "5/4", red}, 2}, {nil, 2}} {
		if code, out, errs := p.job(t, c.args...); code != c.code {
			t.Errorf("%d: %v: exit %d, want %d\n%s\n%s", i, c.args, code, c.code, out, errs)
		}
	}
}

// filesOfOccurrences: each occurrence has its output; large files stay of the first and the newest one.
func filesOfOccurrences(t *testing.T, p *pipeline) {
	video := bytes.Repeat([]byte("0123456789abcdef"), 80_000)
	if err := os.WriteFile(filepath.Join(p.folder, "video.bin"), video, 0o600); err != nil {
		t.Fatal(err)
	}
	red := p.write(t, "red.xml", `<testcase classname="cart" name="adds"><failure message="expected 3, got 2"/>
		<system-out>[[ATTACHMENT|video.bin]]</system-out></testcase>`)
	for range 4 {
		p.must(t, red)
	}
	var files []string
	for a, err := range client.All(t.Context(), p.api, api.ListAttachments{SliceID: p.only(t).ID}) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprint(a.Occurrence, " ", a.Name))
	}
	assert.Equal(t, "the files", files, []string{"1 output.txt", "1 video.bin", "2 output-2.txt", "3 output-3.txt",
		"4 output-4.txt", "4 video.bin"})
}

// traceOfEachOccurrence: the trace of Playwright is the evidence of its occurrence, also after the tenth, for which the
// server keeps none of a report.
func traceOfEachOccurrence(t *testing.T, p *pipeline) {
	trace, err := os.ReadFile("../ci/trace/testdata/playwright-1.65.1.zip")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.folder, "trace.zip"), trace, 0o600); err != nil {
		t.Fatal(err)
	}
	red := p.write(t, "red.xml", `<testcase classname="cart" name="adds"><failure message="expected 3, got 2"/>
		<system-out>[[ATTACHMENT|trace.zip]]</system-out></testcase>`)
	for range 11 {
		p.must(t, red)
	}
	for a, err := range client.All(t.Context(), p.api, api.ListOccurrences{SliceID: p.only(t).ID}) {
		if err != nil {
			t.Fatal(err)
		}
		e := a.Evidence
		if !a.HasEvidence || e.Console == 0 || e.Network == 0 || e.Actions == 0 || e.Replays == 0 || e.Screenshots == 0 {
			t.Errorf("occurrence %d has the evidence %+v", a.Number, e)
		}
	}
}

// TestCIReportWithoutAServer: while the server is away a job succeeds and keeps its reports, which are sent once.
func TestCIReportWithoutAServer(t *testing.T) {
	p := newPipeline(t, clienttest.New(t), "AWAY")
	red := p.write(t, "red.xml", fails("adds", "expected 3, got 2"), flaky("opens"))
	there := p.url
	p.url = "http://127.0.0.1:1"
	code, out, errs := p.job(t, red)
	assert.Equal(t, "the exit code", code, 0)
	assert.Contains(t, "the summary", out, "### Failures that could not be looked up (1)", "cart › adds")
	assert.Contains(t, "the errors", errs, "bugslice ci report --resume .bugslice-ci.json")
	info, err := os.Stat(filepath.Join(p.folder, ".bugslice-ci.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the kept file: %v %v", info, err)
	}
	if code, _, _ := p.job(t, "--strict", red); code != 1 {
		t.Errorf("--strict: exit %d", code)
	}
	if code, _, _ := p.run(t, "--resume", ".bugslice-ci.json"); code != 0 {
		t.Errorf("--resume of a server that is away: exit %d", code)
	}
	p.url = there
	text, err := os.ReadFile(filepath.Join(p.folder, ".bugslice-ci.json"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, the answer was lost before the file was removed
		if err := os.WriteFile(filepath.Join(p.folder, ".bugslice-ci.json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs = p.run(t, "--resume", ".bugslice-ci.json")
		if code != 0 || errs != "" {
			t.Fatalf("--resume: exit %d\n%s\n%s", code, out, errs)
		}
		assert.Equal(t, "the report", state(p.only(t)), "open ×1 reopened: flaky:")
	}
	if _, err := os.Stat(filepath.Join(p.folder, ".bugslice-ci.json")); !os.IsNotExist(err) {
		t.Errorf("the kept file is there: %v", err)
	}
	hostile := strings.ReplaceAll(string(text), `"Name":"output.txt"`, `"Path":"/etc/hostname","Name":"hostname"`)
	hostile = strings.ReplaceAll(hostile, `"Run":"1"`, `"Run":"9"`)
	if err := os.WriteFile(filepath.Join(p.folder, "hostile.json"), []byte(hostile), 0o600); err != nil || hostile == string(text) {
		t.Fatal(err)
	}
	code, out, errs = p.run(t, "--resume", "hostile.json")
	assert.Equal(t, "the exit code of a hostile file", code, 0)
	assert.Contains(t, "its summary", out+errs, "hostname of AWAY-1 is not stored")
	if n := p.only(t).AttachmentCount; n != 1 {
		t.Errorf("%d files, want the output alone", n)
	}
	if code, _, errs := p.run(t, "--resume", "red.xml"); code != 2 {
		t.Errorf("--resume of another file: exit %d\n%s", code, errs)
	}
	p.token = ""
	code, out, errs = p.job(t, red)
	assert.Equal(t, "the exit code without a key", code, 0)
	assert.Contains(t, "the summary without a key", out+errs, "no key is set", "not signed in")
}
