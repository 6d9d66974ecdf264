// Package cli is the command line: one file a noun. Flags fill an options struct; a run
// function does the rest over injected streams.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Version is set at build time.
var Version = ""

func version() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

// Streams are where a command writes.
type Streams struct{ Out, Err io.Writer }

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

// usageError is what the user typed wrong.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Run runs one command and returns its exit code: 0 done, 1 failed, 2 not understood.
func Run(ctx context.Context, args, environ []string, s Streams) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT) // what is half written is removed
	defer stop()
	root := newRoot(environ, s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; what was half written is removed")
	}
	fmt.Fprintln(s.Err, "bugslice: "+strings.TrimPrefix(err.Error(), "bugslice: "))
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

func newRoot(environ []string, s Streams) *cobra.Command {
	root := &cobra.Command{Use: "bugslice", Short: "Bug reports with their evidence, on your own machine", SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q; bugslice --help lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; %s --help lists the flags", unfit(err), cmd.CommandPath())
	})
	env := newEnvironment(environ)
	root.AddCommand(newServe(env, s), newExport(env, s), newImport(env, s), newCollect(env, s), newAdoptFiles(env, s), newBootstrap(env, s),
		newUser(env, s), newWorkspace(env, s), newOrg(env, s), newMigrate(env, s), newBackup(env, s), newRestore(env, s), newSecret(env, s),
		newVersion(s), newOpenAPI(s))
	return root
}

// oneFile refuses anything but the name of one file.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("say which file: %s FILE", cmd.CommandPath())
	}
	return nil
}

func newVersion(s Streams) *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: noArgs, RunE: func(*cobra.Command, []string) error {
		_, err := fmt.Fprintln(s.Out, "bugslice "+version())
		return err
	}}
}

// noArgs refuses positional arguments as a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("unexpected argument %q; %s --help shows the usage", args[0], cmd.CommandPath())
	}
	return nil
}

// group is a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("there is no command %q; %s --help lists them", args[0], cmd.CommandPath())
		}
		return nil
	}, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	c.AddCommand(children...)
	return c
}

// require refuses a command whose flags are missing or empty.
func require(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := cmd.Flag(name); f.Value.String() == "" || f.Value.String() == "[]" {
			return usagef("--%s is required; %s --help lists the flags", name, cmd.CommandPath())
		}
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
