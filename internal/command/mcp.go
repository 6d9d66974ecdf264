package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/profile"
	"bugslice/internal/command/tree"
)

func newMCP(s *session) *cobra.Command {
	var readOnly, withholdGuests bool
	cmd := s.command("mcp", "Serve the tools of agents on standard input and output (MCP)", tree.NoArgs,
		func(ctx context.Context, _ []string) error {
			query := url.Values{}
			for name, set := range map[string]bool{"readOnly": readOnly, "withholdGuests": withholdGuests} {
				if set {
					query.Set(name, "true")
				}
			}
			return serveMCP(ctx, s, query)
		})
	cmd.Long = "Serve the tools of agents on standard input and output, by the Model Context Protocol: an agent starts this " +
		"command. It passes each message to the server of the profile, with its key, so that the tools are those that " +
		"the scopes of the key allow. Agents that speak HTTP need no command: they connect to /mcp of the server."
	cmd.Example = "  bugslice mcp --read-only"
	s.serverFlags(cmd)
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "leave out the tools that change something")
	cmd.Flags().BoolVar(&withholdGuests, "withhold-guests", false,
		"withhold text and evidence of reporters without an account")
	return cmd
}

// serveMCP passes the messages of an agent to the server until the agent closes standard input, and answers all of them.
func serveMCP(ctx context.Context, s *session, query url.Values) error {
	if _, err := s.client(); err != nil {
		return err
	}
	if s.env.Streams.In == nil {
		return tree.Usagef("there is no standard input; an agent starts this command")
	}
	b := &bridge{to: s.credentials, query: query, out: s.out.Out, pending: map[string]context.CancelFunc{},
		http: &http.Client{Timeout: 5 * time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}}
	_, err := interruptible(ctx, func() (struct{}, error) { return struct{}{}, b.run(ctx, s.env.Streams.In) })
	return err
}

// bridge passes messages of the Model Context Protocol from a stream of lines to an endpoint over HTTP.
type bridge struct {
	to    profile.Credentials
	query url.Values
	http  *http.Client
	out   io.Writer

	waiting sync.WaitGroup
	mu      sync.Mutex
	version string                        // of the protocol, as the server has answered
	pending map[string]context.CancelFunc // of requests, by their ids
}

// maxMessage is the size of the largest message of an agent in bytes.
const maxMessage = 1 << 20

// message has the parts of a message that the bridge needs.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		URI       string          `json:"uri"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`
}

// run passes each line to the server. A request waits for no other one, but for initialize, whose answer has the
// version of the protocol.
func (b *bridge) run(ctx context.Context, in io.Reader) error {
	defer b.waiting.Wait()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		line := bytes.Clone(bytes.TrimSpace(lines.Bytes()))
		var m message
		_ = json.Unmarshal(line, &m) // the server refuses what is no message
		switch {
		case len(line) == 0:
		case m.Method == "notifications/cancelled":
			b.cancel(m.Params.RequestID)
		case m.Method == "initialize" || m.ID == nil:
			b.pass(ctx, m, line)
		default:
			b.waiting.Go(func() { b.pass(ctx, m, line) })
		}
	}
	return lines.Err()
}

// cancel ends the request with an id.
func (b *bridge) cancel(id json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if end := b.pending[string(id)]; end != nil {
		end()
	}
}

// pass sends a message, and writes the answer as a line. A notification and a cancelled request have none.
func (b *bridge) pass(ctx context.Context, m message, line []byte) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	b.mu.Lock()
	b.pending[string(m.ID)] = end
	b.mu.Unlock()
	answer, err := b.send(ctx, m, line)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.pending, string(m.ID))
	switch {
	case ctx.Err() != nil || err == nil && len(answer) == 0 || err != nil && m.ID == nil:
		return
	case err != nil:
		answer = failed(m.ID, err)
	case m.Method == "initialize":
		var got message
		_ = json.Unmarshal(answer, &got) // an error has no version
		b.version = got.Result.Version
	}
	_, _ = b.out.Write(append(answer, '\n')) // the agent is gone
}

// send sends a message and returns the answer in one line, empty for none.
func (b *bridge) send(ctx context.Context, m message, line []byte) ([]byte, error) {
	address := b.to.URL + "/mcp"
	if len(b.query) > 0 {
		address += "?" + b.query.Encode()
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Authorization", "Bearer "+b.to.Token)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	q.Header.Set("User-Agent", "bugslice-cli mcp")
	b.mu.Lock()
	version := cmp.Or(m.Params.Meta.Version, b.version)
	b.mu.Unlock()
	for name, value := range map[string]string{"Mcp-Protocol-Version": version, "Mcp-Method": m.Method,
		"Mcp-Name": cmp.Or(m.Params.Name, m.Params.URI)} {
		if value != "" {
			q.Header.Set(name, value)
		}
	}
	res, err := b.http.Do(q)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64*maxMessage))
	if err != nil || len(bytes.TrimSpace(body)) == 0 && res.StatusCode/100 == 2 {
		return nil, err
	}
	return answerOf(res, body)
}

// answerOf returns a message of the server in one line. Another response is an error.
func answerOf(res *http.Response, body []byte) ([]byte, error) {
	var out bytes.Buffer
	var version struct {
		Protocol string `json:"jsonrpc"`
	}
	err := json.Compact(&out, body)
	isList := err == nil && out.Bytes()[0] == '['
	if isList || err == nil && json.Unmarshal(body, &version) == nil && version.Protocol != "" {
		return out.Bytes(), nil
	}
	var p api.Problem
	if json.Unmarshal(body, &p) == nil && p.Detail != "" {
		return nil, errors.New(p.Detail)
	}
	return nil, errors.New("the server answers " + res.Status + " and no message: " + string(body[:min(len(body), 200)]))
}

// failed returns the answer to a request that the server has not answered.
func failed(id json.RawMessage, err error) []byte {
	var answer struct {
		Protocol string          `json:"jsonrpc"`
		ID       json.RawMessage `json:"id"`
		Error    struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	answer.Protocol, answer.ID = "2.0", id
	answer.Error.Code, answer.Error.Message = -32603, err.Error() // an internal error
	text, err := json.Marshal(answer)
	if err != nil {
		return nil
	}
	return text
}
