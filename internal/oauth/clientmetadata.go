package oauth

import (
	"slices"
	"strings"
	"unicode"

	"bugslice/internal/schema"
)

// Client is a program that asks for keys. Its name is what it calls itself.
type Client struct {
	ID, Name  string
	Host      string // that serves its document; empty for a program that has registered itself, of which nothing is known
	Redirects []string
}

// redirect returns the address to which an authorization is sent: the one that is asked for, or the only one of the
// client.
func (c Client) redirect(asked string) (string, error) {
	switch {
	case asked == "" && len(c.Redirects) == 1:
		return c.Redirects[0], nil
	case asked != "" && slices.ContainsFunc(c.Redirects, func(r string) bool { return matches(r, asked) }):
		return asked, nil
	}
	return "", refuse("invalid_request", "The redirect_uri is none of those that the client has registered.")
}

// Metadata is what a program says of itself (RFC 7591). Members that make no difference here are not read.
type Metadata struct {
	ClientID    string   `json:"client_id,omitempty"` // of a document
	Name        string   `json:"client_name"`
	Redirects   []string `json:"redirect_uris"`
	AuthMethod  string   `json:"token_endpoint_auth_method"`
	GrantTypes  []string `json:"grant_types"`
	Responses   []string `json:"response_types"`
	ClientURI   string   `json:"client_uri,omitempty"`
	SoftwareID  string   `json:"software_id,omitempty"`
	IssuedAt    int64    `json:"client_id_issued_at,omitempty"`
	Application string   `json:"application_type,omitempty"`
}

const maxRedirects = 20

// check refuses a program whose redirects are not allowed, and names one that does not name itself.
func (m *Metadata) check() error {
	if len(m.Redirects) == 0 || len(m.Redirects) > maxRedirects {
		return refuse("invalid_redirect_uri", "Name 1 to 20 redirect_uris.")
	}
	for _, r := range m.Redirects {
		if err := checkRedirect(r); err != nil {
			return err
		}
	}
	if len(m.GrantTypes) > 0 && !slices.Contains(m.GrantTypes, "authorization_code") {
		return refuse("invalid_client_metadata", "The grant_types must have authorization_code.")
	}
	m.Name = cleanName(m.Name)
	return nil
}

const maxClientName = 60

// cleanName returns the name of a program as users are shown it: one line that hides nothing.
func cleanName(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	name = truncate(name, maxClientName)
	if schema.CheckName(name) != nil {
		return "A program"
	}
	return name
}

// truncate returns the first characters of a text that has more than a limit.
func truncate(text string, limit int) string {
	if r := []rune(text); len(r) > limit {
		return strings.TrimSpace(string(r[:limit-1])) + "…"
	}
	return text
}

// keyName returns the name of a key that is made for a program: what it calls itself, and what is known of it.
func keyName(name, where string) string {
	const most, mostWhere = 100, 36 // of a long host the end is known, which says whose it is
	if r := []rune(where); len(r) > mostWhere {
		where = "…" + string(r[len(r)-mostWhere:])
	}
	if where != "" {
		name += " (" + where + ")"
	}
	return truncate(name, most)
}
