package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bugslice/internal/operator"
	"bugslice/internal/store"
)

func errNoOrganization(id string) error {
	return fmt.Errorf("there is no organisation %s; bugslice org list shows them", id)
}

// operatorFor returns the operator of the named organisation, of the workspaces' organisation, or of the only one.
func (in *instance) operatorFor(ctx context.Context, org string, workspaces []string) (none operator.Organization, err error) {
	if org == "" && len(workspaces) > 0 {
		return in.operator.InOrganizationOf(ctx, workspaces[0])
	}
	organizations, err := in.operator.Organizations(ctx)
	if err != nil {
		return none, err
	}
	for _, o := range organizations {
		if o.ID == org || org == "" && len(organizations) == 1 {
			return in.operator.In(o), nil
		}
	}
	switch {
	case len(organizations) == 0:
		return none, errors.New("this database has no organisation yet; bugslice bootstrap creates the first one")
	case org == "":
		return none, usagef("this instance has %d organisations; say which with --org", len(organizations))
	}
	return none, errNoOrganization(org)
}

// userID returns the id of a user, who is given by it or by an e-mail address.
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

// workspace returns the id of a workspace, which is given by it or by a unique name, and the operator of its
// organisation.
func (in *instance) workspace(ctx context.Context, idOrName string) (to operator.Organization, id string, err error) {
	to, err = in.operator.InOrganizationOf(ctx, idOrName)
	if err == nil || strings.HasPrefix(idOrName, "wsp_") {
		return to, idOrName, err
	}
	organizations, err := in.operator.Organizations(ctx)
	if err != nil {
		return to, "", err
	}
	var ids []string
	for _, o := range organizations {
		workspaces, err := in.store.Read(ctx).WorkspacesIn(o.ID)
		if err != nil {
			return to, "", err
		}
		for _, w := range workspaces {
			if w.Name == idOrName {
				to, ids = in.operator.In(o), append(ids, w.ID)
			}
		}
	}
	switch len(ids) {
	case 0:
		return to, "", fmt.Errorf("there is no workspace %s; bugslice workspace list shows them", idOrName)
	case 1:
		return to, ids[0], nil
	}
	return to, "", fmt.Errorf("%d workspaces are called %s; say which by its id: %s", len(ids), idOrName, strings.Join(ids, ", "))
}
