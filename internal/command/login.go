package command

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
)

// loginFlags are the flags of auth login.
type loginFlags struct {
	url       string
	withToken bool
	noBrowser bool
	scopes    []string
}

func newLogin(s *session) *cobra.Command {
	var f loginFlags
	cmd := s.command("login", "Sign in to a server", tree.NoArgs, func(ctx context.Context, _ []string) error {
		address, err := s.loginAddress(f)
		if err != nil {
			return err
		}
		token, err := s.newToken(ctx, address, f)
		if err != nil {
			return err
		}
		return s.signIn(ctx, address, token)
	})
	cmd.Long = "Sign in to a server: it shows an address and a code, and waits until you have entered the code there, " +
		"in any browser. There you choose what the new key may do, and until when. Where there is no browser, on a " +
		"server of CI for example, give it the token of a key on standard input, or set " + profile.EnvURL + " and " +
		profile.EnvToken + "."
	cmd.Example = "  bugslice auth login --url https://bugs.example.com\n" +
		"  bugslice auth login --url https://bugs.example.com --with-token < token.txt"
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "`address` of the server, such as https://bugs.example.com")
	flags.BoolVar(&f.withToken, "with-token", false, "read the token of an API key from standard input")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "print the address, and open no browser")
	flags.StringSliceVarP(&f.scopes, "scopes", "s", nil,
		"`scopes` to ask for; repeatable; those for work with reports by default")
	flags.Lookup("scopes").Annotations = map[string][]string{tree.Choices: api.Scope("").Values()}
	return cmd
}

// loginAddress returns the address of the server: of the flag, the variable, or the current profile.
func (s *session) loginAddress(f loginFlags) (string, error) {
	c, err := s.profiles.Load()
	if err != nil {
		return "", err
	}
	address := profile.Address(cmp.Or(f.url, s.variables[profile.EnvURL],
		c.Profiles[cmp.Or(s.profileName, s.variables[profile.EnvProfile], c.Current)].URL))
	if address == "" {
		return "", tree.Usagef("--url is required: the address of the server, such as https://bugs.example.com")
	}
	return address, nil
}

// newToken returns the token with which somebody signs in.
func (s *session) newToken(ctx context.Context, address string, f loginFlags) (string, error) {
	if !f.withToken {
		return s.deviceToken(ctx, address, f)
	}
	text, err := s.readInput(ctx, "-")
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsAny(token, " \n\t") {
		return "", tree.Usagef("standard input has no token; it is one word, which begins with svc_")
	}
	return token, nil
}

// signIn stores a profile for a token that the server accepts.
func (s *session) signIn(ctx context.Context, address, token string) error {
	c, err := newClient(address, token)
	if err != nil {
		return err
	}
	me, err := c.GetMe(ctx, api.GetMe{})
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == 401 {
		return &Failure{codeSignIn, errors.New("the server does not accept the token"), "create a new key at " +
			address + "/settings/keys/new"}
	}
	if err != nil {
		return err
	}
	name := cmp.Or(s.profileName, s.variables[profile.EnvProfile], profile.Name(address))
	file, err := s.profiles.Add(name, profile.Profile{URL: address, User: cmp.Or(deref(me.Email), me.Name)}, token)
	if err != nil {
		return err
	}
	until := ""
	if me.Key.ExpiresAt != nil {
		until = ", until " + me.Key.ExpiresAt.Format("2 January 2006")
	}
	s.tell("Signed in to %s as %s%s.", address, me.Name, until)
	if file != "" {
		s.tell("The system has no keyring: the token is in %s, which you alone can read.", file)
	}
	return nil
}
