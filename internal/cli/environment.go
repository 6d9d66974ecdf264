package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
var sharedSettings = []string{"listen", "data", "database-url", "base-url", "rate-limit", "demo", "trusted-proxies", "metrics-listen",
	"webhook-allow", "event-retention", "blob-url", "max-upload", "workspace-quota", "daily-slices", "min-free-disk",
	"insecure-http", "cors-origin", "migrate", "read-only", "session-idle", "session-lifetime"}

// clientSettings are the variables of a client of the API, which may share its environment with a server. No flag has one of their names.
var clientSettings = []string{"BUGSLICE_URL", "BUGSLICE_TOKEN", "BUGSLICE_PROFILE"}

// apply sets the flags of a command that the command line does not set. It refuses a variable that belongs to no flag of
// any command, since a mistyped setting must not be ignored.
func (e environment) apply(cmd *cobra.Command) error {
	flags := map[string]*pflag.Flag{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[variable(f.Name)] = f })
	for _, name := range slices.Sorted(maps.Keys(e)) {
		flag := flags[name]
		switch {
		case flag == nil && !isOtherSetting(name):
			return usagef("the environment sets %s, which is no setting of bugslice; bugslice serve --help lists them", name)
		case flag == nil || flag.Changed:
			continue
		}
		if err := cmd.Flags().Set(flag.Name, e[name]); err != nil {
			return usagef("%s: %w", name, flagError(err))
		}
	}
	return nil
}

// isOtherSetting reports whether a variable belongs to no flag, or to a flag of another command.
func isOtherSetting(name string) bool {
	return name == envSecret || name == envPassword || strings.HasPrefix(name, envTests) || slices.Contains(clientSettings, name) ||
		slices.ContainsFunc(sharedSettings, func(flag string) bool { return variable(flag) == name })
}

// flagTypes describes the values of a flag by its type.
var flagTypes = map[string]string{"int": "a whole number", "int64": "a whole number", "bool": "true or false",
	"duration": "a time such as 12h or 30m"}

// flagError describes the values that a flag takes, instead of how its value could not be parsed.
func flagError(err error) error {
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

// defaultOf returns the default of a flag; a time without minutes and seconds of zero.
func defaultOf(f *pflag.Flag) string {
	if f.Value.Type() == "duration" {
		return strings.Replace(strings.Replace(f.DefValue, "m0s", "m", 1), "h0m", "h", 1)
	}
	return f.DefValue
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
		value := defaultOf(f)
		if value == "" || value == "[]" {
			value = "-"
		}
		fmt.Fprintf(w, "--%s\t%s\t%s\t%s\n", f.Name, variable(f.Name), value, f.Usage)
	})
	fmt.Fprintf(w, "-\t%s\tDATA/secret.key\tmaster secret, 64 hexadecimal characters; a comma list rotates it\n", envSecret)
	_ = w.Flush()
	return b.String()
}
