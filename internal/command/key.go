package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/output"
	"bugslice/internal/command/tree"
	"bugslice/internal/query"
)

func newKey(s *session) *cobra.Command {
	list := listing[api.Key]{use: "list", short: "List your API keys, and the service tokens that you administer",
		args: tree.NoArgs,
		none: "There are no keys.",
		read: func(ctx context.Context, _ []string, limit int) ([]api.Key, error) {
			return all(ctx, s, api.ListKeys{}, limit)
		},
		columns: func(s *session) []output.Column[api.Key] {
			return []output.Column[api.Key]{
				{Title: "Name", Flexible: true, Cell: func(k api.Key) output.Cell { return text(k.Name) }},
				{Title: "Type", Cell: func(k api.Key) output.Cell { return text(string(k.Type)) }},
				{Title: "Ends in", Cell: func(k api.Key) output.Cell { return text(k.Last4) }},
				{Title: "Expires", Cell: func(k api.Key) output.Cell { return s.ago(k.ExpiresAt) }},
				{Title: "Last used", Optional: true, Cell: func(k api.Key) output.Cell { return s.ago(k.LastUsedAt) }},
				{Title: "Id", Optional: true, Cell: func(k api.Key) output.Cell {
					return output.Cell{Text: k.ID,
						Style: output.Dim}
				}},
			}
		}}
	return s.group("key", "Manage API keys", list.command(s), newKeyCreate(s), newKeyRotate(s), newKeyRevoke(s))
}

// keyFlags are the flags of key create.
type keyFlags struct {
	scopes  []string
	days    int
	service bool
	format  output.Format

	withholdGuests bool
	filesOnly      bool
}

func newKeyCreate(s *session) *cobra.Command {
	var f keyFlags
	cmd := s.changing(s.command("create NAME", "Create an API key, and print its token once", argument("name"),
		func(ctx context.Context, args []string) error {
			if err := f.format.Check(); err != nil {
				return err
			}
			in, err := f.input(ctx, s, args[0])
			if err != nil {
				return err
			}
			key, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			return s.printToken(ctx, &f.format, key)
		}))
	cmd.Example = "  bugslice key create CI --service --scope slices:read,slices:write --days 90"
	flags := cmd.Flags()
	flags.StringSliceVar(&f.scopes, "scope", nil, "`scope` of the key; repeatable; those of your key by default")
	flags.IntVar(&f.days, "days", 0, "days after which the key expires; 0 for when your key does")
	flags.BoolVar(&f.service, "service", false, "a service token of the workspace, instead of one that acts as you")
	flags.BoolVar(&f.withholdGuests, "withhold-guests", false,
		"withhold text of reporters without an account from agents that use the key")
	flags.BoolVar(&f.filesOnly, "files-only", false,
		"a key that others may read: it files reports with the scope slices:write, and does nothing else")
	flags.Lookup("scope").Annotations = map[string][]string{tree.Choices: api.Scope("").Values()}
	output.Register[api.NewKey](&f.format, cmd)
	return cmd
}

func (f *keyFlags) input(ctx context.Context, s *session, name string) (in api.CreateKey, err error) {
	in.Body = api.KeyFields{Name: name, Type: api.PAT, WithholdGuests: f.withholdGuests, FilesOnly: f.filesOnly}
	if in.Body.Scopes, err = parseScopes("--scope", f.scopes); err != nil {
		return in, err
	}
	if f.days != 0 {
		at := api.At(time.Now().Add(time.Duration(f.days) * 24 * time.Hour))
		in.Body.ExpiresAt = &at
	}
	if len(in.Body.Scopes) == 0 {
		me, err := s.whoAmI(ctx)
		if err != nil {
			return in, err
		}
		in.Body.Scopes = me.Key.Scopes
	}
	if f.service {
		w, err := s.workspace(ctx)
		if err != nil {
			return in, err
		}
		in.Body.Type, in.Body.WorkspaceID = api.WST, &w.ID
	}
	return in, nil
}

// parseScopes returns the scopes that a flag names.
func parseScopes(flag string, names []string) (scopes []api.Scope, err error) {
	for _, name := range names {
		if !slices.Contains(api.AllScopes(), api.Scope(name)) {
			return nil, tree.Usagef("%s: there is no scope %q; the scopes are %s", flag, name,
				strings.Join(api.Scope("").Values(), ", "))
		}
		scopes = append(scopes, api.Scope(name))
	}
	return scopes, nil
}

func (s *session) printToken(ctx context.Context, format *output.Format, key api.NewKey) error {
	if !format.IsSet() {
		s.tell("The key %s (%s). Its token is not shown again:", key.Name, key.ID)
	}
	return printRecord(ctx, s, format, key, key.Token)
}

// keyID returns the id of the key with a name or an id.
func (s *session) keyID(ctx context.Context, name string) (string, error) {
	if isID(name, "key") {
		return name, nil
	}
	keys, err := all(ctx, s, api.ListKeys{}, 0)
	if err != nil {
		return "", err
	}
	var found []query.Match
	for _, k := range keys {
		if strings.EqualFold(k.Name, name) {
			found = append(found, query.Match{ID: k.ID, Value: k.ID})
		}
	}
	return theOnly(found, "key", name)
}

func newKeyRotate(s *session) *cobra.Command {
	var grace time.Duration
	var format output.Format
	cmd := s.changing(s.command("rotate KEY", "Give a key a new token, and print it once", argument("key"),
		func(ctx context.Context, args []string) error {
			if err := format.Check(); err != nil {
				return err
			}
			id, err := s.keyID(ctx, args[0])
			if err != nil {
				return err
			}
			in := api.RotateKey{KeyID: id, Body: &api.RotateFields{GracePeriodSeconds: int64(grace / time.Second)}}
			key, done, err := change(ctx, s, in)
			if err != nil || !done {
				return err
			}
			return s.printToken(ctx, &format, key)
		}))
	cmd.Flags().DurationVar(&grace, "grace", 0, "time for which the former token stays valid, up to 168h")
	output.Register[api.NewKey](&format, cmd)
	return cmd
}

func newKeyRevoke(s *session) *cobra.Command {
	var yes bool
	cmd := s.changing(s.command("revoke KEY", "Revoke a key, at once", argument("key"), func(ctx context.Context,
		args []string) error {
		id, err := s.keyID(ctx, args[0])
		if err != nil {
			return err
		}
		if !yes && !s.dryRun {
			if err := s.confirm(ctx, "Revoke the key "+args[0]+"?"); err != nil {
				return err
			}
		}
		_, done, err := change(ctx, s, api.RevokeKey{KeyID: id})
		if err != nil || !done {
			return err
		}
		return s.out.Line(s.out.Out, "Revoked the key %s.", args[0])
	}))
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}
