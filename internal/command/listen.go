package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"bugslice/api"
	"bugslice/internal/command/tree"
	"bugslice/webhook"
)

// listenFlags are the flags of listen.
type listenFlags struct {
	eventFlags
	forward, secret string
	count           int
}

func newListen(s *session) *cobra.Command {
	f := listenFlags{eventFlags: eventFlags{after: api.Latest}}
	cmd := s.command("listen --forward-to URL", "Relay events to a local receiver of webhooks, with valid "+
		"signatures", tree.NoArgs,
		func(ctx context.Context, _ []string) error { return f.listen(ctx, s) })
	cmd.Long = "Relay the events of a workspace to a receiver of webhooks that is being developed, as a webhook " +
		"would send them. Nothing has to " +
		"be reachable from the server. An event that the receiver does not accept is shown, and not sent again."
	cmd.Example = "  bugslice listen --forward-to http://localhost:3000/hooks"
	s.serverFlags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.forward, "forward-to", "", "`address` of the receiver")
	flags.StringVar(&f.secret, "secret", "", "`secret` that signs the messages; a new one is made and printed by "+
		"default")
	flags.IntVarP(&f.count, "limit", "L", 0, "end after so many events; 0 for never")
	f.register(cmd)
	return cmd
}

func (f *listenFlags) listen(ctx context.Context, s *session) error {
	u, err := url.Parse(f.forward)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return tree.Usagef("--forward-to is required: the address of the receiver, such as http://localhost:3000/hooks")
	}
	if f.secret == "" {
		f.secret = webhook.NewSecret()
		s.tell("The secret of the messages is %s", f.secret)
	}
	if _, err := webhook.NewVerifier(f.secret); err != nil {
		return tree.Usagef("--secret: %w", err)
	}
	in, err := f.input(ctx, s)
	if err != nil {
		return err
	}
	s.tell("Waiting for events. Ctrl-C ends it.")
	return s.follow(ctx, in, f.count, func(e api.Event) error { return f.relay(ctx, s, e) })
}

// receiverClient follows no redirect: events go to the address alone that the user has given.
var receiverClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
	return http.ErrUseLastResponse
}}

// relay sends an event to the receiver and prints its response.
func (f *listenFlags) relay(ctx context.Context, s *session, e api.Event) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	now := time.Now()
	signature, err := webhook.Sign(e.ID, now, body, f.secret)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, f.forward, bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set(webhook.HeaderID, e.ID)
	q.Header.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	q.Header.Set(webhook.HeaderSignature, signature)
	result := ""
	res, err := receiverClient.Do(q)
	if err != nil {
		result = err.Error()
	} else {
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20))
		_ = res.Body.Close()
		result = fmt.Sprintf("%s in %d ms", res.Status, time.Since(now).Milliseconds())
	}
	return s.out.Line(s.out.Out, "%s\t%s\t%s", string(e.Type), e.ID, result)
}
