package suite

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"bugslice/internal/assert"
)

// flipped copies a zip file with a byte of an entry's data changed, so that the entry is another one.
func flipped(t *testing.T, file, name string) string {
	t.Helper()
	whole, err := os.ReadFile(file)
	must(t, err)
	content := func() string {
		z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
		must(t, err)
		text, err := fs.ReadFile(z, name)
		return fmt.Sprint(string(text), err)
	}
	before := content()
	z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	must(t, err)
	f := z.File[slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name })]
	at, err := f.DataOffset()
	must(t, err)
	for at += int64(f.CompressedSize64) / 2; ; at++ { // another distance to an equal text is no damage
		if whole[at] ^= 1; content() != before {
			break
		}
		whole[at] ^= 1
	}
	copied := filepath.Join(t.TempDir(), "flipped.zip")
	must(t, os.WriteFile(copied, whole, 0o600))
	return copied
}

// firstFormat makes a backup one of format 1, which has no list of its contents.
func firstFormat(t *testing.T, file string) string {
	t.Helper()
	return rewritten(t, file, func(name string, b []byte) []byte {
		switch name {
		case "contents.ndjson":
			return nil
		case "manifest.json":
			return bytes.Replace(b, []byte(`"format":2`), []byte(`"format":1`), 1)
		}
		return b
	})
}

// saved is a backup of a workspace that has a slice with a file, a picture and evidence.
type saved struct {
	o              org
	file, slice    string
	text, pictured string // keys of files
}

func backedUp(t *testing.T, engine string) saved {
	t.Helper()
	s := newServer(t, engine, t.TempDir())
	s.start(t)
	defer s.kill()
	o := newOrg(t, s, "damaged")
	b := saved{o: o, file: filepath.Join(t.TempDir(), "saved.zip"),
		slice: o.slice(t, o.Workspace, map[string]any{"evidence": captured()})["id"].(string)}
	o.upload(t, 201, b.slice, "notes.txt", "text/plain", "some notes")
	o.upload(t, 201, b.slice, "shot.png", "image/png", picture(300, 200))
	s.cli(t, "backup", "--output", b.file)
	rewritten(t, b.file, func(name string, content []byte) []byte {
		switch {
		case !strings.HasPrefix(name, "files/"):
		case string(content) == "some notes":
			b.text = name
		case string(content) == picture(300, 200):
			b.pictured = name
		}
		return content
	})
	return b
}

// without leaves out the entries whose names have a part.
func without(t *testing.T, file, part string) string {
	t.Helper()
	return rewritten(t, file, func(name string, b []byte) []byte {
		if strings.Contains(name, part) {
			return nil
		}
		return b
	})
}

// replaced gives an entry other content.
func replaced(t *testing.T, file, entry string, change func([]byte) []byte) string {
	t.Helper()
	return rewritten(t, file, func(name string, b []byte) []byte {
		if name == entry {
			return change(b)
		}
		return b
	})
}

// TestRestoreRefusesDamaged: a changed backup of either format is refused with the names of its faults and exit code
// 1, and nothing is restored.
func TestRestoreRefusesDamaged(t *testing.T) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			b := backedUp(t, engine)
			one := firstFormat(t, b.file)
			target := t.TempDir()
			s := newServer(t, engine, target)
			other := func([]byte) []byte { return []byte("some nodes") }
			shorter := func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }
			appendedTo := func(name string) string {
				file := filepath.Join(t.TempDir(), "more.zip")
				appended(t, b.file, file, name, strings.NewReader("x"))
				return file
			}
			whole, err := os.ReadFile(b.file)
			must(t, err)
			cut := filepath.Join(t.TempDir(), "cut.zip")
			must(t, os.WriteFile(cut, whole[:len(whole)*2/3], 0o600))
			for what, c := range map[string]struct{ file, says string }{
				"a truncated file":         {cut, "is no backup"},
				"a flipped byte of a file": {flipped(t, b.file, b.pictured), b.pictured + " cannot be read"},
				"a flipped byte of a table": {flipped(t, b.file, "tables/events.ndjson"),
					"tables/events.ndjson cannot be read"},
				"a flipped byte, format 1": {flipped(t, one, b.pictured), b.pictured + " cannot be read"},
				"other bytes": {replaced(t, b.file, b.text, other),
					b.text + " has another SHA-256 than it had"},
				"other bytes, format 1": {replaced(t, one, b.text, other),
					b.text + " has another SHA-256 than its record says"},
				"longer bytes, format 1": {replaced(t, one, b.text, func([]byte) []byte {
					return []byte("some notes more")
				}), b.text + " has 15 bytes, and its record says 10"},
				"a missing file":           {without(t, b.file, b.text), b.text + " is missing"},
				"a missing file, format 1": {without(t, one, b.text), b.text + " is missing"},
				"all files, format 1":      {without(t, one, "files/"), "and nothing was restored"},
				"a missing table": {without(t, b.file, "tables/comments"),
					"tables/comments.ndjson is missing"},
				"a missing table, format 1": {without(t, one, "tables/comments"), "tables/comments.ndjson is missing"},
				"an early table, format 1":  {without(t, one, "tables/slices"), "tables/slices.ndjson is missing"},
				"a table with fewer rows": {replaced(t, b.file, "tables/events.ndjson", shorter),
					"tables/events.ndjson has "},
				"no list of contents": {without(t, b.file, "contents.ndjson"), "contents.ndjson: is missing"},
				"no secret":           {without(t, b.file, "secret.key"), "secret.key is missing"},
				"an entry more": {appendedTo("files/blb_01ja8m2c9tf3qb6h0v5r4x7kyz"),
					"files/blb_01ja8m2c9tf3qb6h0v5r4x7kyz is no part of this backup"},
				"an entry twice": {appendedTo(b.text), b.text + " is there twice"},
				"a table twice":  {appendedTo("tables/users.ndjson"), "tables/users.ndjson is there twice"},
				"a manifest that is not JSON": {replaced(t, b.file, "manifest.json",
					func(b []byte) []byte { return b[:5] }),
					"manifest.json cannot be read"},
			} {
				code, said := s.exit("restore", c.file)
				if code != 1 || !strings.Contains(said, c.says) {
					t.Errorf("%s: %d %s, want %q", what, code, said, c.says)
				}
				if strings.Contains(c.says, "table") || strings.Contains(c.says, "twice") {
					if code, _ := s.exit("restore", "--accept-missing", c.file); code != 1 {
						t.Errorf("%s is accepted as a missing file", what)
					}
				}
			}
			if left, err := os.ReadDir(target); err != nil || len(left) > 0 {
				t.Errorf("a refused restore leaves %v %v", left, err)
			}
			s.cli(t, "restore", one)
			s.start(t)
			defer s.kill()
			client{s, b.o.token}.readable(t, "a backup of format 1", b.slice)
		})
	}
}

