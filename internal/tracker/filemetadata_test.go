package tracker_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"testing"

	"bugslice/api"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

const whereItWas = "52.5170N 13.3889E"

// photo returns a JPEG with a comment.
func photo(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, 8, 8)), nil))
	return b.String()[:2] + "\xff\xfe\x00\x13" + whereItWas + b.String()[2:]
}

// TestFileMetadata: a picture is stored without its metadata, which counts as redacted, and says so; size and digest
// are those of the stored bytes. A workspace may keep it. A file that cannot be cleaned says that.
func TestFileMetadata(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		w.withFiles(t)
		s := w.report(t, "photo", api.SliceFields{}, "first")
		upload := func(body string, kind api.AttachmentKind) (api.Attachment, string) {
			a, err := w.CreateAttachment(t.Context(), w.owner,
				valid(api.CreateAttachment{SliceID: s.ID, Name: "photo", Kind: kind}),
				tracker.Upload{Body: strings.NewReader(body), Length: int64(len(body))})
			must(t, err)
			f, err := w.ReadAttachment(t.Context(), w.owner, valid(api.GetAttachment{AttachmentID: a.ID}))
			must(t, err)
			defer f.Bytes.Close()
			stored, err := io.ReadAll(f.Bytes)
			must(t, err)
			digest := sha256.Sum256(stored)
			assert.Equal(t, "size and digest", []any{a.Size, a.SHA256},
				[]any{int64(len(stored)), hex.EncodeToString(digest[:])})
			return a, string(stored)
		}
		keep := func(kept bool) {
			must(t, second(w.UpdateWorkspace(t.Context(), w.owner,
				valid(api.UpdateWorkspace{WorkspaceID: w.workspace,
					Patch: api.WorkspacePatch{"keepFileMetadata": kept}}))))
		}
		a, stored := upload(photo(t), "")
		assert.Equal(t, "a photo", []any{a.Metadata, strings.Contains(stored, whereItWas)},
			[]any{api.MetadataRemoved, false})
		assert.Equal(t, "counted", w.slice(t, s.ID).Redaction.Counts, map[string]int64{"metadata": 1})
		if a.Thumbnail == nil || *a.Width != 8 {
			t.Errorf("no thumbnail: %+v", a)
		}
		a, _ = upload(stored, "")
		assert.Equal(t, "once more", a.Metadata, api.MetadataNone)
		a, _ = upload("a log", "")
		assert.Equal(t, "text", a.Metadata, api.MetadataNone)
		a, _ = upload(`[{"level":"error","message":"x","timestamp":"2026-01-01T00:00:00Z"}]`, api.KindConsole)
		assert.Equal(t, "evidence", a.Metadata, api.MetadataNone)
		for _, body := range []string{"%PDF-1.7\n" + whereItWas, "II*\x00\x01",
			photo(t)[:100], "<svg xmlns='http://www.w3.org/2000/svg'><metadata>" + whereItWas + "</metadata></svg>"} {
			a, _ = upload(body, "")
			assert.Equal(t, "not cleaned", a.Metadata, api.MetadataUnknown)
		}
		keep(true)
		a, stored = upload(photo(t), "")
		assert.Equal(t, "kept", []any{a.Metadata, stored}, []any{api.MetadataKept, photo(t)})
		keep(false)
		a, _ = upload(photo(t), "")
		assert.Equal(t, "not kept any more", a.Metadata, api.MetadataRemoved)
	})
}
