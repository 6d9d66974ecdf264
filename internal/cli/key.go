package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/operator"
	"bugslice/internal/store"
)

func newKey(env environment, s Streams) *cobra.Command {
	return tree.Group("key", "Manage API keys on the database, also those of others", newKeyList(env, s),
		newKeyCreate(env, s),
		keyChange{"rotate", "Give a key a new token; the former one ends at once, or after --grace", true,
			func(ctx context.Context, o operator.Operator, keyID string, grace time.Duration) (string, error) {
				k, err := o.RotateAnyKey(ctx, keyID, grace)
				return "token " + k.Token + "\n\nStore the token now: it is not shown again.", err
			}}.command(env, s),
		keyChange{"revoke", "Revoke a key with all its tokens, at once", false,
			func(ctx context.Context, o operator.Operator, keyID string, _ time.Duration) (string, error) {
				return "revoked " + keyID, o.RevokeAnyKey(ctx, keyID)
			}}.command(env, s))
}

// keyLine is a key with its owner: the e-mail address of a user, or the name of a workspace.
type keyLine struct {
	api.Key
	Owner          string `json:"owner"`
	OrganizationID string `json:"organizationId"`
}

// keyLines returns the keys of an organisation that are not revoked, oldest first.
func keyLines(ctx context.Context, in *instance, o api.OrganizationRef) ([]keyLine, error) {
	q := in.store.Read(ctx)
	keys, err := q.KeysIn(o.ID)
	if err != nil {
		return nil, err
	}
	owners, err := ownerNames(q, o.ID)
	var lines []keyLine
	for _, k := range keys {
		owner := k.UserID
		if owner == nil {
			owner = k.WorkspaceID
		}
		lines = append(lines, keyLine{k.Key, owners[*owner], k.OrgID})
	}
	return lines, err
}

// ownerNames returns the e-mail addresses of users and the names of workspaces by their ids.
func ownerNames(q store.Queries, orgID string) (map[string]string, error) {
	names := map[string]string{}
	users, err := q.Users(orgID)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		names[u.ID] = u.Email
	}
	workspaces, err := q.WorkspacesIn(orgID)
	for _, w := range workspaces {
		names[w.ID] = w.Name
	}
	return names, err
}

func newKeyList(env environment, s Streams) *cobra.Command {
	return listing[keyLine]{
		short:   "List the API keys that are not revoked, without their tokens",
		columns: []any{"ID", "NAME", "TYPE", "OWNER", "ENDS IN", "EXPIRES", "LAST USED"},
		read:    keyLines,
		cells: func(k keyLine) []any {
			return []any{k.ID, k.Name, k.Type, k.Owner, k.Last4, orDash(k.ExpiresAt), orDash(k.LastUsedAt)}
		},
	}.command(env, s)
}

// keyFlags are the flags of key create.
type keyFlags struct {
	instanceFlags
	user, workspace, name string
	scopes                []string
	days                  int64
	asJSON                bool
	withholdGuests        bool
	filesOnly             bool
}

func newKeyCreate(env environment, s Streams) *cobra.Command {
	var f keyFlags
	const short = "Create a personal access token of a user, or a service token of a workspace"
	cmd := env.command("create", short, func(ctx context.Context) error {
		fields, err := f.fields()
		if err != nil {
			return err
		}
		return f.withExisting(ctx, env, func(in *instance) error {
			k, err := f.create(ctx, in, fields)
			if err != nil {
				return err
			}
			if f.asJSON {
				return printJSON(s.Out, k)
			}
			return printCredentials(s.Out, [][2]string{{"key", k.ID}, {"token", k.Token}})
		})
	}, "name")
	cmd.Example = "  bugslice admin key create --user ada@acme.example --name Laptop\n" +
		"  bugslice admin key create --workspace Web --name CI --scope slices:read,slices:write --days 90"
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.user, "user", "", "id or e-mail address of the user as whom a personal access token acts")
	flags.StringVar(&f.workspace, "workspace", "", "id or name of the workspace of a service token")
	flags.StringVar(&f.name, "name", "", "name of the key")
	flags.StringSliceVar(&f.scopes, "scope", nil, "scope, such as slices:read; repeatable; every scope when empty")
	flags.Int64Var(&f.days, "days", 0, "days after which the key expires; 0 for never")
	flags.BoolVar(&f.withholdGuests, "withhold-guests", false,
		"withhold text of reporters without an account from agents that use the key")
	flags.BoolVar(&f.filesOnly, "files-only", false,
		"a key that others may read: it files reports with the scope slices:write, and does nothing else")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return cmd
}

