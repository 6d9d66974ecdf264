package tracker_test

import (
	"bytes"
	"errors"
	"image"
	_ "image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/tracker"
)

// TestReplaceScreenshot: a screenshot replaces another one in one transaction: its bytes, its thumbnail and its
// events. A repeated request has the same answer, and a refused one leaves the stored file as it is.
func TestReplaceScreenshot(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.report(t, "print", api.SliceFields{}, "first")
		first := w.screenshot(t, s.ID)
		w.report(t, "print", api.SliceFields{}, "second")
		before := w.slice(t, s.ID)
		var marked bytes.Buffer
		must(t, png.Encode(&marked, image.NewGray(image.Rect(0, 0, 600, 300))))
		add := func(in api.CreateAttachment, content []byte) (api.Attachment, error) {
			in.Name = "marked.png"
			return w.CreateAttachment(t.Context(), w.owner, valid(in),
				tracker.Upload{Body: bytes.NewReader(content), Length: int64(len(content))})
		}
		other := w.file(t, "Another report", "")
		text, err := w.attach(t.Context(), s.ID, "a text")
		must(t, err)
		for name, in := range map[string]api.CreateAttachment{
			"of another report": {SliceID: other.ID, Replaces: first.ID},
			"no screenshot":     {SliceID: s.ID, Replaces: text.ID},
			"by a log":          {SliceID: s.ID, Replaces: first.ID, Kind: api.KindOther},
			"unknown":           {SliceID: s.ID, Replaces: "att_01ja8m2c9tf3qb6h0v5r4x7kyz"},
		} {
			var refused *api.Problem
			if _, err := add(in, marked.Bytes()); !errors.As(err, &refused) ||
				refused.Code != api.CodeInvalidParameter {
				t.Errorf("%s: %v", name, err)
			}
		}
		w.wantBytes(t, first.ID, first.Size)

		in := api.CreateAttachment{SliceID: s.ID, Replaces: first.ID}
		in.IdempotencyKey = "once"
		made, err := add(in, marked.Bytes())
		must(t, err)
		again, err := add(in, marked.Bytes())
		if err != nil || again.ID != made.ID {
			t.Errorf("repeated: %v (%v)", again.ID, err)
		}
		if made.Occurrence != first.Occurrence || *made.Width != 600 {
			t.Errorf("stored %s", marshal(t, made))
		}
		w.wantBytes(t, made.ID, int64(marked.Len()))
		small, err := w.ReadThumbnail(t.Context(), w.owner, valid(api.GetThumbnail{AttachmentID: made.ID}))
		must(t, err)
		if size, _, err := image.DecodeConfig(small.Bytes); err != nil || size.Width != 480 || size.Height != 240 {
			t.Errorf("the thumbnail is %+v (%v)", size, err)
		}
		must(t, small.Bytes.Close())
		if _, err := w.ReadAttachment(t.Context(), w.owner,
			valid(api.GetAttachment{AttachmentID: first.ID})); err == nil {
			t.Error("the original is still there")
		}
		after, evidence := w.slice(t, s.ID), before.Evidence
		// Whoever has marked the picture has looked at it.
		evidence.Unreviewed--
		if after.Evidence != evidence || after.AttachmentCount != before.AttachmentCount+1 { // the text
			t.Errorf("before %s, after %s", marshal(t, before), marshal(t, after))
		}
		activity, err := w.ListActivity(t.Context(), w.owner,
			valid(api.ListActivity{SliceID: s.ID, Paging: api.Paging{Limit: 100}}))
		must(t, err)
		last := activity.Data[len(activity.Data)-2:]
		if last[0].Type != api.EventAttachmentDeleted || last[1].Type != api.EventAttachmentCreated ||
			!strings.Contains(marshal(t, last[0]), first.ID) || !strings.Contains(marshal(t, last[1]), made.ID) {
			t.Errorf("the events are %s", marshal(t, last))
		}
		w.checkByteCounts(t)
	})
}

// wantBytes fails the test unless an attachment has so many bytes.
func (w *world) wantBytes(t *testing.T, attachmentID string, size int64) {
	t.Helper()
	f, err := w.ReadAttachment(t.Context(), w.owner, valid(api.GetAttachment{AttachmentID: attachmentID}))
	must(t, err)
	n, err := io.Copy(io.Discard, f.Bytes)
	must(t, errors.Join(err, f.Bytes.Close()))
	if n != size {
		t.Errorf("%s has %d bytes, not %d", attachmentID, n, size)
	}
}
