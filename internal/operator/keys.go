package operator

import (
	"context"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// CreateKey creates a service token of the workspace that fields name, or a personal access token of a user. It
// refuses a user of another organisation, and one who is disabled.
func (o Organization) CreateKey(ctx context.Context, fields api.KeyFields, userID string) (k api.NewKey, err error) {
	if err := checkName("the key's name", fields.Name); err != nil {
		return k, err
	}
	err = o.InTransaction(ctx, func(tx *tracker.OperatorTx) error {
		if fields.WorkspaceID != nil {
			if err := tx.CheckWorkspace(*fields.WorkspaceID); err != nil {
				return err
			}
		} else if err := checkKeyUser(tx, userID); err != nil {
			return err
		}
		k, err = tx.MintKey(fields, userID)
		return err
	})
	return k, err
}

// checkKeyUser refuses a user of another organisation, and one who is disabled.
func checkKeyUser(tx *tracker.OperatorTx, userID string) error {
	u, err := tx.LockUser(userID)
	if err == nil && u.OrgID != tx.Organization().ID {
		err = errors.New("this user belongs to another organisation")
	}
	if err == nil && u.DisabledAt != nil {
		err = errors.New("this user is disabled, so a key would not work; bugslice admin user enable lets the user in again")
	}
	return err
}

// RotateAnyKey gives a key a new token. The former one stays valid for the grace period.
func (o Operator) RotateAnyKey(ctx context.Context, keyID string, grace time.Duration) (k api.NewKey, err error) {
	return k, o.changeKey(ctx, keyID, func(tx *tracker.OperatorTx) error {
		k, err = tx.RotateKey(keyID, grace)
		return err
	})
}

// RevokeAnyKey revokes a key with all its tokens.
func (o Operator) RevokeAnyKey(ctx context.Context, keyID string) error {
	return o.changeKey(ctx, keyID, func(tx *tracker.OperatorTx) error { return tx.RevokeKey(keyID) })
}

// changeKey applies a change to a key in its organisation.
func (o Operator) changeKey(ctx context.Context, keyID string, apply func(*tracker.OperatorTx) error) error {
	in, err := o.InOrganizationOfKey(ctx, keyID)
	if err != nil {
		return err
	}
	return in.InTransaction(ctx, apply)
}
