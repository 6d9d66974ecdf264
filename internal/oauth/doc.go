// Package oauth lets users give programs keys without copying a token: the device flow of the command line (RFC
// 8628), and OAuth 2.1 for clients of MCP. It is one authorisation server, whose result is an API key in all but its
// making.
//
// A user allows a program by ApproveDevice or Approve, with a session and a recent proof of the password. Both create
// the key by tracker.CreateGrantedKey, so that its rules, its limits and its audit are those of every key. The
// program then fetches a token of the key by a code, once, through Token. That of a client of MCP lapses after an
// hour, and a refresh token gives the next one; it ends with the key. What is stored of codes and refresh tokens are
// hashes.
//
// Refused are, among others: a redirect that the client has not registered, an authorization without PKCE by S256,
// and another resource than this server. A code or a refresh token that is used twice was stolen from somebody, so it
// ends the key.
package oauth
