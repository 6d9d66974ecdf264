package tracker

import (
	"bytes"
	"context"
	"errors"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/media"
	"bugslice/internal/store"
)

// MaxPicture is the number of bytes that the picture of a user may have when it is uploaded.
const MaxPicture = 1 << 20

// pictureSide is the number of pixels of each side of a picture.
const pictureSide = 128

// SetPicture makes an image the picture of the calling user: its middle square, as a small JPEG without anything else
// of the file. Its fault names /picture.
func (t *Tracker) SetPicture(ctx context.Context, c access.Caller, v input.Valid[api.SetPicture], image []byte) (
	none api.Nothing, _ error,
) {
	if _, err := v.Value(c.Allow(api.OpSetPicture)); err != nil {
		return none, err
	}
	picture, err := t.squarePicture(ctx, c, image)
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpSetPicture, func(tx *access.Tx, c access.Caller) error {
		u, err := tx.User(c.ID)
		if err != nil {
			return err
		}
		return errors.Join(tx.Pictures().Set(u.ID, picture), t.recordPicture(tx, c, u, true))
	})
}

// squarePicture returns the picture of an image, which is decoded in a slot of the caller's organisation.
func (t *Tracker) squarePicture(ctx context.Context, c access.Caller, image []byte) ([]byte, error) {
	if len(image) > MaxPicture {
		return nil, api.InvalidMember("/picture", "too_long", "a picture may have at most 1 MiB")
	}
	slot, err := t.AcquireSlot(ctx, c)
	if err != nil {
		return nil, err
	}
	defer slot.Release()
	mediaType, _ := media.Detect(image[:min(len(image), 512)], "", "")
	picture, err := media.Square(ctx, bytes.NewReader(image), mediaType, pictureSide)
	switch {
	case errors.Is(err, media.ErrTooLarge):
		err = api.InvalidMember("/picture", "too_large", "the picture has too many pixels")
	case errors.Is(err, media.ErrUnknown), errors.Is(err, media.ErrMalformed):
		err = api.InvalidMember("/picture", "wrong_form", "this is no picture in PNG, JPEG, WebP or GIF")
	}
	return picture, err
}

// RemovePicture removes the picture of a user: of the caller, or of one whom the caller manages.
func (t *Tracker) RemovePicture(ctx context.Context, c access.Caller, v input.Valid[api.RemovePicture]) (
	none api.Nothing, _ error,
) {
	in, err := v.Value(c.Allow(api.OpRemovePicture))
	if err != nil {
		return none, err
	}
	return none, access.Change(ctx, t.access, c, api.OpRemovePicture, func(tx *access.Tx, c access.Caller) error {
		read := func() (store.User, error) { return managedUser(tx, c, in.UserID) }
		if in.UserID == c.ID {
			read = func() (store.User, error) { return tx.User(c.ID) }
		}
		u, err := read()
		if err != nil || u.Picture == "" {
			return err
		}
		return errors.Join(tx.Pictures().Remove(u.ID), t.recordPicture(tx, c, u, false))
	})
}

// recordPicture records whether a user has a picture now, and had one before.
func (t *Tracker) recordPicture(tx *access.Tx, c access.Caller, u store.User, has bool) error {
	subject := userSubject(u)
	subject["picture"] = has
	return t.recordAudit(tx, c, event{Type: api.EventUserUpdated, ID: u.ID, Subject: subject,
		Previous: map[string]any{"picture": u.Picture != ""}})
}

// GetPicture returns a picture of a user of the caller's organisation, by the name of the picture.
func (t *Tracker) GetPicture(ctx context.Context, c access.Caller, v input.Valid[api.GetPicture]) (api.Picture, error) {
	in, err := v.Value(c.Allow(api.OpGetPicture))
	if err != nil {
		return api.Picture{}, err
	}
	jpeg, err := t.access.Read(ctx).Pictures().Named(c.Organization.ID, in.Name)
	return api.Picture{JPEG: jpeg}, access.OrNotFound(err, "picture")
}

// PicturesOf returns the names of the pictures of those users of the caller's organisation who have one, by id.
func (t *Tracker) PicturesOf(ctx context.Context, c access.Caller, userIDs []string) (map[string]string, error) {
	if err := c.Allow(api.OpGetPicture); err != nil {
		return nil, err
	}
	return t.access.Read(ctx).Pictures().Of(c.Organization.ID, userIDs)
}
