package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"bugslice/internal/store"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Run runs one command, prints its error, and returns its exit code: 0 when it succeeded, 1 when it failed, 2 for a usage
// error.
func Run(ctx context.Context, args, environ []string, s Streams) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT) // a command removes its partial files
	defer stop()
	err := Execute(ctx, args, environ, s)
	if err == nil {
		return 0
	}
	fmt.Fprintln(s.Err, "bugslice: "+strings.TrimPrefix(explain(err), "bugslice: "))
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// Execute runs one command, until ctx ends, and returns its error.
func Execute(ctx context.Context, args, environ []string, s Streams) error {
	root := newRoot(environ, s)
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// explain returns the text of an error, with what to do about a file of another user, or a role without a right.
func explain(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted; partial files were removed"
	case errors.Is(err, fs.ErrPermission):
		return err.Error() + "; run bugslice as the user that owns it"
	case store.IsDenied(err):
		return err.Error() + "; bugslice migrate --grants=ROLE prints what a role needs"
	}
	return err.Error()
}

// newAdmin returns the commands of the operator, which work on the database of an instance. The nouns without it are kept for
// a client of the API.
func newAdmin(env environment, s Streams) *cobra.Command {
	return group("admin", "Manage an instance on its database, beside a running server too",
		newOrg(env, s), newUser(env, s), newWorkspace(env, s), newKey(env, s), newExport(env, s), newImport(env, s),
		newReindex(env, s), newCollect(env, s), newAdoptFiles(env, s), newSecret(env, s))
}

func newRoot(environ []string, s Streams) *cobra.Command {
	env := newEnvironment(environ)
	root := group("bugslice", "Bug reports with their evidence, on your own machine",
		newServe(env, s), newBootstrap(env, s), newAdmin(env, s), newBackup(env, s), newRestore(env, s), newStatus(env, s),
		newMigrate(env, s), newHealth(env, s), newVersion(s), newOpenAPI(s), newMan())
	root.Long = root.Short + ".\n\n" +
		"Each flag can also be set by a variable of the environment: --data by BUGSLICE_DATA. The flag takes precedence. " +
		envSecret + " holds the master secret in place of secret.key, and " + envPassword + " the password of a user that is created.\n\n" +
		"The exit code is 1 after a failure, and 2 for a mistake in the command line or the environment."
	root.SilenceUsage, root.SilenceErrors = true, true
	root.Version = version()
	root.SetVersionTemplate("bugslice {{.Version}}\n")
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if before := cmd.Flags().Args(); cmd.HasSubCommands() && len(before) > 0 { // a group has no flags of its own
			return noCommand(cmd, before[0])
		}
		return usagef("%w; %s --help lists the flags", flagError(err), cmd.CommandPath())
	})
	addCobraCommands(root) // after the streams, which they capture
	return root
}
