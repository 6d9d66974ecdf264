package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/ci/finding"
	"bugslice/internal/ci/job"
	"bugslice/internal/ci/owners"
	"bugslice/internal/ci/results"
	"bugslice/internal/command/tree"
)

// ciFlags are the flags of ci report.
type ciFlags struct {
	goTest, labels                            []string
	owners                                    map[string]string
	codeOwners, file, failOn, summary, resume string
	kept                                      string
	strict, resolve, reopenClosed             bool
	resolveAfter, maxReports, budget          int
	timeout                                   time.Duration
	job                                       job.Job
	shard                                     string
}

// The values of --file, --fail-on and --code-owners.
var (
	fileChoices       = []string{"branches", "all", "none"}
	failOnChoices     = []string{"none", "new", "any"}
	codeOwnersChoices = []string{"auto", "github", "gitlab", "none"}
)

func (f *ciFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.goTest, "go-test-json", nil, "`file` with the output of go test -json; repeatable")
	flags.StringVar(&f.file, "file", "branches", "which `jobs` file reports: branches, all (those of pull requests, too) or none")
	flags.StringVar(&f.failOn, "fail-on", "none", "which `failures` make the exit code 1: none, new or any")
	flags.BoolVar(&f.strict, "strict", false, "exit with 1 when a file or the server has a fault")
	flags.StringVar(&f.summary, "summary", "", "`file` to which the summary is added; GITHUB_STEP_SUMMARY or standard output by default")
	flags.StringVar(&f.resume, "resume", "", "report what was kept in a `file`")
	flags.StringVar(&f.kept, "kept", ".bugslice-ci.json", "`file` in which reports are kept that could not be sent")
	flags.BoolVar(&f.resolve, "resolve", false, "resolve what passes again, also when the default branch is not known")
	flags.IntVar(&f.resolveAfter, "resolve-after", 1, "resolve a report after so many passes of each of its tests")
	flags.BoolVar(&f.reopenClosed, "reopen-closed", false, "reopen also what somebody has closed")
	flags.IntVar(&f.maxReports, "max-reports", 25, "most reports of a job")
	flags.IntVar(&f.budget, "upload-budget", 50, "most `MiB` of evidence and files of a job")
	flags.StringSliceVarP(&f.labels, "label", "l", nil, "add a `label` to new reports; repeatable")
	flags.StringVar(&f.codeOwners, "code-owners", "auto", "whose `rules` CODEOWNERS follows: auto, github, gitlab or none")
	flags.StringToStringVar(&f.owners, "owner", nil, "e-mail address of an owner in CODEOWNERS, `NAME=EMAIL`; repeatable")
	flags.Lookup("owner").DefValue = "" // the help shows no empty list
	flags.DurationVar(&f.timeout, "timeout", 5*time.Minute, "longest `time` that the server is waited for")
	for _, v := range []struct {
		to          *string
		name, usage string
	}{
		{&f.job.Commit, "commit", "`commit` that is tested"},
		{&f.job.Branch, "branch", "`branch` that is tested"},
		{&f.job.DefaultBranch, "default-branch", "`branch` on which reports are resolved"},
		{&f.job.PullRequest, "pull-request", "`number` of the pull request that is tested"},
		{&f.job.Name, "job", "`name` of the job"},
		{&f.job.Run, "run", "`id` of the run to which parallel jobs belong"},
		{&f.job.URL, "job-url", "`address` of the job"},
		{&f.job.Repository, "repository", "`address` of the repository"},
		{&f.shard, "shard", "which `part` of the tests the job has, such as 3/32"},
	} {
		flags.StringVar(v.to, v.name, "", v.usage+"; known from the system of CI by default")
	}
	flags.IntVar(&f.job.Attempt, "attempt", 0, "`number` of the attempt of the job; known from the system of CI by default")
	for name, choices := range map[string][]string{"file": fileChoices, "fail-on": failOnChoices, "code-owners": codeOwnersChoices} {
		flags.Lookup(name).Annotations = map[string][]string{tree.Choices: choices}
	}
}

