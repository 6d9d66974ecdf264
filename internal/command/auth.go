package command

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
)

func newAuth(s *session) *cobra.Command {
	g := tree.Group("auth", "Sign in to a server, and out again", newLogin(s), newAuthStatus(s), newSwitch(s),
		newLogout(s))
	g.PersistentFlags().StringVar(&s.profileName, "profile", "", "`name` of the profile")
	return g
}

// signInStatus is what auth status says.
type signInStatus struct {
	URL          string      `json:"url"`
	Profile      *string     `json:"profile"` // null when the environment names the server
	TokenSource  string      `json:"tokenSource"`
	Type         string      `json:"type"`
	Name         string      `json:"name"`
	Email        *string     `json:"email"`
	Organization string      `json:"organization"`
	Key          string      `json:"key"`
	Scopes       []api.Scope `json:"scopes"`
	ExpiresAt    *api.Time   `json:"expiresAt"`
}

func newAuthStatus(s *session) *cobra.Command {
	var format output.Format
	cmd := s.command("status", "Show the server, the user, and what the key allows", tree.NoArgs,
		func(ctx context.Context, _ []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			me, err := s.whoAmI(ctx)
			if err != nil {
				return err
			}
			status := signInStatus{URL: s.credentials.URL, TokenSource: s.credentials.Source, Type: me.Type,
				Name:  me.Name,
				Email: me.Email, Organization: me.Organization.Name, Key: me.Key.Name, Scopes: me.Key.Scopes,
				ExpiresAt: me.Key.ExpiresAt}
			if s.credentials.Profile != "" {
				status.Profile = &s.credentials.Profile
			}
			if format.IsSet() {
				return format.Print(ctx, s.out, status)
			}
			return s.printSignIn(status)
		})
	output.Register[signInStatus](&format, cmd)
	cmd.Flags().Lookup("json").NoOptDefVal = strings.Join(output.Fields[signInStatus](), ",")
	return cmd
}

func (s *session) printSignIn(status signInStatus) error {
	who := status.Name
	if status.Email != nil {
		who += " <" + *status.Email + ">"
	}
	scopes := make([]string, len(status.Scopes))
	for i, scope := range status.Scopes {
		scopes[i] = string(scope)
	}
	expires := "never"
	if status.ExpiresAt != nil {
		expires = s.out.Time(status.ExpiresAt.Time)
	}
	return s.printPairs([][2]string{{"server", status.URL}, {"profile", deref(status.Profile)}, {"signed in as", who},
		{"organisation", status.Organization}, {"token", "from " + status.TokenSource}, {"key", status.Key},
		{"scopes", strings.Join(scopes, ", ")}, {"expires", expires}})
}

func newSwitch(s *session) *cobra.Command {
	return s.command("switch [PROFILE]", "Choose the profile of the commands that follow", atMostOne,
		func(_ context.Context, args []string) error {
			c, err := s.profiles.Load()
			if err != nil {
				return err
			}
			names := slices.Sorted(maps.Keys(c.Profiles))
			name := s.profileName
			switch {
			case len(args) > 0:
				name = args[0]
			case name == "" && len(names) == 2:
				name = names[0]
				if name == c.Current {
					name = names[1]
				}
			}
			if name == "" {
				return tree.Usagef("say which profile; there are %s", listed(names))
			}
			if !slices.Contains(names, name) {
				return &Failure{codeNotFound, errors.New("there is no profile " + name), "there are " + listed(names)}
			}
			if err := s.profiles.Switch(name); err != nil {
				return err
			}
			s.tell("Commands call %s now.", c.Profiles[name].URL)
			return nil
		})
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none: bugslice auth login adds one"
	}
	return strings.Join(names, ", ")
}

func newLogout(s *session) *cobra.Command {
	return s.changing(s.command("logout", "Revoke the key of a profile, and forget it", tree.NoArgs,
		func(ctx context.Context, _ []string) error {
			c, err := s.client()
			if err != nil {
				return err
			}
			if s.credentials.Source == "environment" {
				return tree.Usagef("the token is that of %s, which bugslice does not revoke; unset the variable",
					profile.EnvToken)
			}
			if s.dryRun {
				return s.printRequest(api.RevokeSelf{})
			}
			err = c.RevokeSelf(ctx, api.RevokeSelf{})
			if p, ok := errors.AsType[*api.Problem](err); ok && p.Status == 401 {
				err = nil // it ended before
			}
			if err != nil {
				return err
			}
			s.forget()
			if err := s.profiles.Remove(s.credentials.Profile); err != nil {
				return err
			}
			s.tell("Signed out of %s: the key is revoked.", s.credentials.URL)
			return nil
		}))
}
