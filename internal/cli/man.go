package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan returns a hidden command, by which packages are made: it writes a man page of each command into a directory.
func newMan() *cobra.Command {
	return &cobra.Command{Use: "man DIRECTORY", Short: "Write the man pages", Hidden: true, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // man pages are public
				return err
			}
			cmd.Root().InitDefaultCompletionCmd()
			return writeMan(cmd.Context(), args[0], cmd.Root())
		}}
}

// writeMan writes the pages of a command and of those below it.
func writeMan(ctx context.Context, dir string, cmd *cobra.Command) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manPage(cmd, name)), 0o644); err != nil { //nolint:gosec // public
		return err
	}
	for _, child := range cmd.Commands() {
		if child.Hidden || child.Name() == "help" {
			continue
		}
		if err := writeMan(ctx, dir, child); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// manPage returns the page of a command. It has no date, so that equal programs have equal pages.
func manPage(cmd *cobra.Command, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"Bugslice\" \"Bugslice\"\n", roff(strings.ToUpper(name)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(cmd.UseLine()))
	if cmd.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", roff(cmd.Long))
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	options := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		if options++; options == 1 {
			b.WriteString(".SH OPTIONS\n")
		}
		usage := f.Usage
		if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(&b, ".TP\n.BR \\-\\-%s \" (\" %s )\n%s\n", roff(f.Name), variable(f.Name), roff(usage))
	})
	var others []string
	for _, child := range cmd.Commands() {
		if !child.Hidden && child.Name() != "help" {
			others = append(others, "\\fB"+roff(name+"-"+child.Name())+"\\fP(1)")
		}
	}
	if parent := cmd.Parent(); parent != nil {
		others = append(others, "\\fB"+roff(strings.ReplaceAll(parent.CommandPath(), " ", "-"))+"\\fP(1)")
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(others, ",\n"))
	return b.String()
}

// roff returns text without the characters that troff interprets.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...", "’", "'").Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
