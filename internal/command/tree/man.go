package tree

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Man returns a hidden command, by which packages are made: it writes a man page of each command into an existing
// directory. variable names the variable that sets a flag of a command; empty for none.
func Man(variable func(*cobra.Command, *pflag.Flag) string) *cobra.Command {
	return &cobra.Command{Use: "man DIRECTORY", Short: "Write the man pages", Hidden: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return Usagef("the name of a directory is required: %s DIRECTORY", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := os.OpenRoot(args[0])
			if err != nil {
				return err
			}
			defer func() { _ = dir.Close() }()
			return manual{dir, variable}.write(cmd.Root())
		}}
}

// manual writes man pages.
type manual struct {
	dir      *os.Root
	variable func(*cobra.Command, *pflag.Flag) string
}

// write writes the pages of a command and of those below it.
func (m manual) write(cmd *cobra.Command) error {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	f, err := m.dir.Create(name + ".1")
	if err != nil {
		return err
	}
	_, err = f.WriteString(m.page(cmd, name))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	for _, child := range cmd.Commands() {
		if child.Hidden || child.Name() == "help" {
			continue
		}
		if err := m.write(child); err != nil {
			return err
		}
	}
	return nil
}

// page returns the page of a command. It has no date, so that equal programs have equal pages.
func (m manual) page(cmd *cobra.Command, name string) string {
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
			usage += " (default " + DefaultOf(f) + ")"
		}
		b.WriteString(".TP\n.BR \\-\\-" + roff(f.Name))
		if name := m.variable(cmd, f); name != "" {
			b.WriteString(" \" (\" " + name + " )")
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
