package job

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
)

// maxFile is the size of a file of a CI system that is read. GitHub's event has at most 25 MB.
const maxFile = 32 << 20

// ofGitHub adds the facts of the file in which GitHub describes the event. For a pull request, the commit of the
// variable is a merge that nobody has made; the file has that of its branch.
func ofGitHub(j Job, getenv func(string) string) Job {
	file, err := os.Open(getenv("GITHUB_EVENT_PATH"))
	if err != nil {
		return j
	}
	defer file.Close()
	var event struct {
		Repository struct {
			DefaultBranch string `json:"default_branch"`
		}
		PullRequest struct {
			Number int
			Head   struct{ SHA string }
		} `json:"pull_request"`
	}
	if json.NewDecoder(io.LimitReader(file, maxFile)).Decode(&event) != nil {
		return j
	}
	facts := Job{DefaultBranch: event.Repository.DefaultBranch, Commit: event.PullRequest.Head.SHA}
	if event.PullRequest.Number > 0 {
		facts.PullRequest = strconv.Itoa(event.PullRequest.Number)
	}
	return j.With(facts)
}

// ofJenkins takes the name of the remote from the branch, and adds the default branch when the job is of it.
func ofJenkins(j Job, getenv func(string) string) Job {
	if j.Branch = strings.TrimPrefix(j.Branch, "origin/"); getenv("BRANCH_IS_PRIMARY") == "true" {
		j.DefaultBranch = j.Branch
	}
	return j
}

// ofTeamCity adds the facts of the configuration, for which TeamCity has no variables: they are in a file that the
// file of a variable names.
func ofTeamCity(j Job, getenv func(string) string) Job {
	build := properties(getenv("TEAMCITY_BUILD_PROPERTIES_FILE"))
	all := properties(build["teamcity.configuration.properties.file"])
	shown := all["teamcity.pullRequest.source.branch"]
	if shown == "" {
		shown = all["teamcity.build.branch"]
	}
	if shown == "" || shown == "<default>" {
		shown = all["vcsroot.branch"]
	}
	facts := Job{Branch: shown, PullRequest: all["teamcity.pullRequest.number"], Repository: all["vcsroot.url"]}
	if all["teamcity.build.branch.is_default"] == "true" {
		facts.DefaultBranch = shown
	}
	return j.With(facts)
}

// properties returns the values of a properties file of Java that stand on one line; none of a file that is missing.
func properties(path string) map[string]string {
	values := map[string]string{}
	file, err := os.Open(path)
	if err != nil {
		return values
	}
	defer file.Close()
	for lines := bufio.NewScanner(io.LimitReader(file, maxFile)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if name, value, ok := strings.Cut(line, "="); ok && line[0] != '#' && line[0] != '!' {
			values[unescape(strings.TrimSpace(name))] = unescape(strings.TrimSpace(value))
		}
	}
	return values
}

// unescape takes the backslashes before signs out, as in https\://host.
func unescape(text string) string {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}
