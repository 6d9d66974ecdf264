package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/internal/operator"
	"bugslice/internal/store"
)

// organizations returns the organisation with an id or a name, or all organisations when it is empty. It refuses a
// name that several organisations have.
func (in *instance) organizations(ctx context.Context, idOrName string) ([]api.OrganizationRef, error) {
	all, err := in.operator.Organizations(ctx)
	if err != nil || idOrName == "" {
		return all, err
	}
	found := slices.DeleteFunc(all, func(o api.OrganizationRef) bool { return o.ID != idOrName && o.Name != idOrName })
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("there is no organisation %s; bugslice admin org list shows them", idOrName)
	case 1:
		return found, nil
	}
	return nil, fmt.Errorf("%d organisations are called %s; say which by its id: bugslice admin org list shows them",
		len(found), idOrName)
}

// operatorFor returns the operator of an organisation, and the ids of workspaces. Each is given by its id or its
// name. Without an organisation it is that of the first workspace or, without workspaces, the only one of the
// instance. It refuses to choose between several.
func (in *instance) operatorFor(ctx context.Context, org string, workspaces []string) (
	to operator.Organization, workspaceIDs []string, err error,
) {
	for _, w := range workspaces {
		id, err := in.workspaceID(ctx, org, w)
		if err != nil {
			return to, nil, err
		}
		workspaceIDs = append(workspaceIDs, id)
	}
	if org == "" && len(workspaceIDs) > 0 {
		to, err = in.operator.InOrganizationOf(ctx, workspaceIDs[0])
		return to, workspaceIDs, err
	}
	organizations, err := in.organizations(ctx, org)
	switch {
	case err != nil:
		return to, nil, err
	case len(organizations) == 0:
		return to, nil, errors.New("this database has no organisation yet; bugslice bootstrap creates the first one")
	case len(organizations) > 1:
		return to, nil, tree.Usagef("this instance has %d organisations; say which with --org", len(organizations))
	}
	return in.operator.In(organizations[0]), workspaceIDs, nil
}

// userID returns the id of a user for an id or an e-mail address.
func (in *instance) userID(ctx context.Context, idOrEmail string) (string, error) {
	if !strings.Contains(idOrEmail, "@") {
		return idOrEmail, nil
	}
	u, err := in.store.Read(ctx).UserByEmail(strings.ToLower(strings.TrimSpace(idOrEmail)))
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no user %s; bugslice admin user list shows them", idOrEmail)
	}
	return u.ID, err
}

// workspace returns the id of a workspace for an id or a name, and the operator of its organisation.
func (in *instance) workspace(ctx context.Context, idOrName string) (to operator.Organization, id string, err error) {
	to, ids, err := in.operatorFor(ctx, "", []string{idOrName})
	if err != nil {
		return to, "", err
	}
	return to, ids[0], nil
}

// workspaceID returns the id of a workspace from its id or its name, in an organisation or in all of them. It refuses
// a name that several workspaces have.
func (in *instance) workspaceID(ctx context.Context, org, idOrName string) (string, error) {
	if strings.HasPrefix(idOrName, "wsp_") {
		return idOrName, nil
	}
	organizations, err := in.organizations(ctx, org)
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
			if w.Name == idOrName {
				ids = append(ids, w.ID)
			}
		}
	}
	return only(ids, "workspace", idOrName)
}

// only returns the only id of records with a name. noun names a group of commands.
func only(ids []string, noun, name string) (string, error) {
	switch len(ids) {
	case 0:
		return "", fmt.Errorf("there is no %s %s; bugslice admin %s list shows them", noun, name, noun)
	case 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("%d %ss are called %s; say which by its id: %s", len(ids), noun, name,
		strings.Join(ids, ", "))
}
