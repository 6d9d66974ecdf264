package job

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

const (
	sha   = "9f1c2ab0d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708"
	merge = "0000000000000000000000000000000000000001"
)

// detected returns the job of variables, which are lines, outside of a repository.
func detected(t *testing.T, variables string) Job {
	t.Helper()
	return Detect(t.Context(), Source{environment(t, variables), t.TempDir()})
}

func environment(t *testing.T, variables string) func(string) string {
	t.Helper()
	values := map[string]string{}
	for line := range strings.Lines(variables) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[name] = value
		}
	}
	return func(name string) string { return values[name] }
}

// TestSystems: the job of each system, with the values that its documentation has as examples.
func TestSystems(t *testing.T) {
	t.Parallel()
	event := filepath.Join(t.TempDir(), "event.json")
	content := `{"pull_request":{"number":42,"head":{"sha":"` + sha + `"}},"repository":{"default_branch":"trunk"}}`
	if err := os.WriteFile(event, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		variables string
		want      Job
	}{
		"GitHub, pull request": {`GITHUB_ACTIONS=true
			GITHUB_SERVER_URL=https://github.com
			GITHUB_REPOSITORY=octocat/Hello-World
			GITHUB_SHA=` + merge + `
			GITHUB_REF=refs/pull/42/merge
			GITHUB_REF_NAME=42/merge
			GITHUB_HEAD_REF=feature-branch-1
			GITHUB_BASE_REF=trunk
			GITHUB_WORKFLOW=Tests
			GITHUB_JOB=greeting_job
			GITHUB_RUN_ID=1658821493
			GITHUB_RUN_ATTEMPT=3
			GITHUB_EVENT_PATH=` + event,
			Job{System: "GitHub Actions", Repository: "https://github.com/octocat/Hello-World", Commit: sha,
				Branch: "feature-branch-1", DefaultBranch: "trunk", PullRequest: "42", Name: "Tests / greeting_job",
				Run: "1658821493", Attempt: 3,
				URL: "https://github.com/octocat/Hello-World/actions/runs/1658821493/attempts/3"}},
		"GitHub, branch": {"GITHUB_ACTIONS=true\nGITHUB_SHA=" + sha + "\nGITHUB_REF=refs/heads/feature/a\nGITHUB_JOB=unit",
			Job{System: "GitHub Actions", Commit: sha, Branch: "feature/a", Name: "unit"}},
		"GitHub, tag": {"GITHUB_ACTIONS=true\nGITHUB_SHA=" + sha + "\nGITHUB_REF=refs/tags/v1.2\nGITHUB_EVENT_PATH=/none",
			Job{System: "GitHub Actions", Commit: sha}},
		"GitLab, merge request": {`GITLAB_CI=true
			CI_PROJECT_URL=https://gitlab.example.com/group/project
			CI_COMMIT_SHA=` + sha + `
			CI_MERGE_REQUEST_SOURCE_BRANCH_NAME=fix
			CI_DEFAULT_BRANCH=main
			CI_MERGE_REQUEST_IID=7
			CI_JOB_NAME=rspec 3/5
			CI_PIPELINE_ID=1234
			CI_JOB_URL=https://gitlab.example.com/group/project/-/jobs/99
			CI_NODE_INDEX=3
			CI_NODE_TOTAL=5`,
			Job{System: "GitLab CI", Repository: "https://gitlab.example.com/group/project", Commit: sha, Branch: "fix",
				DefaultBranch: "main", PullRequest: "7", Name: "rspec 3/5", Run: "1234", Shard: 3, Shards: 5,
				URL: "https://gitlab.example.com/group/project/-/jobs/99"}},
		"GitLab, tag": {"GITLAB_CI=true\nCI_COMMIT_TAG=v1\nCI_COMMIT_BRANCH=main\nCI_NODE_TOTAL=1",
			Job{System: "GitLab CI"}},
		"Woodpecker": {`CI=woodpecker
			CI_SYSTEM_NAME=woodpecker
			CI_REPO_URL=https://git.example.com/john-doe/my-repo
			CI_COMMIT_SHA=` + sha + `
			CI_COMMIT_BRANCH=main
			CI_REPO_DEFAULT_BRANCH=main
			CI_WORKFLOW_NAME=release
			CI_STEP_NAME=build package
			CI_PIPELINE_NUMBER=8
			CI_PIPELINE_URL=https://ci.example.com/repos/7/pipeline/8`,
			Job{System: "Woodpecker", Repository: "https://git.example.com/john-doe/my-repo", Commit: sha, Branch: "main",
				DefaultBranch: "main", Name: "release / build package", Run: "8",
				URL: "https://ci.example.com/repos/7/pipeline/8"}},
		"Buildkite": {`BUILDKITE=true
			BUILDKITE_REPO=git@github.com:acme-inc/my-project.git
			BUILDKITE_COMMIT=HEAD
			BUILDKITE_BRANCH=main
			BUILDKITE_PIPELINE_DEFAULT_BRANCH=main
			BUILDKITE_PULL_REQUEST=false
			BUILDKITE_LABEL=:test_tube: Tests
			BUILDKITE_BUILD_ID=4735ba57
			BUILDKITE_JOB_ID=e44f9784
			BUILDKITE_RETRY_COUNT=1
			BUILDKITE_BUILD_URL=https://buildkite.com/acme-inc/my-project/builds/1514
			BUILDKITE_PARALLEL_JOB=0
			BUILDKITE_PARALLEL_JOB_COUNT=20`,
			Job{System: "Buildkite", Repository: "https://github.com/acme-inc/my-project", Branch: "main", DefaultBranch: "main",
				Name: ":test_tube: Tests", Run: "4735ba57", Attempt: 2, Shard: 1, Shards: 20,
				URL: "https://buildkite.com/acme-inc/my-project/builds/1514#e44f9784"}},
		"CircleCI": {`CIRCLECI=true
			CIRCLE_REPOSITORY_URL=git@github.com:acme/shop.git
			CIRCLE_SHA1=` + sha + `
			CIRCLE_BRANCH=fix
			CIRCLE_PULL_REQUEST=https://github.com/acme/shop/pull/12
			CIRCLE_JOB=test
			CIRCLE_WORKFLOW_ID=aa11
			CIRCLE_BUILD_URL=https://circleci.com/gh/acme/shop/55
			CIRCLE_NODE_INDEX=1
			CIRCLE_NODE_TOTAL=4`,
			Job{System: "CircleCI", Repository: "https://github.com/acme/shop", Commit: sha, Branch: "fix", PullRequest: "12",
				Name: "test", Run: "aa11", Shard: 2, Shards: 4, URL: "https://circleci.com/gh/acme/shop/55"}},
		"Azure, pull request": {`TF_BUILD=True
			BUILD_REPOSITORY_URI=https://user@dev.azure.com/fabrikam/Fiber/_git/Shop
			BUILD_SOURCEVERSION=` + merge + `
			SYSTEM_PULLREQUEST_SOURCECOMMITID=` + sha + `
			BUILD_SOURCEBRANCH=refs/pull/1/merge
			SYSTEM_PULLREQUEST_SOURCEBRANCH=refs/heads/users/raisa/new-feature
			SYSTEM_PULLREQUEST_PULLREQUESTID=17
			BUILD_DEFINITIONNAME=CI
			SYSTEM_JOBDISPLAYNAME=Job
			SYSTEM_JOBATTEMPT=1
			SYSTEM_JOBID=12f1170f
			BUILD_BUILDID=501
			SYSTEM_COLLECTIONURI=https://dev.azure.com/fabrikam/
			SYSTEM_TEAMPROJECT=Fiber
			SYSTEM_TOTALJOBSINPHASE=2
			SYSTEM_JOBPOSITIONINPHASE=2`,
			Job{System: "Azure Pipelines", Repository: "https://dev.azure.com/fabrikam/Fiber/_git/Shop", Commit: sha,
				Branch: "users/raisa/new-feature", PullRequest: "17", Name: "CI / Job", Run: "501", Attempt: 1, Shard: 2, Shards: 2,
				URL: "https://dev.azure.com/fabrikam/Fiber/_build/results?buildId=501&view=logs&j=12f1170f"}},
		"Drone": {`DRONE=true
			DRONE_REPO_LINK=https://github.com/octocat/hello-world
			DRONE_COMMIT_SHA=` + sha + `
			DRONE_SOURCE_BRANCH=develop
			DRONE_BRANCH=master
			DRONE_REPO_BRANCH=master
			DRONE_PULL_REQUEST=42
			DRONE_STAGE_NAME=build
			DRONE_BUILD_NUMBER=9
			DRONE_BUILD_LINK=https://drone.company.com/octocat/hello-world/9`,
			Job{System: "Drone", Repository: "https://github.com/octocat/hello-world", Commit: sha, Branch: "develop",
				DefaultBranch: "master", PullRequest: "42", Name: "build", Run: "9",
				URL: "https://drone.company.com/octocat/hello-world/9"}},
		"Bitbucket": {`BITBUCKET_BUILD_NUMBER=31
			BITBUCKET_GIT_HTTP_ORIGIN=http://bitbucket.org/acme/shop
			BITBUCKET_REPO_FULL_NAME=acme/shop
			BITBUCKET_COMMIT=` + sha + `
			BITBUCKET_BRANCH=fix
			BITBUCKET_PR_ID=3
			BITBUCKET_STEP_RUN_NUMBER=2
			BITBUCKET_PARALLEL_STEP=0
			BITBUCKET_PARALLEL_STEP_COUNT=3`,
			Job{System: "Bitbucket Pipelines", Repository: "http://bitbucket.org/acme/shop", Commit: sha, Branch: "fix",
				PullRequest: "3", Run: "31", Attempt: 2, Shard: 1, Shards: 3,
				URL: "https://bitbucket.org/acme/shop/pipelines/results/31"}},
		"TeamCity": {`TEAMCITY_VERSION=2026.1
			BUILD_VCS_NUMBER=` + sha + `
			TEAMCITY_PROJECT_NAME=Shop
			TEAMCITY_BUILDCONF_NAME=Tests
			BUILD_NUMBER=77
			BUILD_URL=https://teamcity.example.com/buildConfiguration/Shop_Tests/1234`,
			Job{System: "TeamCity", Commit: sha, Name: "Shop / Tests", Run: "77",
				URL: "https://teamcity.example.com/buildConfiguration/Shop_Tests/1234"}},
		"Jenkins, multibranch": {`JENKINS_URL=https://jenkins.example.com/
			GIT_URL=https://ci:secret@git.example.com/acme/shop.git
			GIT_COMMIT=` + sha + `
			BRANCH_NAME=main
			BRANCH_IS_PRIMARY=true
			JOB_NAME=shop/main
			BUILD_TAG=jenkins-shop-main-5
			BUILD_URL=https://jenkins.example.com/job/shop/job/main/5/`,
			Job{System: "Jenkins", Repository: "https://git.example.com/acme/shop", Commit: sha, Branch: "main",
				DefaultBranch: "main", Name: "shop/main", Run: "jenkins-shop-main-5",
				URL: "https://jenkins.example.com/job/shop/job/main/5"}},
		"Jenkins, change": {"JENKINS_URL=x\nCHANGE_ID=8\nCHANGE_BRANCH=fix\nBRANCH_NAME=PR-8\nGIT_BRANCH=PR-8",
			Job{System: "Jenkins", Branch: "fix", PullRequest: "8"}},
		"Jenkins, plain": {"JENKINS_URL=x\nGIT_BRANCH=origin/release/2", Job{System: "Jenkins", Branch: "release/2"}},
		"none":           {"HOME=/root\nGIT_COMMIT=" + sha, Job{}},
		"odd values": {"GITLAB_CI=true\nCI_COMMIT_SHA=$(id)\nCI_COMMIT_BRANCH=a\x1b[31mb\x00\nCI_MERGE_REQUEST_IID=x" +
			"\nCI_JOB_URL=javascript:alert(1)\nCI_NODE_INDEX=-1\nCI_NODE_TOTAL=4",
			Job{System: "GitLab CI", Branch: "a[31mb", Shards: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, "job", detected(t, c.variables), c.want)
		})
	}
}

