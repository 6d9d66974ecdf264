package tracker

import (
	"encoding/base64"
	"slices"
	"strings"
)

const (
	devicePurpose  = "device"
	maxDeviceUsers = 8 // of one browser
)

// markDevice returns the mark of a browser in which a user has signed in. It contains the ids of the users who have, the
// last one first, and nobody can make or read one without the secrets of the instance.
func (t *Tracker) markDevice(mark, userID string) string {
	others := slices.DeleteFunc(t.deviceUsers(mark), func(id string) bool { return id == userID })
	users := append([]string{userID}, others[:min(len(others), maxDeviceUsers-1)]...)
	return base64.RawURLEncoding.EncodeToString(t.secrets.Seal(devicePurpose, []byte(strings.Join(users, " ")), nil))
}

// deviceUsers returns the ids of the users who have signed in in the browser with a mark, none for a mark that is not ours.
func (t *Tracker) deviceUsers(mark string) []string {
	sealed, err := base64.RawURLEncoding.DecodeString(mark)
	if err != nil {
		return nil
	}
	users, err := t.secrets.Open(devicePurpose, sealed, nil)
	if err != nil {
		return nil
	}
	return strings.Fields(string(users))
}
