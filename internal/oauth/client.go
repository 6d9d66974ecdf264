package oauth

import (
	"context"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// client returns the client with an id: the URL of a metadata document, or what Register has returned.
func (s *Server) client(ctx context.Context, clientID string) (Client, error) {
	if strings.HasPrefix(clientID, "https://") {
		return s.documents.get(ctx, clientID)
	}
	if !id.Valid(id.OAuthClient, clientID) {
		return Client{}, errUnknownClient
	}
	c, err := s.rights.Read(ctx).OAuthClient(clientID)
	return Client{ID: c.ID, Name: c.Name, Redirects: c.Redirects}, orUnknown(err, errUnknownClient)
}

// Register stores a program that registers itself (RFC 7591), which comes from a network. It is a public client,
// whatever it asks for.
func (s *Server) Register(ctx context.Context, network string, m Metadata) (Metadata, error) {
	if err := m.check(); err != nil {
		return Metadata{}, err
	}
	if err := s.Tracker.CheckDisk(api.OpCreateKey); err != nil {
		return Metadata{}, err
	}
	c := store.OAuthClient{ID: id.New(id.OAuthClient), Name: m.Name, Redirects: m.Redirects, Network: network,
		CreatedAt: s.clock()}
	err := access.SystemChange(ctx, s.authority, func(tx *access.Tx) error {
		all, here, err := tx.UnusedClients(network)
		switch {
		case err != nil:
			return err
		case here.Count >= maxWaitingNetwork:
			return s.busy("this network", here.Oldest.Add(tracker.UnusedClientAge))
		case all.Count >= maxWaiting:
			return s.busy("all networks", all.Oldest.Add(tracker.UnusedClientAge))
		}
		return tx.InsertOAuthClient(c)
	})
	return Metadata{ClientID: c.ID, Name: c.Name, Redirects: c.Redirects, AuthMethod: "none",
		Responses:  []string{"code"},
		GrantTypes: []string{"authorization_code", "refresh_token"}, IssuedAt: c.CreatedAt.Unix(),
		ClientURI:  m.ClientURI,
		SoftwareID: m.SoftwareID, Application: m.Application}, err
}
