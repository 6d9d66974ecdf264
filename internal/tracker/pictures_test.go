package tracker_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/assert"
	"bugslice/internal/tracker"
)

// drawing returns a red PNG, with some blue, with a text in its metadata.
func drawing(t *testing.T, width, height int, blue byte) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := 0; i < len(img.Pix); i += 4 {
		copy(img.Pix[i:], []byte{255, 0, blue, 255})
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, img))
	return append(b.Bytes(), "hidden text"...)
}

// TestPictures: a picture is a small square without anything else of the file, which the users of the organisation
// read by its name. Another picture has another name, and a removed or erased one is gone.
func TestPictures(t *testing.T) {
	engines(t, func(t *testing.T, w *world) {
		ada := w.colleague(t, "ada@test.example", api.RoleMember, api.RoleMember).Caller
		boss := w.colleague(t, "boss@test.example", api.RoleOwner, "").Caller
		name := func() string {
			named, err := w.PicturesOf(t.Context(), boss, []string{ada.ID, boss.ID})
			must(t, err)
			return named[ada.ID]
		}
		read := func(c access.Caller, name string) ([]byte, error) {
			p, err := w.GetPicture(t.Context(), c, valid(api.GetPicture{Name: name}))
			return p.JPEG, err
		}
		set := func(image []byte) error {
			return second(w.SetPicture(t.Context(), ada, valid(api.SetPicture{}), image))
		}
		assert.Equal(t, "before", name(), "")
		must(t, set(drawing(t, 300, 200, 0)))
		first := name()
		stored, err := read(boss, first)
		must(t, err)
		img, err := jpeg.Decode(bytes.NewReader(stored))
		must(t, err)
		assert.Equal(t, "its size", img.Bounds(), image.Rect(0, 0, 128, 128))
		if r, g, b, _ := color.NRGBAModel.Convert(img.At(64, 64)).RGBA(); r < 0xf000 || g > 0x1000 || b > 0x1000 {
			t.Errorf("the picture is %x %x %x", r, g, b)
		}
		if bytes.Contains(stored, []byte("hidden")) || len(stored) > 20_000 {
			t.Errorf("the picture has %d bytes", len(stored))
		}
		for what, image := range map[string][]byte{"a text": []byte("text"), "nothing": nil,
			"a large file": bytes.Repeat([]byte("x"), tracker.MaxPicture+1), "half of a picture": drawing(t, 300,
				200, 0)[:100]} {
			if err := set(image); code(err) != api.CodeInvalidBody {
				t.Errorf("%s: %v", what, err)
			}
		}
		assert.Equal(t, "after what is refused", name(), first)
		must(t, set(drawing(t, 10, 400, 90)))
		if again := name(); again == first || again == "" {
			t.Errorf("the next picture is named %q", again)
		}
		if _, err := read(boss, first); code(err) != api.CodeNotFound {
			t.Errorf("the former picture: %v", err)
		}
		must(t, second(w.RemovePicture(t.Context(), boss, valid(api.RemovePicture{UserID: ada.ID}))))
		assert.Equal(t, "after it is removed", name(), "")
		if _, err := read(boss, ""); code(err) != api.CodeNotFound {
			t.Errorf("without a picture: %v", err)
		}
		must(t, set(drawing(t, 10, 400, 90)))
		must(t, w.Operator.EraseUser(t.Context(), ada.ID))
		assert.Equal(t, "after the user is erased", name(), "")
		if left := w.rows(t, w.database(t), "", "user_pictures")[0]; left != 0 {
			t.Errorf("%d pictures are left", left)
		}
		changes := 0
		for _, e := range w.audited(t, map[string]bool{}) {
			if e.Type == api.EventUserUpdated {
				changes++
			}
		}
		assert.Equal(t, "audited changes", changes, 4)
	})
}
