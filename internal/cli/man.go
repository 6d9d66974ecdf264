package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newMan returns a hidden command, by which packages are made: it writes a man page of each command into an existing directory.
func newMan() *cobra.Command {
	return &cobra.Command{Use: "man DIRECTORY", Short: "Write the man pages", Hidden: true, Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := os.OpenRoot(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = dir.Close() }()
			return writeMan(cmd.Context(), dir, cmd.Root())
		}}
}

// writeMan writes the pages of a command and of those below it.
func writeMan(ctx context.Context, dir *os.Root, cmd *cobra.Command) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	f, err := dir.Create(name + ".1")
	if err != nil {
		return err
	}
	_, err = f.WriteString(manPage(cmd, name))
	if err := errors.Join(err, f.Close()); err != nil {
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
		fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", strings.ReplaceAll(roff(cmd.Long), "\n\n", "\n.PP\n"))
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
			usage += " (default " + defaultOf(f) + ")"
		}
		b.WriteString(".TP\n.BR \\-\\-" + roff(f.Name))
		if !strings.HasPrefix(name, "bugslice-completion") { // whose flags cobra reads
			b.WriteString(" \" (\" " + variable(f.Name) + " )")
		}
		b.WriteString("\n" + roff(usage) + "\n")
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

// roff returns text in ASCII without the characters that troff interprets.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
