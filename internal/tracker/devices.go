package tracker

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"bugslice/internal/store"
)

const (
	devicePurpose  = "device"
	maxDeviceUsers = 8 // of one browser
)

// deviceMark says that a user has signed in in a browser. It ends with the sessions of the user: when the password
// changes.
type deviceMark struct {
	userID, epoch string
	id            string // random, and new at each sign-in
}

// markDevice returns the sealed marks of a browser in which a user has signed in, the mark of this user first. Nobody
// can make or read a mark without the secrets of the instance.
func (t *Tracker) markDevice(sealed string, u store.User) string {
	marks := slices.DeleteFunc(t.deviceMarks(sealed), func(m deviceMark) bool { return m.userID == u.ID })
	own := deviceMark{userID: u.ID, epoch: strconv.FormatInt(u.SessionEpoch, 10), id: rand.Text()}
	marks = append([]deviceMark{own}, marks[:min(len(marks), maxDeviceUsers-1)]...)
	var text strings.Builder
	for _, m := range marks {
		text.WriteString(m.userID + ":" + m.epoch + ":" + m.id + " ")
	}
	return t.seal(devicePurpose, "", text.String())
}

// deviceMark returns the mark of a user in a browser; ok is false when the user has not signed in there since the
// sessions of the user ended last.
func (t *Tracker) deviceMark(sealed string, u store.User) (mark deviceMark, ok bool) {
	for _, m := range t.deviceMarks(sealed) {
		if m.userID == u.ID && m.epoch == strconv.FormatInt(u.SessionEpoch, 10) {
			return m, true
		}
	}
	return deviceMark{}, false
}

// deviceMarks returns the marks of a browser, or none for a text that this instance has not sealed.
func (t *Tracker) deviceMarks(sealed string) (marks []deviceMark) {
	text, err := t.unseal(devicePurpose, "", sealed)
	if err != nil {
		return nil
	}
	for _, word := range strings.Fields(text) {
		if parts := strings.Split(word, ":"); len(parts) == 3 {
			marks = append(marks, deviceMark{userID: parts[0], epoch: parts[1], id: parts[2]})
		}
	}
	return marks
}