// TestRestoreAcceptsMissing: with --accept-missing the rest of a backup is restored. The losses are listed by file
// and slice, and the rest can be read in every form.
func TestRestoreAcceptsMissing(t *testing.T) {
	t.Parallel()
	for _, engine := range tested() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			b := backedUp(t, engine)
			s := newServer(t, engine, t.TempDir())
			var evidence, thumbnail string
			damaged := rewritten(t, b.file, func(name string, content []byte) []byte {
				switch {
				case name == b.text:
					return nil
				case !strings.HasPrefix(name, "files/") || name == b.pictured:
				case bytes.HasPrefix(content, []byte{0x1f, 0x8b}) && evidence == "":
					evidence = name
					return content[:len(content)/2]
				case !bytes.HasPrefix(content, []byte{0x1f, 0x8b}):
					thumbnail = name
					return nil
				}
				return content
			})
			code, said := s.exit("restore", damaged)
			assert.Equal(t, "exit code", code, 1)
			assert.Contains(t, "the output", said, "--accept-missing")
			said = s.cli(t, "restore", "--accept-missing", damaged)
			for _, want := range []string{"any more: 3 files:", "notes.txt of slice " + b.slice + " (" + b.text +
				" is missing)",
				"the thumbnail of shot.png of slice " + b.slice + " (" + thumbnail + " is missing)",
				" of slice " + b.slice + " (" + evidence + " has "} {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q: %s", want, said)
				}
			}
			s.start(t)
			defer s.kill()
			c := client{s, b.o.token}
			c.readable(t, "what is left", b.slice)
			rows := c.all(t, "/v1/slices/"+b.slice+"/attachments?")
			if count := c.want(t, 200, "GET", "/v1/slices/"+b.slice, nil).
				get(t, "attachmentCount"); count != float64(len(rows)) ||
				len(rows) != 4 {
				t.Errorf("%d files of %v are left", len(rows), count)
			}
			for _, row := range rows {
				f := row.(map[string]any)
				c.want(t, 200, "GET", "/v1/attachments/"+f["id"].(string), nil)
				if f["thumbnail"] != nil {
					t.Errorf("a thumbnail is told that is lost: %v", f)
				}
			}
			for _, again := range []string{b.file, damaged} { // the bytes of the losses are nobody's
				code, said := s.exit("restore", "--accept-missing", again)
				assert.Equal(t, "exit code", code, 1)
				assert.Contains(t, "the output", said, "already has an organisation")
			}
		})
	}
}

// TestHostileNames: what an archive calls its entries reaches no terminal as a command.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	b := backedUp(t, "sqlite")
	content, err := os.ReadFile(b.file)
	must(t, err)
	name := b.text[:len(b.text)-12] + "\x1b[2J\x07\xf3\u202e\u202e" // of the same length
	hostile := filepath.Join(t.TempDir(), "hostile.zip")
	must(t, os.WriteFile(hostile, bytes.ReplaceAll(content, []byte(b.text), []byte(name)), 0o600))
	_, said := newServer(t, "sqlite", t.TempDir()).exit("restore", hostile)
	if strings.ContainsAny(said, "\x1b\x07\u202e") || !utf8.ValidString(said) {
		t.Errorf("restore prints control characters: %q", said)
	}
	assert.Contains(t, "the refusal", said, "is no part of this backup")
}