// TestTeamCityProperties: the branch, the pull request and the repository come from the files of properties.
func TestTeamCityProperties(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		properties string
		want       Job
	}{
		"default branch": {"# made by TeamCity\nteamcity.build.branch=<default>\nteamcity.build.branch.is_default=true\n" +
			"vcsroot.branch=refs/heads/main\nvcsroot.url=https\\://ci\\:secret@git.example.com/acme/shop.git\n",
			Job{Branch: "main", DefaultBranch: "main", Repository: "https://git.example.com/acme/shop"}},
		"pull request": {"teamcity.build.branch = pull/12\nteamcity.pullRequest.number=12\n" +
			"teamcity.pullRequest.source.branch=feature\\=a\nvcsroot.branch=refs/heads/main\n",
			Job{Branch: "feature=a", PullRequest: "12"}},
		"damaged": {"=\n\\\n\x00=\nteamcity.build.branch=refs/pull/3\n", Job{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			configuration, build := filepath.Join(dir, "configuration"), filepath.Join(dir, "build")
			for path, text := range map[string]string{configuration: c.properties,
				build: "teamcity.configuration.properties.file=" + strings.ReplaceAll(configuration, `\`, `\\`) + "\n"} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c.want.System = "TeamCity"
			got := detected(t, "TEAMCITY_VERSION=2026.1\nTEAMCITY_BUILD_PROPERTIES_FILE="+build)
			assert.Equal(t, "job", got, c.want)
		})
	}
}

// TestFlagsWin: a flag replaces the fact of a variable, and one that is no such fact does not.
func TestFlagsWin(t *testing.T) {
	t.Parallel()
	j := detected(t, "CIRCLECI=true\nCIRCLE_SHA1="+sha+"\nCIRCLE_BRANCH=fix\nCIRCLE_JOB=test")
	got := j.With(Job{Branch: "refs/heads/main", DefaultBranch: "main", Commit: "not a commit", Shard: 2, Shards: 3,
		Repository: "git@host.example:a/b.git"})
	assert.Equal(t, "job", got, Job{System: "CircleCI", Commit: sha, Branch: "main", DefaultBranch: "main", Name: "test",
		Shard: 2, Shards: 3, Repository: "https://host.example/a/b"})
	assert.Equal(t, "metadata", got.Metadata(), map[string]string{"ci.system": "CircleCI", "ci.job": "test",
		"ci.repository": "https://host.example/a/b", "ci.shard": "2/3"})
	assert.Equal(t, "commit of the environment", *got.Environment().Commit, sha)
}

// TestDefaultBranch: a pull request from a branch of the same name, and a job whose default branch is unknown, are not
// of the default branch.
func TestDefaultBranch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		job  Job
		want bool
	}{
		{Job{Branch: "main", DefaultBranch: "main"}, true},
		{Job{Branch: "main", DefaultBranch: "main", PullRequest: "5"}, false},
		{Job{Branch: "main"}, false},
		{Job{DefaultBranch: "main"}, false},
		{Job{}, false},
	} {
		assert.Equal(t, "on the default branch", c.job.OnDefaultBranch(), c.want)
	}
}

// TestGit: outside of CI, git has the facts; in CI it completes them, without a branch.
func TestGit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range []string{"init -q -b topic .", "-c user.name=a -c user.email=a@b commit -q --allow-empty -m a",
		"remote add origin https://user:secret@git.example.com/acme/shop.git",
		"update-ref refs/remotes/origin/main HEAD", "symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main"} {
		command := exec.Command("git", strings.Fields(args)...)
		if command.Dir = dir; command.Run() != nil {
			t.Fatal("git", args)
		}
	}
	j := Detect(t.Context(), Source{environment(t, ""), dir})
	if !hexadecimal.MatchString(j.Commit) {
		t.Error("commit:", j.Commit)
	}
	assert.Equal(t, "job", j, Job{Commit: j.Commit, Branch: "topic", DefaultBranch: "main",
		Repository: "https://git.example.com/acme/shop"})
	assert.Equal(t, "job of a tag", Detect(t.Context(), Source{environment(t, "BUILDKITE=true\nBUILDKITE_TAG=v1"), dir}),
		Job{System: "Buildkite", Commit: j.Commit, DefaultBranch: "main", Repository: "https://git.example.com/acme/shop"})
	assert.Equal(t, "job without a repository", Detect(t.Context(), Source{environment(t, ""), filepath.Join(dir, "none")}), Job{})
}
