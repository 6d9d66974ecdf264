package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"bugslice/api"
	"bugslice/client"
	"bugslice/client/clienttest"
)

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// exampleServer starts a server for an example alone, so that its records have the numbers that the output has.
func exampleServer() (s *clienttest.Server, stop func()) {
	dir, err := os.MkdirTemp("", "bugslice-example-")
	check(err)
	s, err = clienttest.Start(dir)
	check(err)
	return s, func() {
		s.Close()
		_ = os.RemoveAll(dir)
	}
}

// A report is filed, changed and read. An example takes the address and the token from a server of its own.
func Example() {
	server, stop := exampleServer()
	defer stop()
	ctx := context.Background()

	c, err := client.New(server.URL, server.Token, client.Options{UserAgent: "reporter/1.0"})
	check(err)
	filed, err := c.CreateSlice(ctx, api.CreateSlice{Body: api.NewSlice{
		SliceFields: api.SliceFields{Summary: "Checkout button does nothing", Labels: []string{"checkout"}},
		Fingerprint: new("TypeError@checkout.js:42"),
	}})
	check(err)
	fmt.Println(filed.Reference, filed.Status)

	changed, err := c.UpdateSlice(ctx, api.UpdateSlice{SliceID: filed.ID, IfMatch: filed.ETag(),
		Patch: api.SlicePatch{}.Status(api.Resolved).Priority(new(api.Priority("high")))})
	check(err)
	fmt.Println(changed.Status, *changed.Resolution, *changed.Priority)

	for slice, err := range client.All(ctx, c,
		api.ListSlices{SliceFilters: api.SliceFilters{Label: []string{"checkout"}}}) {
		check(err)
		fmt.Println(slice.Reference, slice.Summary)
	}

	_, err = c.GetSlice(ctx, api.GetSlice{SliceID: "WEB-99"})
	if p, ok := errors.AsType[*api.Problem](err); ok {
		fmt.Println(p.Status, p.Code)
	}
	fmt.Println(strings.Contains(fmt.Sprintf("%#v", c), server.Token))

	// Output:
	// WEB-1 open
	// resolved fixed high
	// WEB-1 Checkout button does nothing
	// 404 not_found
	// false
}

// A file is sent and received as a stream, with its progress.
func ExampleClient_CreateAttachment() {
	ctx, c := context.Background(), server().Client()
	slice, err := c.CreateSlice(ctx, api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: "With a log"}}})
	check(err)

	file, err := c.CreateAttachment(ctx, api.CreateAttachment{SliceID: slice.ID, Name: "build.log"}, client.Upload{
		Content: strings.NewReader("it failed\n"), ContentType: "text/plain",
		Progress: func(sent, total int64) { fmt.Println("sent", sent, "of", total) },
	})
	check(err)
	download, err := c.GetAttachment(ctx, api.GetAttachment{AttachmentID: file.ID})
	check(err)
	check(download.Save(os.Stdout, nil))

	// Output:
	// sent 10 of 10
	// sent 10 of 10
	// it failed
}

// Events are followed from the first one on. A follower is stored by the id of its last event, and continued by After.
func ExampleClient_Follow() {
	server, stop := exampleServer()
	defer stop()
	ctx, c := context.Background(), server.Client()
	_, err := c.CreateSlice(ctx, api.CreateSlice{Body: api.NewSlice{SliceFields: api.SliceFields{Summary: "It happens"}}})
	check(err)

	for event, err := range c.Follow(ctx,
		api.ListEvents{WorkspaceID: server.Workspace, Type: []api.EventType{api.EventSliceCreated}}) {
		check(err)
		fmt.Println(event.Type, event.Data.Slice.Reference)
		break
	}

	// Output:
	// slice.created WEB-1
}
