package job

// system is a CI system: how it is recognized, and the variables from which each fact comes. A source is the name of a
// variable, or a text with ${VARIABLE} that counts when all of its variables are set. The first source of a list that
// is set wins.
type system struct {
	name string
	// The variable that says so, and its value; any value but none when it is empty.
	variable, value string

	repository, commit, branch, defaultBranch, pullRequest []string
	job, run, attempt, url                                 []string
	shard, shards                                          []string
	// The number of the first shard, and of the first attempt.
	firstShard, firstAttempt int
	// The variable that is set for a tag, on which there is no branch.
	tag string
	// Adds the facts for which the system has no variable.
	more func(j Job, getenv func(string) string) Job
}

// systems are the known systems with their documented variables. Woodpecker precedes GitLab, whose names it shares.
var systems = []system{
	{
		name: "GitHub Actions", variable: "GITHUB_ACTIONS", value: "true",
		repository:  []string{"${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}"},
		commit:      []string{"GITHUB_SHA"},
		branch:      []string{"GITHUB_HEAD_REF", "GITHUB_REF"},
		pullRequest: []string{"GITHUB_REF"},
		job:         []string{"${GITHUB_WORKFLOW} / ${GITHUB_JOB}", "GITHUB_JOB"},
		run:         []string{"GITHUB_RUN_ID"},
		attempt:     []string{"GITHUB_RUN_ATTEMPT"}, firstAttempt: 1,
		url: []string{
			"${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/attempts/${GITHUB_RUN_ATTEMPT}",
			"${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}",
		},
		more: ofGitHub,
	},
	{
		name: "Woodpecker", variable: "CI_SYSTEM_NAME", value: "woodpecker",
		repository:    []string{"CI_REPO_URL"},
		commit:        []string{"CI_COMMIT_SHA"},
		branch:        []string{"CI_COMMIT_SOURCE_BRANCH", "CI_COMMIT_BRANCH"},
		defaultBranch: []string{"CI_REPO_DEFAULT_BRANCH"},
		pullRequest:   []string{"CI_COMMIT_PULL_REQUEST"},
		job:           []string{"${CI_WORKFLOW_NAME} / ${CI_STEP_NAME}", "CI_WORKFLOW_NAME", "CI_STEP_NAME"},
		run:           []string{"CI_PIPELINE_NUMBER"},
		url:           []string{"CI_STEP_URL", "CI_PIPELINE_URL"},
		tag:           "CI_COMMIT_TAG",
	},
	{
		name: "GitLab CI", variable: "GITLAB_CI", value: "true",
		repository:    []string{"CI_PROJECT_URL"},
		commit:        []string{"CI_COMMIT_SHA"},
		branch:        []string{"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_BRANCH"},
		defaultBranch: []string{"CI_DEFAULT_BRANCH"},
		pullRequest:   []string{"CI_MERGE_REQUEST_IID"},
		job:           []string{"CI_JOB_NAME"},
		run:           []string{"CI_PIPELINE_ID"},
		url:           []string{"CI_JOB_URL"},
		shard:         []string{"CI_NODE_INDEX"}, shards: []string{"CI_NODE_TOTAL"}, firstShard: 1,
		tag: "CI_COMMIT_TAG",
	},
	{
		name: "Buildkite", variable: "BUILDKITE", value: "true",
		repository:    []string{"BUILDKITE_REPO"},
		commit:        []string{"BUILDKITE_COMMIT"},
		branch:        []string{"BUILDKITE_BRANCH"},
		defaultBranch: []string{"BUILDKITE_PIPELINE_DEFAULT_BRANCH"},
		pullRequest:   []string{"BUILDKITE_PULL_REQUEST"},
		job:           []string{"BUILDKITE_LABEL", "BUILDKITE_STEP_KEY"},
		run:           []string{"BUILDKITE_BUILD_ID"},
		attempt:       []string{"BUILDKITE_RETRY_COUNT"},
		url:           []string{"${BUILDKITE_BUILD_URL}#${BUILDKITE_JOB_ID}", "BUILDKITE_BUILD_URL"},
		shard:         []string{"BUILDKITE_PARALLEL_JOB"}, shards: []string{"BUILDKITE_PARALLEL_JOB_COUNT"},
		tag: "BUILDKITE_TAG",
	},
	{
		name: "CircleCI", variable: "CIRCLECI", value: "true",
		repository:  []string{"CIRCLE_REPOSITORY_URL"},
		commit:      []string{"CIRCLE_SHA1"},
		branch:      []string{"CIRCLE_BRANCH"},
		pullRequest: []string{"CIRCLE_PR_NUMBER", "CIRCLE_PULL_REQUEST"},
		job:         []string{"CIRCLE_JOB"},
		run:         []string{"CIRCLE_WORKFLOW_ID"},
		url:         []string{"CIRCLE_BUILD_URL"},
		shard:       []string{"CIRCLE_NODE_INDEX"}, shards: []string{"CIRCLE_NODE_TOTAL"},
		tag: "CIRCLE_TAG",
	},
	{
		name: "Azure Pipelines", variable: "TF_BUILD", value: "True",
		repository:  []string{"BUILD_REPOSITORY_URI"},
		commit:      []string{"SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"},
		branch:      []string{"SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCH"},
		pullRequest: []string{"SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"},
		job:         []string{"${BUILD_DEFINITIONNAME} / ${SYSTEM_JOBDISPLAYNAME}", "SYSTEM_JOBDISPLAYNAME", "AGENT_JOBNAME"},
		run:         []string{"BUILD_BUILDID"},
		attempt:     []string{"SYSTEM_JOBATTEMPT"}, firstAttempt: 1,
		url: []string{
			"${SYSTEM_COLLECTIONURI}${SYSTEM_TEAMPROJECT}/_build/results?buildId=${BUILD_BUILDID}&view=logs&j=${SYSTEM_JOBID}",
			"${SYSTEM_COLLECTIONURI}${SYSTEM_TEAMPROJECT}/_build/results?buildId=${BUILD_BUILDID}",
		},
		shard: []string{"SYSTEM_JOBPOSITIONINPHASE"}, shards: []string{"SYSTEM_TOTALJOBSINPHASE"}, firstShard: 1,
	},
	{
		name: "Drone", variable: "DRONE", value: "true",
		repository:    []string{"DRONE_REPO_LINK"},
		commit:        []string{"DRONE_COMMIT_SHA"},
		branch:        []string{"DRONE_SOURCE_BRANCH", "DRONE_BRANCH"},
		defaultBranch: []string{"DRONE_REPO_BRANCH"},
		pullRequest:   []string{"DRONE_PULL_REQUEST"},
		job:           []string{"${DRONE_STAGE_NAME} / ${DRONE_STEP_NAME}", "DRONE_STAGE_NAME", "DRONE_STEP_NAME"},
		run:           []string{"DRONE_BUILD_NUMBER"},
		url:           []string{"DRONE_BUILD_LINK"},
		tag:           "DRONE_TAG",
	},
	{
		name: "Bitbucket Pipelines", variable: "BITBUCKET_BUILD_NUMBER",
		repository:  []string{"BITBUCKET_GIT_HTTP_ORIGIN"},
		commit:      []string{"BITBUCKET_COMMIT"},
		branch:      []string{"BITBUCKET_BRANCH"},
		pullRequest: []string{"BITBUCKET_PR_ID"},
		run:         []string{"BITBUCKET_BUILD_NUMBER"},
		attempt:     []string{"BITBUCKET_STEP_RUN_NUMBER"}, firstAttempt: 1,
		url:   []string{"https://bitbucket.org/${BITBUCKET_REPO_FULL_NAME}/pipelines/results/${BITBUCKET_BUILD_NUMBER}"},
		shard: []string{"BITBUCKET_PARALLEL_STEP"}, shards: []string{"BITBUCKET_PARALLEL_STEP_COUNT"},
		tag: "BITBUCKET_TAG",
	},
	{
		name: "TeamCity", variable: "TEAMCITY_VERSION",
		commit: []string{"BUILD_VCS_NUMBER"},
		job:    []string{"${TEAMCITY_PROJECT_NAME} / ${TEAMCITY_BUILDCONF_NAME}", "TEAMCITY_BUILDCONF_NAME"},
		run:    []string{"BUILD_NUMBER"},
		url:    []string{"BUILD_URL"},
		more:   ofTeamCity,
	},
	{
		name: "Jenkins", variable: "JENKINS_URL",
		repository:  []string{"GIT_URL"},
		commit:      []string{"GIT_COMMIT"},
		branch:      []string{"CHANGE_BRANCH", "BRANCH_NAME", "GIT_LOCAL_BRANCH", "GIT_BRANCH"},
		pullRequest: []string{"CHANGE_ID"},
		job:         []string{"JOB_NAME"},
		run:         []string{"BUILD_TAG", "BUILD_NUMBER"},
		url:         []string{"BUILD_URL"},
		tag:         "TAG_NAME",
		more:        ofJenkins,
	},
}
