package demo

import (
	"context"
	"fmt"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/tracker"
)

// Label is the label of a report that File files, by which it is found again.
const Label = "demo"

// File files a report with captured evidence and screenshots in a workspace, as if its visit had ended at a time. It
// is redacted and counted as any other report. Repeated with the same time and once, it files no other one.
func File(ctx context.Context, to *tracker.Tracker, c access.Caller, in Filing) (api.FiledSlice, error) {
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
