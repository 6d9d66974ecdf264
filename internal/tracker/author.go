package tracker

import (
	"bugslice/api"
	"bugslice/internal/access"
)

// resolveMe replaces "me" in a filter by the caller's id.
func resolveMe(c access.Caller, ids []string) []string {
	return convert(ids, func(v string) string {
		if v == "me" {
			return c.ID
		}
		return v
	})
}

func reporter(c access.Caller) api.Reporter {
	r := api.Reporter{Type: string(c.Type), ID: &c.ID, Name: c.Name}
	if c.Type == access.OperatorCaller {
		r.Type, r.ID = "service", nil
	}
	if c.Type == access.GuestCaller { // the source is no person
		r.ID = nil
	}
	return r
}

func isAuthor(c access.Caller, m api.Comment) bool { return m.Author.ID != nil && *m.Author.ID == c.ID }

func creator(c access.Caller) (m api.KeyMaker) {
	if c.Type == access.UserCaller {
		m.UserID = &c.ID
	}
	if id := c.KeyID(); id != "" {
		m.KeyID = &id
	}
	return m
}
