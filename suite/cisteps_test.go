package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

// block returns the indented lines below a line that ends with a mark, without their indent.
func block(t *testing.T, text, mark string) string {
	t.Helper()
	_, below, ok := strings.Cut(text, mark+"\n")
	if !ok {
		t.Fatalf("no %q", mark)
	}
	indent := below[:len(below)-len(strings.TrimLeft(below, " "))]
	var out strings.Builder
	for line := range strings.Lines(below) {
		if !strings.HasPrefix(line, indent) {
			break
		}
		out.WriteString(strings.TrimPrefix(line, indent))
	}
	return out.String()
}

// steps return the shell of the ready-made steps as their systems run it, with the variables that these set.
var steps = map[string]struct {
	file      string
	shell     func(t *testing.T, text string) []string
	variables []string
	summary   string // the file with the summary; empty for standard output
}{
	"GitHub Actions": {"action.yml", func(t *testing.T, text string) []string {
		return []string{"bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", block(t, text, "run: |")}
	}, []string{"GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=acme/shop", "GITHUB_SERVER_URL=https://github.com", "GITHUB_RUN_ID=17",
		"GITHUB_RUN_ATTEMPT=1", "GITHUB_JOB=unit", "GITHUB_REF=refs/heads/main", "GITHUB_REF_NAME=main", "GITHUB_REF_TYPE=branch",
		"FILES=\nresults/*.xml\nother.xml\n", "BUGSLICE_CI_OPTIONS=--default-branch main", "GITHUB_STEP_SUMMARY=step.md"}, "step.md"},
	"GitLab CI": {"gitlab.yml", func(t *testing.T, text string) []string {
		var script []string
		for line := range strings.Lines(block(t, text, "script:")) {
			if command, ok := strings.CutPrefix(line, "- "); ok {
				script = append(script, command)
			} else {
				break
			}
		}
		return []string{"sh", "-ec", strings.Join(script, "")}
	}, []string{"GITLAB_CI=true", "CI_PROJECT_URL=https://gitlab.example/acme/shop", "CI_PIPELINE_ID=17", "CI_JOB_NAME=unit",
		"CI_COMMIT_BRANCH=main", "CI_DEFAULT_BRANCH=main", "BUGSLICE_CI_OPTIONS=", "BUGSLICE_CI_FILES=results/*.xml"}, ""},
	"Buildkite": {"buildkite.yml", func(t *testing.T, text string) []string {
		return []string{"bash", "-ec", strings.ReplaceAll(block(t, text, "command: |"), "$$", "$")}
	}, []string{"BUILDKITE=true", "BUILDKITE_REPO=git@github.com:acme/shop.git", "BUILDKITE_BUILD_ID=17", "BUILDKITE_LABEL=Test",
		"BUILDKITE_BRANCH=main", "BUILDKITE_PIPELINE_DEFAULT_BRANCH=main", "BUILDKITE_PARALLEL_JOB=3"}, "annotated.md"},
	"Jenkins": {"Jenkinsfile", func(t *testing.T, text string) []string {
		found := regexp.MustCompile(`sh "(bugslice [^"]+)"`).FindStringSubmatch(text)
		if found == nil {
			t.Fatal("no step")
		}
		return []string{"sh", "-xec", found[1]}
	}, []string{"JENKINS_URL=https://jenkins.example/", "BUILD_TAG=jenkins-shop-17", "JOB_NAME=unit",
		"GIT_BRANCH=origin/main"}, "bugslice.md"},
}

// TestReadyMadeSteps: the commands of each ready-made step, taken out of its file, report a failing test with the variables
// of the system, and end with the exit code of the tests.
func TestReadyMadeSteps(t *testing.T) {
	s := oneEngine(t)
	folder, err := filepath.Abs("../deploy/ci")
	must(t, err)
	for system, step := range steps {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			o := newOrg(t, s, "steps")
			key, _ := o.newKey(t, map[string]any{"name": "CI", "type": "wst", "workspaceId": o.Workspace,
				"scopes": []any{"slices:read", "slices:write"}})
			text, err := os.ReadFile(filepath.Join(folder, step.file))
			must(t, err)
			job := newJob(t)
			args := step.shell(t, string(text))
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
			cmd.Dir = job
			cmd.Env = append(step.variables, "PATH="+filepath.Join(job, "bin")+":/usr/bin:/bin", "HOME="+job,
				"GITHUB_ACTION_PATH="+folder, "BUGSLICE_URL="+s.URL, "BUGSLICE_TOKEN="+key.token)
			out, err := cmd.CombinedOutput()
			code := cmd.ProcessState.ExitCode()
			assert.Equal(t, fmt.Sprintf("the exit code (%v, %s)", err, out), code, map[bool]int{true: 1, false: 0}[system == "Buildkite"])
			summary := string(out)
			if step.summary != "" {
				text, err := os.ReadFile(filepath.Join(job, step.summary))
				must(t, err)
				summary = string(text)
			}
			assert.Contains(t, "the summary", summary, "### New failures (1)", "expected 3, got 2")
			found := o.want(t, 200, "GET", "/v1/slices?workspaceId="+o.Workspace, nil).JSON(t)["data"].([]any)
			assert.Equal(t, "reports", len(found), 1)
			metadata := found[0].(map[string]any)["metadata"].(map[string]any)
			assert.Contains(t, "the system and the run", fmt.Sprint(metadata["ci.system"], " ", metadata["ci.run"]), system, "17")
			tests := o.want(t, 200, "GET", "/v1/tests?branch=default&workspaceId="+o.Workspace, nil).JSON(t)["data"].([]any)
			assert.Equal(t, "failing tests of the default branch", len(tests), 1)
		})
	}
}

// newJob returns the folder of a job with results of tests, and with the programs that its steps call.
func newJob(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	const failing = `<testsuite name="cart"><testcase name="adds"><failure message="expected 3, got 2"/></testcase></testsuite>`
	for name, text := range map[string]string{
		"results/a.xml": failing, "build/test-results/a.xml": failing,
		"other.xml":           `<testsuite name="shop"><testcase name="opens"/></testsuite>`,
		"bin/make":            "#!/bin/sh\nexit 1\n",
		"bin/buildkite-agent": "#!/bin/sh\ncat >annotated.md\n",
	} {
		path := filepath.Join(folder, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o700))
	}
	must(t, os.Symlink(binary, filepath.Join(folder, "bin", "bugslice")))
	return folder
}
