package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/operator"
	"bugslice/internal/store"
)

func errNoOrganization(id string) error {
	return fmt.Errorf("there is no organisation %s; bugslice org list shows them", id)
}

// operatorFor returns the operator of the named organisation. Without a name, the organisation is that of the first
// workspace or, without workspaces, the only one of the instance. It refuses to choose between several.
func (in *instance) operatorFor(ctx context.Context, org string, workspaces []string) (none operator.Organization, err error) {
	if org == "" && len(workspaces) > 0 {
		return in.operator.InOrganizationOf(ctx, workspaces[0])
	}
	organizations, err := in.operator.Organizations(ctx)
	switch {
	case err != nil:
		return none, err
	case len(organizations) == 0:
		return none, errors.New("this database has no organisation yet; bugslice bootstrap creates the first one")
	case org == "" && len(organizations) > 1:
		return none, usagef("this instance has %d organisations; say which with --org", len(organizations))
	case org == "":
		return in.operator.In(organizations[0]), nil
	}
	i := slices.IndexFunc(organizations, func(o api.OrganizationRef) bool { return o.ID == org })
	if i < 0 {
		return none, errNoOrganization(org)
	}
	return in.operator.In(organizations[i]), nil
}

// userID returns the id of a user for an id or an e-mail address.
func (in *instance) userID(ctx context.Context, idOrEmail string) (string, error) {
	if !strings.Contains(idOrEmail, "@") {
		return idOrEmail, nil
	}
	u, err := in.store.Read(ctx).UserByEmail(strings.ToLower(strings.TrimSpace(idOrEmail)))
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no user %s; bugslice user list shows them", idOrEmail)
	}
	return u.ID, err
}

// workspace returns the id of a workspace for an id or a name, and the operator of its organisation. It refuses a name
// that several workspaces have.
func (in *instance) workspace(ctx context.Context, idOrName string) (to operator.Organization, id string, err error) {
	if id = idOrName; !strings.HasPrefix(idOrName, "wsp_") {
		if id, err = in.workspaceNamed(ctx, idOrName); err != nil {
			return to, "", err
		}
	}
	to, err = in.operator.InOrganizationOf(ctx, id)
	return to, id, err
}

// workspaceNamed returns the id of the only workspace with a name.
func (in *instance) workspaceNamed(ctx context.Context, name string) (string, error) {
	organizations, err := in.operator.Organizations(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, o := range organizations {
		workspaces, err := in.store.Read(ctx).WorkspacesIn(o.ID)
		if err != nil {
			return "", err
		}
		for _, w := range workspaces {
			if w.Name == name {
				ids = append(ids, w.ID)
			}
		}
	}
	switch len(ids) {
	case 0:
		return "", fmt.Errorf("there is no workspace %s; bugslice workspace list shows them", name)
	case 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("%d workspaces are called %s; say which by its id: %s", len(ids), name, strings.Join(ids, ", "))
}
