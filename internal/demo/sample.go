package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// Label is the label of a report that File files, by which it is found again.
const Label = "demo"

// Filer files reports.
type Filer interface {
	CreateSlice(context.Context, tracker.Caller, input.Valid[api.CreateSlice]) (api.FiledSlice, error)
	CreateAttachment(context.Context, tracker.Caller, input.Valid[api.CreateAttachment], tracker.Upload) (api.Attachment, error)
}

// File files a report with captured evidence and screenshots in a workspace, as if its visit had ended at a time. It is redacted and counted
// as any other report. Repeated with the same time and once, it files no other one.
func File(ctx context.Context, to Filer, c tracker.Caller, in Filing) (api.FiledSlice, error) {
	r := CapturedReports[0]
	v := r.Visits[0]
	captured, err := v.evidence(in.EndedAt)
	if err != nil {
		return api.FiledSlice{}, fmt.Errorf("%s: %w", v.Capture, err)
	}
	fields := r.fields(v, captured)
	fields.Summary, fields.Labels = "Demo: "+fields.Summary, append([]string{Label}, r.Labels...)
	filed, err := call(ctx, c, to.CreateSlice, api.CreateSlice{Idempotency: api.Idempotency{IdempotencyKey: in.Once},
		Body: api.NewSlice{WorkspaceID: &in.WorkspaceID, SliceFields: fields, Evidence: &captured.Evidence}})
	if err != nil {
		return filed, err
	}
	return filed, upload(ctx, to, c, picturesOf{filed.ID, v.Capture, in.Once}, captured.Screenshots)
}

// Filing says where and when a demo report is filed.
type Filing struct {
	WorkspaceID, Once string
	EndedAt           time.Time
}

// picturesOf says of which slice and capture screenshots are, and once what is not repeated, unless it is empty.
type picturesOf struct{ sliceID, capture, once string }

// upload adds the screenshots of a capture to a slice.
func upload(ctx context.Context, to Filer, c tracker.Caller, of picturesOf, shots []Screenshot) error {
	for i, s := range shots {
		png, err := captures.ReadFile("evidence/" + of.capture + "/" + s.Name)
		if err != nil {
			return err
		}
		in := api.CreateAttachment{SliceID: of.sliceID, Kind: api.KindScreenshot}
		if of.once != "" {
			in.IdempotencyKey = fmt.Sprintf("%s-%d", of.once, i)
		}
		up := tracker.Upload{Body: bytes.NewReader(png), ContentType: "image/png", Name: s.Name, Length: int64(len(png))}
		v, err := input.Check(in)
		if err == nil {
			_, err = to.CreateAttachment(ctx, c, v, up)
		}
		if err != nil {
			return fmt.Errorf("%s/%s: %w", of.capture, s.Name, err)
		}
	}
	return nil
}