// check refuses flags before anything is read.
func (f *ciFlags) check(args []string) error {
	for _, choice := range []struct {
		flag, value string
		choices     []string
	}{{"--file", f.file, fileChoices}, {"--fail-on", f.failOn, failOnChoices}, {"--code-owners", f.codeOwners, codeOwnersChoices}} {
		if !slices.Contains(choice.choices, choice.value) {
			return tree.Usagef("%s must be one of %s, not %q", choice.flag, strings.Join(choice.choices, ", "), choice.value)
		}
	}
	switch {
	case f.resolveAfter < 1 || f.resolveAfter > 99:
		return tree.Usagef("--resolve-after must be from 1 to 99")
	case f.maxReports < 1 || f.maxReports > 200:
		return tree.Usagef("--max-reports must be from 1 to 200")
	case f.budget < 0 || f.budget > 1024:
		return tree.Usagef("--upload-budget must be from 0 to 1024 MiB")
	case f.timeout < time.Second:
		return tree.Usagef("--timeout must be at least 1s")
	case f.resume != "" && len(args)+len(f.goTest) > 0:
		return tree.Usagef("--resume sends what is kept, and takes no results of tests")
	case f.resume == "" && len(args)+len(f.goTest) == 0:
		return tree.Usagef("a file with the results of tests is required, such as 'build/test-results/**/*.xml'")
	}
	return f.checkShard()
}

// checkShard reads --shard.
func (f *ciFlags) checkShard() error {
	if f.shard == "" {
		return nil
	}
	n, of, _ := strings.Cut(f.shard, "/")
	shard, err := strconv.Atoi(n)
	shards, err2 := strconv.Atoi(of)
	if err != nil || err2 != nil || shard < 1 || shard > shards || shards > 10_000 {
		return tree.Usagef("--shard must be a number of a part and of all parts, such as 3/32, not %q", f.shard)
	}
	f.job.Shard, f.job.Shards = shard, shards
	return nil
}

// find reads the results of the tests, and the facts of the job.
func (f *ciFlags) find(ctx context.Context, s *session, args []string) (*finding.Finding, error) {
	folder, err := s.env.folder()
	if err != nil {
		return nil, err
	}
	runs, err := f.read(s, args)
	if err != nil {
		return nil, err
	}
	from := finding.Source{MaxFailures: f.maxReports, Budget: int64(f.budget) << 20, Emails: map[string]string{}}
	from.Job = job.Detect(ctx, job.Source{Getenv: func(name string) string { return s.variables[name] }, Dir: folder}).With(f.job)
	for name, email := range f.owners {
		from.Emails[strings.ToLower(strings.TrimPrefix(name, "@"))] = email
	}
	if !f.mayFile(from.Job) || s.dryRun {
		from.Budget = 0 // nothing is sent
	}
	if from.Root, err = os.OpenRoot(folder); err != nil {
		return nil, err
	}
	defer func() { _ = from.Root.Close() }()
	var fault error
	if f.codeOwners != "none" {
		from.Owners, fault = owners.Load(folder, f.dialect(from.Job, folder))
	}
	found := finding.Of(runs, from)
	if fault != nil {
		found.Faults = append(found.Faults, fault.Error())
	}
	return found, nil
}

// read reads the files of results.
func (f *ciFlags) read(s *session, args []string) (runs []*results.Run, err error) {
	patterns := make([]string, len(args))
	for i, arg := range args {
		patterns[i] = s.env.path(arg)
	}
	paths, err := results.Find(patterns)
	if err != nil {
		return nil, tree.Usagef("%w", err)
	}
	for _, path := range paths {
		run, err := results.ReadFile(path)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	for _, name := range f.goTest {
		file, err := os.Open(s.env.path(name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, tree.Usagef("there is no file %s", name)
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, results.ReadAs(results.GoTest, name, file))
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// dialect returns whose rules CODEOWNERS follows.
func (f *ciFlags) dialect(j job.Job, folder string) owners.Dialect {
	switch f.codeOwners {
	case "github":
		return owners.GitHub
	case "gitlab":
		return owners.GitLab
	}
	_, err := os.Stat(filepath.Join(folder, ".gitlab", "CODEOWNERS"))
	if strings.HasPrefix(j.System, "GitLab") || err == nil {
		return owners.GitLab
	}
	return owners.GitHub
}

// mayFile reports whether a job files reports.
func (f *ciFlags) mayFile(j job.Job) bool {
	return f.file == "all" || f.file == "branches" && j.PullRequest == ""
}

// mayResolve reports whether the passes of a job count.
func (f *ciFlags) mayResolve(j job.Job) bool {
	return f.mayFile(j) && j.PullRequest == "" && (f.resolve || j.OnDefaultBranch())
}

// mayReopen reports whether a failure of a job reopens what is fixed: not on another branch than the default one, which
// may not have the fix yet.
func mayReopen(j job.Job) bool {
	return j.PullRequest == "" && (j.DefaultBranch == "" || j.Branch == "" || j.OnDefaultBranch())
}
