package tree

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Reference returns a hidden command, which prints the commands of a client as Markdown: those of a group of the root.
func Reference(group string) *cobra.Command {
	return &cobra.Command{Use: "reference", Short: "Print the reference of the commands", Hidden: true, Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var b strings.Builder
			for _, top := range cmd.Root().Commands() {
				if top.GroupID == group {
					writeReference(&b, top)
				}
			}
			_, err := io.WriteString(cmd.OutOrStdout(), b.String())
			return err
		}}
}

// writeReference writes the section of a command, and those of the commands below it.
func writeReference(b *strings.Builder, cmd *cobra.Command) {
	depth := strings.Count(cmd.CommandPath(), " ") + 1
	fmt.Fprintf(b, "%s %s\n\n%s.\n", strings.Repeat("#", depth), cmd.CommandPath(), cmd.Short)
	if cmd.Long != "" {
		fmt.Fprintf(b, "\n%s\n", strings.TrimPrefix(strings.TrimPrefix(cmd.Long, cmd.Short+". "), cmd.Short+"."))
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(b, "\nAlso called: %s.\n", strings.Join(cmd.Aliases, ", "))
	}
	if !cmd.HasSubCommands() || cmd.Name() == "skill" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", cmd.UseLine())
	}
	if cmd.HasExample() {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.ReplaceAll(strings.TrimPrefix(cmd.Example, "  "), "\n  ", "\n"))
	}
	writeFlags(b, cmd)
	b.WriteString("\n")
	for _, child := range cmd.Commands() {
		if !child.Hidden && child.Name() != "help" {
			writeReference(b, child)
		}
	}
}

func writeFlags(b *strings.Builder, cmd *cobra.Command) {
	first := true
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if first {
			b.WriteString("\n| flag | meaning |\n|---|---|\n")
			first = false
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "`--" + strings.TrimSpace(f.Name+" "+value) + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			usage += " (default " + DefaultOf(f) + ")"
		}
		fmt.Fprintf(b, "| %s | %s |\n", name, strings.ReplaceAll(usage, "|", "\\|"))
	})
}
