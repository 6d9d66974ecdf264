package oauth

import "bugslice/api"

// MCP is the path of the resource for which clients of MCP ask.
const MCP = "/mcp"

// The paths of the endpoints. Users open AuthorizePath and DevicePath.
const (
	AuthorizePath = "/oauth/authorize"
	DevicePath    = "/device"
	TokenPath     = "/oauth/token"
	StartPath     = "/oauth/device"
	RegisterPath  = "/oauth/register"
	RevokePath    = "/oauth/revoke"
	ServerPath    = "/.well-known/oauth-authorization-server"
	ResourcePath  = "/.well-known/oauth-protected-resource"
)

// ServerMetadata describes the authorisation server (RFC 8414).
func (s *Server) ServerMetadata() map[string]any {
	return map[string]any{
		"issuer":                                         s.BaseURL,
		"authorization_endpoint":                         s.BaseURL + AuthorizePath,
		"token_endpoint":                                 s.BaseURL + TokenPath,
		"registration_endpoint":                          s.BaseURL + RegisterPath,
		"revocation_endpoint":                            s.BaseURL + RevokePath,
		"device_authorization_endpoint":                  s.BaseURL + StartPath,
		"scopes_supported":                               api.AllScopes(),
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{GrantCode, GrantRefresh, GrantDevice},
		"token_endpoint_auth_methods_supported":          []string{"none"},
		"revocation_endpoint_auth_methods_supported":     []string{"none"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          true,
		"service_documentation":                          s.BaseURL + "/docs",
	}
}

// ResourceMetadata describes a resource of this server by its path (RFC 9728): MCP, or all of it.
func (s *Server) ResourceMetadata(path string) map[string]any {
	return map[string]any{
		"resource":                 s.BaseURL + path,
		"resource_name":            "Bugslice",
		"authorization_servers":    []string{s.BaseURL},
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         OfferedScopes,
		"resource_documentation":   s.BaseURL + "/docs",
	}
}
