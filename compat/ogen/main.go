// Command ogen drives the client that ogen generates, which refuses answers that are not what the document says: it
// lists with two statuses, reads a page, and creates, changes, uploads to and deletes a report, changes several, and
// reads problems.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	ht "github.com/ogen-go/ogen/http"

	"bugslice/compat/ogen/client"
)

type key struct{}

func (key) ApiKey(context.Context, client.OperationName) (client.ApiKey, error) {
	return client.ApiKey{Token: os.Getenv("TOKEN")}, nil
}

func want(what string, got, expected any) {
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		log.Fatalf("%s: %v, want %v", what, got, expected)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// as returns an answer as the type that is expected, and ends the program when it is another one.
func as[T any](v any, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	of, ok := v.(T)
	if !ok {
		log.Fatalf("%T %+v", v, v)
	}
	return of
}

func main() {
	ctx := context.Background()
	c := must(client.NewClient(os.Getenv("URL"), key{}))
	create := func(body client.SliceInput) client.FiledSlice {
		return as[*client.CreateSliceCreatedHeaders](c.CreateSlice(ctx, &body, client.CreateSliceParams{})).Response
	}
	first := create(client.SliceInput{Summary: "ogen one", Priority: client.NewOptNilPriority(client.PriorityHigh)})
	second := create(client.SliceInput{Summary: "ogen two"})
	want("a priority, and none", []any{first.Priority, second.Priority},
		[]any{client.NewNilPriority(client.PriorityHigh), client.NilPriority{Null: true}})
	moved := client.UpdateSliceApplicationJSON{Status: client.NewOptStatus(client.StatusInProgress)}
	changed := as[*client.SliceHeaders](c.UpdateSlice(ctx, &moved, client.UpdateSliceParams{SliceId: second.ID})).
		Response
	want("patch", changed.Status, client.StatusInProgress)
	list := client.ListSlicesParams{Status: []client.Status{client.StatusOpen, client.StatusInProgress},
		Limit: client.NewOptInt(1)}
	page := as[*client.SlicePageHeaders](c.ListSlices(ctx, list)).Response
	want("list of two statuses", page.Data[0].ID, second.ID)
	list.Cursor = client.NewOptString(page.Pagination.Cursor.Value)
	page = as[*client.SlicePageHeaders](c.ListSlices(ctx, list)).Response
	want("next page", page.Data[0].ID, first.ID)
	form := client.CreateAttachmentReqMultipartFormData{File: ht.MultipartFile{Name: "a.log",
		File: strings.NewReader("seen twice")}}
	to := client.CreateAttachmentParams{SliceId: first.ID}
	file := as[*client.CreateAttachmentCreatedHeaders](c.CreateAttachment(ctx, &form, to)).Response
	want("upload", file.Size, len("seen twice"))
	missing := "slc_00000000000000000000000000"
	batch := client.BatchUpdateInput{Items: []client.BatchUpdateItemInput{
		{ID: first.ID, Patch: client.SlicePatch{Priority: client.OptNilPriority{Set: true, Null: true}}},
		{ID: missing}}}
	results := as[*client.BatchResultsHeaders](c.BatchUpdateSlices(ctx, &batch, client.BatchUpdateSlicesParams{})).
		Response.Results
	changedOne, refused := results[0], results[1]
	want("results", []any{changedOne.Slice.Value.Priority.Null, changedOne.Problem.Null, refused.Slice.Null,
		refused.Problem.Value.Code},
		[]any{true, true, true, "not_found"})
	problem := as[*client.Problem404Headers](c.GetSlice(ctx, client.GetSliceParams{SliceId: missing})).Response
	want("problem", problem.Code, "not_found")
	for _, id := range []string{first.ID, second.ID} {
		as[*client.DeleteSliceNoContent](c.DeleteSlice(ctx, client.DeleteSliceParams{SliceId: id}))
	}
	fmt.Println("ogen: list, page, create, patch, upload, batch, problem, delete")
}
