package mcp

import (
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
	"bugslice/client"
)

// Options are what a server is made from.
type Options struct {
	Client         *client.Client
	Scopes         []api.Scope // of the key
	Version        string      // of the program
	ReadOnly       bool        // lists no tool that changes something
	WithholdGuests bool        // withholds text and evidence of reporters without an account
}

// session is what the tools of a server share.
type session struct{ Options }

// may reports whether the key has the scopes of an operation.
func (s *session) may(operation string) bool {
	return !slices.ContainsFunc(api.Lookup(operation).Scopes(), func(scope api.Scope) bool {
		return !slices.Contains(s.Scopes, scope)
	})
}

// textResult returns a text as the result of a tool.
func textResult(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// dataResult returns data, which the schema of the tool describes, and as text for clients that know no data.
func dataResult(data any) (*sdk.CallToolResult, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	result := textResult(string(text))
	result.StructuredContent = data
	return result, nil
}
