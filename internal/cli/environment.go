package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"bugslice/internal/command/tree"
)

// environment holds the BUGSLICE_… variables that are not empty. Each flag can be set by one: --base-url by
// BUGSLICE_BASE_URL.
type environment map[string]string

const (
	envPrefix   = "BUGSLICE_"
	envSecret   = "BUGSLICE_SECRET_KEY" // 64 hexadecimal characters, or a comma list of such
	envPassword = "BUGSLICE_PASSWORD"   // of a user that is created
	envTests    = "BUGSLICE_TEST_"      // prefix of the variables of the project's own tests
)

func newEnvironment(environ []string) environment {
	e := environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" && strings.HasPrefix(name, envPrefix) {
			e[name] = value
		}
	}
	return e
}

// variable returns the variable that sets a flag.
func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// sharedSettings are the flags whose variables one environment may set for all commands: a command without the
// flag ignores its variable.
var sharedSettings = []string{"listen", "data", "database-url", "base-url", "rate-limit", "demo", "trusted-proxies",
	"metrics-listen",
	"webhook-allow", "event-retention", "blob-url", "max-upload", "workspace-quota", "daily-slices", "min-free-disk",
	"insecure-http", "cors-origin", "migrate", "read-only", "session-idle", "session-lifetime", "list-time",
	"smtp", "smtp-password-file", "mail-from", "mail-reply-to"}

// clientSettings are the variables of a client of the API, which may share its environment with a server.
var clientSettings = []string{"BUGSLICE_URL", "BUGSLICE_TOKEN", "BUGSLICE_PROFILE", "BUGSLICE_WORKSPACE"}

// apply sets the flags of a command that the command line does not set. It refuses a variable that belongs to no flag
// of any command, since a mistyped setting must not be ignored.
func (e environment) apply(cmd *cobra.Command) error {
	flags := map[string]*pflag.Flag{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[variable(f.Name)] = f })
	for _, name := range slices.Sorted(maps.Keys(e)) {
		flag := flags[name]
		switch {
		case flag == nil && !isOtherSetting(name):
			return tree.Usagef("the environment sets %s, which is no setting of bugslice; bugslice serve --help lists them", name)
		case flag == nil || flag.Changed:
			continue
		}
		if err := cmd.Flags().Set(flag.Name, e[name]); err != nil {
			return tree.Usagef("%s: %w", name, tree.FlagError(err))
		}
	}
	return nil
}

// isOtherSetting reports whether a variable belongs to no flag, or to a flag of another command.
func isOtherSetting(name string) bool {
	return name == envSecret || name == envPassword || strings.HasPrefix(name, envTests) ||
		slices.Contains(clientSettings, name) ||
		slices.ContainsFunc(sharedSettings, func(flag string) bool { return variable(flag) == name })
}

// settingsTable returns a table of a command's flags with their variables and defaults.
func settingsTable(cmd *cobra.Command) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FLAG\tVARIABLE\tDEFAULT\tMEANING")
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" {
			return
		}
		value := tree.DefaultOf(f)
		if value == "" || value == "[]" {
			value = "-"
		}
		fmt.Fprintf(w, "--%s\t%s\t%s\t%s\n", f.Name, variable(f.Name), value, f.Usage)
	})
	fmt.Fprintf(w, "-\t%s\tDATA/secret.key\tmaster secret, 64 hexadecimal characters; a comma list rotates it\n",
		envSecret)
	_ = w.Flush()
	return b.String()
}
