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
	"github.com/spf13/pflag"

	"bugslice/internal/command"
	"bugslice/internal/command/tree"
	"bugslice/internal/store"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// Run runs one command, prints its error, and returns its exit code: 0 when it succeeded, 1 when it failed, 2 for a
// usage error, and others for the commands of a client (command.ExitCodes).
func Run(ctx context.Context, args, environ []string, s Streams) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT) // a command removes its partial files
	defer stop()
	err := Execute(ctx, args, environ, s)
	if err == nil {
		return 0
	}
	if failure, ok := errors.AsType[*command.Failure](err); ok {
		return failure.Print(s.Err)
	}
	fmt.Fprintln(s.Err, "bugslice: "+strings.TrimPrefix(explain(err), "bugslice: "))
	if _, ok := errors.AsType[tree.UsageError](err); ok {
		return exitUsage
	}
	return exitFailed
}

// Execute runs one command, until ctx ends, and returns its error.
func Execute(ctx context.Context, args, environ []string, s Streams) error {
	root := newRoot(environ, s)
	root.SetArgs(command.Arguments(args))
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

// newAdmin returns the commands of the operator, which work on the database of an instance. The nouns without it are
// those of a client of the API.
func newAdmin(env environment, s Streams) *cobra.Command {
	return tree.Group("admin", "Manage an instance on its database, beside a running server too",
		newOrg(env, s), newUser(env, s), newWorkspace(env, s), newKey(env, s), newExport(env, s), newImport(env, s),
		newReindex(env, s), newCollect(env, s), newAdoptFiles(env, s), newSecret(env, s),
		newMail(env, s))
}

func newRoot(environ []string, s Streams) *cobra.Command {
	env := newEnvironment(environ)
	root := tree.Root("bugslice", "Bug reports with their evidence, on your own machine", s.Out, s.Err)
	root.Long = root.Short + ".\n\n" +
		"The commands of a client call the API of a server, which bugslice auth login chooses. Those of the operator run a server, " +
		"or work on its database; each of their flags can also be set by a variable of the environment: --data by BUGSLICE_DATA. " +
		"The flag takes precedence. " +
		envSecret + " holds the master secret in place of secret.key, and " + envPassword +
		" the password of a user that is created.\n\n" +
		command.ExitCodes
	root.Version = tree.Version(Version)
	command.Mount(root, command.Environment{Variables: environ,
		Streams: command.Streams{In: s.In, Out: s.Out, Err: s.Err}})
	operators := []*cobra.Command{newServe(env, s), newBootstrap(env, s), newAdmin(env, s), newBackup(env, s),
		newRestore(env, s),
		newStatus(env, s), newMigrate(env, s), newHealth(env, s), newOpenAPI(s)}
	root.AddGroup(&cobra.Group{ID: "operator", Title: "Commands of the operator:"})
	for _, c := range operators {
		c.GroupID = "operator"
	}
	root.AddCommand(operators...)
	root.AddCommand(newVersion(s), tree.Man(variableOf))
	tree.AddHelpAndCompletion(root)
	return root
}

// variableOf returns the variable that sets a flag of a command; empty for the commands of a client, and those of
// cobra.
func variableOf(cmd *cobra.Command, flag *pflag.Flag) string {
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	if top.GroupID != "operator" {
		return ""
	}
	return variable(flag.Name)
}
