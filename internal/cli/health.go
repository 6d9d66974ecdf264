package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"bugslice/internal/command/tree"
)

// newHealth returns the command by which a container checks itself: an image without a shell has no other program.
func newHealth(env environment, s Streams) *cobra.Command {
	var address string
	cmd := env.command("health", "Ask the server on this machine whether it is ready", func(ctx context.Context) error {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return tree.Usagef("--listen must be host:port, not %q", address)
		}
		if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		return printReadiness(ctx, "http://"+net.JoinHostPort(host, port)+"/readyz", s.Out)
	})
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:8080", "address that the server listens on")
	return cmd
}

// printReadiness prints the answer of /readyz, and returns an error unless it is 200.
func printReadiness(ctx context.Context, url string, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", strings.TrimSpace(string(text)))
	}
	_, err = out.Write(text)
	return err
}