// fields validates the flags, and returns the fields of the key without its workspace.
func (f *keyFlags) fields() (fields api.KeyFields, err error) {
	if (f.user == "") == (f.workspace == "") {
		return fields, tree.Usagef("one of --user and --workspace is required")
	}
	if f.days < 0 || f.days > 36500 {
		return fields, tree.Usagef("--days must be a number of days from 0 to 36500, not %d", f.days)
	}
	fields = api.KeyFields{Name: f.name, Type: api.PAT, Scopes: api.AllScopes(), WithholdGuests: f.withholdGuests,
		FilesOnly: f.filesOnly}
	if f.workspace != "" {
		fields.Type = api.WST
	}
	if f.days > 0 {
		expires := api.At(time.Now().Add(time.Duration(f.days) * 24 * time.Hour))
		fields.ExpiresAt = &expires
	}
	if len(f.scopes) == 0 {
		return fields, nil
	}
	for _, text := range f.scopes {
		if !slices.Contains(api.AllScopes(), api.Scope(text)) {
			return fields, tree.Usagef("--scope: there is no scope %q; the scopes are %s", text,
				strings.Join(api.Scope("").Values(), ", "))
		}
	}
	fields.Scopes = slices.DeleteFunc(fields.Scopes,
		func(s api.Scope) bool { return !slices.Contains(f.scopes, string(s)) })
	return fields, nil
}

// create creates the key.
func (f *keyFlags) create(ctx context.Context, in *instance, fields api.KeyFields) (api.NewKey, error) {
	if f.workspace != "" {
		to, workspaceID, err := in.workspace(ctx, f.workspace)
		if err != nil {
			return api.NewKey{}, err
		}
		fields.WorkspaceID = &workspaceID
		return to.CreateKey(ctx, fields, "")
	}
	userID, err := in.userID(ctx, f.user)
	if err != nil {
		return api.NewKey{}, err
	}
	to, err := in.operator.InOrganizationOfUser(ctx, userID)
	if err != nil {
		return api.NewKey{}, err
	}
	return operator.Organization{OrganizationOperator: to}.CreateKey(ctx, fields, userID)
}

// keyChange is a command that changes one key and prints the result.
type keyChange struct {
	use, short string
	hasGrace   bool
	change     func(ctx context.Context, o operator.Operator, keyID string, grace time.Duration) (result string,
		err error)
}

func (c keyChange) command(env environment, s Streams) *cobra.Command {
	var flags instanceFlags
	var key string
	var grace time.Duration
	cmd := env.command(c.use, c.short, func(ctx context.Context) error {
		if grace < 0 || grace > 7*24*time.Hour {
			return tree.Usagef("--grace must be a duration from 0s to 168h, not %s", grace)
		}
		return flags.withExisting(ctx, env, func(in *instance) error {
			id, err := in.keyID(ctx, key)
			if err != nil {
				return err
			}
			result, err := c.change(ctx, in.operator, id, grace)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(s.Out, result)
			return err
		})
	}, "key")
	cmd.Example = "  bugslice admin key " + c.use + " --key CI"
	flags.register(cmd)
	cmd.Flags().StringVar(&key, "key", "", "id or name of the key")
	if c.hasGrace {
		cmd.Flags().DurationVar(&grace, "grace", 0, "time for which the former token stays valid, up to 168h")
	}
	return cmd
}

// keyID returns the id of a key for an id or a name. It refuses a name that several keys have.
func (in *instance) keyID(ctx context.Context, idOrName string) (string, error) {
	if strings.HasPrefix(idOrName, "key_") {
		return idOrName, nil
	}
	organizations, err := in.operator.Organizations(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, o := range organizations {
		keys, err := in.store.Read(ctx).KeysIn(o.ID)
		if err != nil {
			return "", err
		}
		for _, k := range keys {
			if k.Name == idOrName {
				ids = append(ids, k.ID)
			}
		}
	}
	return only(ids, "key", idOrName)
}
