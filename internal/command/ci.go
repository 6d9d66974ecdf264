package command

import (
	"context"

	"github.com/spf13/cobra"

	"bugslice/internal/ci/summary"
)

func newCI(s *session) *cobra.Command {
	return s.group("ci", "Report failing tests from a job of continuous integration, and list tests", newCIReport(s),
		newCITests(s))
}

func newCIReport(s *session) *cobra.Command {
	var f ciFlags
	cmd := s.changing(s.command("report FILE…", "Report failing tests, and resolve what passes again", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error { return f.run(ctx, s, args) }))
	cmd.Long = "Read the results of tests, and file a report for each cause of failures. A failure that a report has already " +
		"is an occurrence of it. A report whose tests pass again on the default branch is resolved, and reopened when they fail " +
		"afterwards; one that somebody has closed stays closed. A test that passed when it ran again is flaky, and not reported.\n\n" +
		"FILE is JUnit XML, the XML of NUnit, xUnit.net or MSTest, go test -json, CTRF or TAP; patterns such as **/TEST-*.xml " +
		"are understood. The job is known from the variables of the usual systems. The key is taken from BUGSLICE_TOKEN and " +
		"needs the scopes slices:read and slices:write.\n\n" +
		"The exit code is 0 also when the server cannot be reached: the reports are kept in a file then, which --resume sends."
	cmd.Example = "  bugslice ci report 'build/test-results/**/*.xml'\n" +
		"  bugslice ci report --go-test-json tests.json --fail-on new\n" +
		"  bugslice ci report --resume .bugslice-ci.json"
	f.register(cmd)
	return cmd
}

func (f *ciFlags) run(ctx context.Context, s *session, args []string) (err error) {
	if err := f.check(args); err != nil {
		return err
	}
	r := &ciRun{ciFlags: f, s: s, filed: map[string]bool{}, reported: map[string]string{}}
	if f.resume != "" {
		r.found, err = readKept(s.env.path(f.resume))
	} else {
		r.found, err = f.find(ctx, s, args)
	}
	if err != nil {
		return err
	}
	r.page = summary.Summary{Name: r.found.Job.Name, Totals: r.found.Totals, Faults: r.found.Faults, Notes: r.found.Notes}
	r.faults = len(r.found.Faults) > 0
	r.kept = *r.found
	r.kept.Failures = nil
	within, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	r.report(within)
	r.countTests(within)
	if ctx.Err() != nil {
		r.away = ctx.Err()
	}
	if err := r.keep(); err != nil {
		return err
	}
	if err := r.write(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.exit()
}
