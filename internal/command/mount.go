package command

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugslice/internal/command/tree"
)

// groupID is the group of the commands of a client in the help of the root.
const groupID = "client"

// Mount adds the commands of a client to a root.
func Mount(root *cobra.Command, e Environment) {
	s := newSession(e)
	commands := []*cobra.Command{newAuth(s), newSlice(s), newSearch(s), newWorkspace(s), newSpace(s), newView(s), newRelease(s),
		newKey(s),
		newWebhook(s), newSource(s), newSubmission(s), newEvent(s), newInbox(s), newShare(s), newAPI(s), newRun(s),
		newCI(s), newListen(s), newMCP(s), newSkill(s)}
	root.AddGroup(&cobra.Group{ID: groupID, Title: "Commands of a client:"})
	for _, c := range commands {
		c.GroupID = groupID
		c.SetFlagErrorFunc(flagError(root.FlagErrorFunc()))
		addCompletions(s, c)
	}
	root.AddCommand(commands...)
	suggestCommands(root)
}

// Run runs a command of a program that has those of a client alone, prints its error, and returns its exit code.
func Run(ctx context.Context, args []string, e Environment, release string) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	root := tree.Root("bugslice", "Bug reports with their evidence, from the command line", e.Streams.Out,
		e.Streams.Err)
	root.Long = root.Short + ".\n\nThe commands call the API of a server, which bugslice auth login chooses.\n\n" +
		ExitCodes
	root.Version = tree.Version(release)
	Mount(root, e)
	root.AddCommand(&cobra.Command{Use: "version", Short: "Print the version", Args: tree.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(e.Streams.Out, "bugslice "+root.Version)
			return err
		}}, tree.Man(func(*cobra.Command, *pflag.Flag) string { return "" }), tree.Reference(groupID))
	tree.AddHelpAndCompletion(root)
	root.SetArgs(Arguments(args))
	err := failureOf(root.ExecuteContext(ctx))
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure.Print(e.Streams.Err)
	}
	return 0
}
