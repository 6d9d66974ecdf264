package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"bugslice/internal/store"
)

func newReindex(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	cmd := env.command("reindex", "Build the index of reports anew, beside a running server",
		func(ctx context.Context) error {
			return flags.withExisting(ctx, env, func(in *instance) error {
				if err := in.operator.RecordCommand(ctx, "admin reindex"); err != nil {
					return err
				}
				if err := in.store.BeginIndex(ctx); err != nil {
					return err
				}
				if err := buildIndex(ctx, in.store, s.Err); err != nil {
					return err
				}
				_, err := fmt.Fprintln(s.Out, "The index of reports is complete.")
				return err
			})
		})
	cmd.Long = "Build the index of reports anew, by which lists, searches and counts find them.\n\n" +
		"Until it is complete, servers refuse these with 503; lists without filters work. A server goes on with an index that this " +
		"command has left incomplete."
	flags.register(cmd)
	return cmd
}

// buildIndex completes the index of reports, and shows the progress.
func buildIndex(ctx context.Context, s *store.Store, out io.Writer) error {
	bar := newProgress(out, "reports indexed", 0)
	return s.BuildIndex(ctx, func(b store.IndexBuild) {
		bar.total = int(b.UntilRow)
		bar.add(int(b.AfterRow) - bar.done)
	})
}

// checkIndex compares the index of reports with the records, and shows the progress.
func checkIndex(ctx context.Context, s *store.Store, out io.Writer) (store.IndexCheck, error) {
	bar := newProgress(out, "reports verified", 0)
	return s.CheckIndex(ctx, func(done, all int64) {
		bar.total = int(all)
		bar.add(int(done) - bar.done)
	})
}
