// Command outside is a program in a module of its own, which uses the public packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"

	"example.com/x/bugslice/api"
	"example.com/x/bugslice/client"
	"example.com/x/bugslice/webhook"
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run files a report, resolves it, reads what became of it from the events of the workspace, and receives a ping of a
// webhook.
func run(ctx context.Context, workspace, address string) error {
	c, err := client.New(address, os.Getenv("TOKEN"), client.Options{UserAgent: "outside/1"})
	if err != nil {
		return err
	}
	fields := api.SliceFields{Summary: "Seen from outside"}
	filed, err := c.CreateSlice(ctx, api.CreateSlice{Body: api.NewSlice{WorkspaceID: &workspace, SliceFields: fields}})
	if err != nil {
		return err
	}
	patch := api.SlicePatch{}.Status(api.Resolved)
	resolved, err := client.Call(ctx, c, api.UpdateSlice{SliceID: filed.ID, IfMatch: filed.ETag(), Patch: patch})
	if err != nil {
		return err
	}
	fmt.Println(resolved.Status, *resolved.Resolution)
	in := api.ListEvents{WorkspaceID: workspace, Type: []api.EventType{api.EventSliceStatusChanged}}
	for event, err := range c.Follow(ctx, in) {
		if err != nil {
			return err
		}
		fmt.Println(event.Type, event.Data.Slice.ID == filed.ID)
		break
	}
	_, err = c.UpdateSlice(ctx, api.UpdateSlice{SliceID: filed.ID, IfMatch: filed.ETag(), Patch: patch})
	if p, ok := errors.AsType[*api.Problem](err); ok {
		fmt.Println(p.Code)
	}
	return receive(ctx, c, workspace)
}

// receive verifies a ping.
func receive(ctx context.Context, c *client.Client, workspace string) error {
	var secret string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = verify(secret, r.Header, body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
		}
	}))
	defer receiver.Close()
	hook, err := c.CreateWebhook(ctx, api.CreateWebhook{Body: api.NewWebhook{WorkspaceID: &workspace,
		WebhookFields: api.WebhookFields{URL: receiver.URL, Enabled: true}}})
	if err != nil {
		return err
	}
	secret = hook.Secret
	test, err := c.TestWebhook(ctx, api.TestWebhook{WebhookID: hook.ID})
	fmt.Println("delivered", test.Delivered)
	return err
}

func verify(secret string, header http.Header, body []byte) error {
	verifier, err := webhook.NewVerifier(secret)
	if err != nil {
		return err
	}
	return verifier.Verify(header, body)
}
