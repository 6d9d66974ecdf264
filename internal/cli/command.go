package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Streams are what a command writes to.
type Streams struct{ Out, Err io.Writer }

// command returns a command without arguments. Before run, its flags are set from the environment, and the
// required ones are checked.
func (e environment) command(use, short string, run func(context.Context) error, required ...string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := ready(cmd, e, required...); err != nil {
			return err
		}
		return run(cmd.Context())
	}}
}

// fileCommand is command for a command whose one argument is a file.
func (e environment) fileCommand(use, short string, run func(ctx context.Context, file string) error) *cobra.Command {
	return &cobra.Command{Use: use + " FILE", Short: short, Args: oneFile, RunE: func(cmd *cobra.Command, args []string) error {
		if err := ready(cmd, e); err != nil {
			return err
		}
		return run(cmd.Context(), args[0])
	}}
}

// ready sets the flags of a command from the environment, and refuses it when a required flag is empty.
func ready(cmd *cobra.Command, env environment, required ...string) error {
	if err := env.apply(cmd); err != nil {
		return err
	}
	for _, name := range required {
		if value := cmd.Flag(name).Value.String(); value == "" || value == "[]" {
			return usagef("--%s is required; %s --help lists the flags", name, cmd.CommandPath())
		}
	}
	return nil
}

// group returns a command that only holds others.
func group(use, short string, children ...*cobra.Command) *cobra.Command {
	g := asGroup(&cobra.Command{Use: use, Short: short})
	g.AddCommand(children...)
	return g
}

// asGroup has a command that only holds others print its help, and refuse an argument.
func asGroup(g *cobra.Command) *cobra.Command {
	g.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return noCommand(cmd, args[0])
		}
		return nil
	}
	g.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	g.SuggestionsMinimumDistance = 2
	return g
}

// addCobraCommands adds help and completion, which refuse the names of unknown commands.
func addCobraCommands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = knownCommand
		case "completion":
			asGroup(c)
		}
	}
}

// knownCommand refuses arguments that do not name a command.
func knownCommand(help *cobra.Command, args []string) error {
	named, rest, err := help.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = noCommand(named, rest[0])
	}
	return err
}

// noCommand is the error of a name that no command of a group has.
func noCommand(group *cobra.Command, name string) error {
	return usagef("there is no command %q; %s%s --help lists the commands", name, suggestion(group, name), group.CommandPath())
}

// suggestion returns a question that names the commands of a group that are nearest to a mistyped one, and the command of that name in a
// group below it; empty without any.
func suggestion(group *cobra.Command, mistyped string) string {
	var names []string
	for _, below := range group.Commands() {
		for _, c := range below.Commands() {
			if c.Name() == mistyped {
				names = append(names, below.Name()+" "+mistyped)
			}
		}
	}
	names = append(names, group.SuggestionsFor(mistyped)...)
	if !group.HasParent() { // cobra does not suggest the command help that it adds to the root
		help := &cobra.Command{SuggestionsMinimumDistance: group.SuggestionsMinimumDistance}
		help.AddCommand(&cobra.Command{Use: "help", Run: func(*cobra.Command, []string) {}})
		names = append(names, help.SuggestionsFor(mistyped)...)
	}
	for i, name := range names {
		names[i] = group.CommandPath() + " " + name
	}
	if len(names) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(names, " or ") + "? "
}
