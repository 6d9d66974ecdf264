package portable

import (
	"regexp"
	"strings"

	"bugslice/internal/id"
)

// idMap gives the records of an export the ids that they have in a workspace here. Each id is derived from the one
// in the export and from the workspace, and keeps its time, so that the same export always becomes the same records.
type idMap struct {
	workspaceID string
	users       map[string]string // users of this organisation, by their ids in the export
	local       map[string]bool   // their ids here
	disabled    map[string]bool   // the ids here of those who are disabled
}

func newIDMap(workspaceID string) *idMap {
	return &idMap{workspaceID: workspaceID, users: map[string]string{}, local: map[string]bool{},
		disabled: map[string]bool{}}
}

// addUser says who a user of the export is here.
func (m *idMap) addUser(exported, here string) { m.users[exported], m.local[here] = here, true }

// remappedIDs are the kinds of ids that a copy has of its own.
var remappedIDs = regexp.MustCompile(`\b(wsp|spc|viw|slc|cmt|att|evt|blb|usr)_[0-9a-hjkmnp-tv-z]{26}\b`)

// remap replaces an id, or every id in an address.
func (m *idMap) remap(text string) string {
	return remappedIDs.ReplaceAllStringFunc(text, func(exported string) string {
		prefix, _, _ := strings.Cut(exported, "_")
		switch prefix {
		case id.Workspace:
			return m.workspaceID
		case id.User:
			if here, ok := m.users[exported]; ok {
				return here
			}
			return exported
		}
		return id.Derive(prefix, exported, m.workspaceID)
	})
}

// remapped is remap for ids that may be missing.
func (m *idMap) remapped(text *string) *string {
	if text == nil {
		return nil
	}
	here := m.remap(*text)
	return &here
}

// remapAll is remap in place.
func (m *idMap) remapAll(all ...*string) {
	for _, text := range all {
		if text != nil {
			*text = m.remap(*text)
		}
	}
}

// person returns the id here of a user of the export, nil for anybody who is no user here: of them the name stays.
func (m *idMap) person(exported *string) *string {
	if here := m.remapped(exported); here != nil && m.local[*here] {
		return here
	}
	return nil
}

// mentionedIDs are mentions by id. Mentions by e-mail address stay as they are.
var mentionedIDs = regexp.MustCompile(`@(usr_[0-9a-hjkmnp-tv-z]{26})\b`)

// remapMentions replaces the ids of users that a comment mentions.
func (m *idMap) remapMentions(body string) string {
	return mentionedIDs.ReplaceAllStringFunc(body, func(mention string) string {
		if here, ok := m.users[mention[1:]]; ok {
			return "@" + here
		}
		return mention
	})
}
