// Package tree has what the commands of every program share: groups that refuse unknown commands with the nearest
// one, usage errors, the refusal of flags, and man pages.
package tree

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// UsageError is a mistake in the command line or the environment.
type UsageError struct{ error }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.error }

// Usagef returns a usage error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// NoArgs refuses positional arguments.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usagef("unexpected argument %q; %s --help shows the usage", args[0], cmd.CommandPath())
	}
	return nil
}

// Root returns a command that holds those of a program. Its streams are out and err.
func Root(name, short string, out, err io.Writer) *cobra.Command {
	root := Group(name, short)
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetVersionTemplate(name + " {{.Version}}\n")
	root.SetOut(out)
	root.SetErr(err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if before := cmd.Flags().Args(); cmd.HasSubCommands() && len(before) > 0 { // a group has no flags of its own
			return noCommand(cmd, before[0])
		}
		return Usagef("%w; %s --help lists the flags", FlagError(err), cmd.CommandPath())
	})
	return root
}

// Group returns a command that only holds others: it prints its help, and refuses an argument.
func Group(use, short string, children ...*cobra.Command) *cobra.Command {
	g := asGroup(&cobra.Command{Use: use, Short: short})
	g.AddCommand(children...)
	return g
}

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

// AddHelpAndCompletion adds the commands help and completion, which refuse the names of unknown commands. It comes
// after the streams of the root, which they capture.
func AddHelpAndCompletion(root *cobra.Command) {
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
	return Usagef("there is no command %q; %s%s --help lists the commands", name, suggestion(group, name),
		group.CommandPath())
}

// suggestion returns a question that names the commands of a group that are nearest to a mistyped one, and the
// command of that name in a group below it; empty without any.
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

// flagTypes describes the values of a flag by its type.
var flagTypes = map[string]string{"int": "a whole number", "int64": "a whole number", "bool": "true or false",
	"duration": "a time such as 12h or 30m"}

// Choices is the annotation of a flag with the values that it takes, which the error of a missing value lists.
const Choices = "choices"

// FlagError describes the values that a flag takes, instead of how its value could not be parsed.
func FlagError(err error) error {
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		f := missing.GetFlag()
		if choices := f.Annotations[Choices]; len(choices) > 0 {
			return fmt.Errorf("--%s needs a value: some of %s", f.Name, strings.Join(choices, ", "))
		}
		return fmt.Errorf("--%s needs a value (%s)", f.Name, f.Usage)
	}
	invalid, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	f := invalid.GetFlag()
	values, known := flagTypes[f.Value.Type()]
	if !known {
		return err
	}
	return fmt.Errorf("--%s must be %s (%s), not %q", f.Name, values, f.Usage, invalid.GetValue())
}

// DefaultOf returns the default of a flag; a time without minutes and seconds of zero.
func DefaultOf(f *pflag.Flag) string {
	if f.Value.Type() == "duration" {
		return strings.Replace(strings.Replace(f.DefValue, "m0s", "m", 1), "h0m", "h", 1)
	}
	return f.DefValue
}

// Version returns the version of a build: that of a release, or that of the module.
func Version(release string) string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}
