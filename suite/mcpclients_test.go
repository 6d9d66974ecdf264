package suite

import (
	"os/exec"
	"strings"
	"testing"
)

// TestClientsOfAgents: clients of the Model Context Protocol of others use the tools over HTTP and by the command. make
// mcp-clients runs more of them.
func TestClientsOfAgents(t *testing.T) {
	t.Parallel()
	args := []string{"../tools/mcp/clients.mjs", binary, "@modelcontextprotocol/client", "@modelcontextprotocol/sdk",
		"bugslice mcp"}
	out, err := exec.CommandContext(t.Context(), "node", args...).CombinedOutput()
	if err != nil || strings.Count(string(out), "ok  ") != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}
