package evidence

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugslice/api"
	"bugslice/internal/assert"
)

// stored is packed bytes that can be read from any place.
type stored struct{ *bytes.Reader }

func (stored) Close() error { return nil }

// packEarlier packs lines as versions before the index did.
func packEarlier(lines []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(lines)
	_ = w.Close()
	return b.Bytes()
}

// earlier reads lines as versions before the index kept them.
func earlier(lines []byte) *Reader {
	return NewReader(stored{bytes.NewReader(packEarlier(lines))}, int64(len(lines)), nil)
}

// someSet draws a set of any kind, with rows of all lengths.
func someSet(t *rapid.T) Set {
	s := Set{Kind: rapid.SampledFrom([]api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions,
		api.KindReplay}).Draw(t,
		"kind")}
	if s.Kind == api.KindNetwork {
		s.Head = json.RawMessage(rapid.SampledFrom([]string{`{}`, `{"version":"1.2"}`,
			`{"comment":"` + strings.Repeat("x", 100_000) + `"}`}).Draw(t, "head"))
	}
	for i := range rapid.IntRange(0, 60).Draw(t, "rows") {
		pad := strings.Repeat("é,", rapid.SampledFrom([]int{0, 1, 100, 1000, 3000, 40_000}).Draw(t, "pad"))
		class := rapid.IntRange(noClass, 4).Draw(t, "class")
		var err error
		switch s.Kind {
		case api.KindConsole:
			level := "strange"
			if class >= 0 {
				level = levels[class]
			}
			err = s.add(map[string]any{"level": level, "message": pad, "n": i}, class)
		case api.KindNetwork:
			status := map[bool]int{true: class * 100, false: 7}[class >= 0]
			err = s.add(map[string]any{"startedDateTime": "2026-11-20T10:00:00Z",
				"request":  map[string]any{"method": "GET", "url": "/" + pad},
				"response": map[string]any{"status": status}}, class)
		default:
			err = s.add(map[string]any{"type": fmt.Sprint(i), "text": pad}, noClass)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// readers returns a reader of the set as it is kept now, and one of it as it was kept before.
func readers(t *rapid.T, s Set) map[string]*Reader {
	lines := s.Lines()
	all := map[string]*Reader{}
	for name, packed := range map[string][]byte{"indexed": s.Pack(), "earlier": packEarlier(lines)} {
		src := stored{bytes.NewReader(packed)}
		index, err := ReadIndex(src, int64(len(lines)))
		if err != nil || (index != nil) != (name == "indexed") {
			t.Fatalf("%s: %v %v", name, index, err)
		}
		all[name] = NewReader(src, int64(len(lines)), index)
	}
	return all
}

// TestReaderIsTheWhole: a read from any offset returns that part of the evidence, with an index and without one; a
// gzip reader that ignores the index reads the same.
func TestReaderIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSet(t)
		lines := s.Lines()
		zip, err := gzip.NewReader(bytes.NewReader(s.Pack()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(zip); err != nil || !bytes.Equal(got, lines) {
			t.Fatalf("gzip reads %d of %d bytes: %v", len(got), len(lines), err)
		}
		for name, r := range readers(t, s) {
			for range 12 {
				from := rapid.IntRange(0, len(lines)).Draw(t, "from")
				n := rapid.IntRange(0, len(lines)-from).Draw(t, "n")
				if _, err := r.Seek(int64(from-len(lines)), io.SeekEnd); err != nil {
					t.Fatal(err)
				}
				got := make([]byte, n)
				if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, lines[from:from+n]) {
					t.Fatalf("%s: %d bytes from %d: %v", name, n, from, err)
				}
			}
		}
	})
}

// TestRowsWanted: the same rows are found after any position with an index and without one; every row of a class is
// among them and counted.
func TestRowsWanted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSet(t)
		want := Filter{After: rapid.IntRange(0, len(s.Rows)+1).Draw(t, "after")}
		if class := rapid.IntRange(noClass, 4).Draw(t, "class wanted"); class >= 0 {
			want.Classes = []int{class}
		}
		most := rapid.IntRange(1, len(s.Rows)+1).Draw(t, "most")
		var expected []string
		for i, row := range s.Rows {
			if Class(s.Kind, row) != s.classes[i] {
				t.Fatalf("%.100s is of class %d, not %d", row, Class(s.Kind, row), s.classes[i])
			}
			if i+1 > want.After && (want.Classes == nil || s.classes[i] == want.Classes[0]) && len(expected) < most {
				expected = append(expected, fmt.Sprint(i+1, string(row)))
			}
		}
		for name, r := range readers(t, s) {
			var got []string
			err := r.Rows(s.Kind, want, func(place int, row []byte) (bool, error) {
				if want.Classes == nil || Class(s.Kind, row) == want.Classes[0] {
					got = append(got, fmt.Sprint(place, string(row)))
				}
				return len(got) < most, nil
			})
			if err != nil || !slices.Equal(got, expected) {
				t.Fatalf("%s: %d rows of %d: %v", name, len(got), len(expected), err)
			}
			if r.index != nil {
				checkClassCounts(t, r.index, s.classes)
			}
		}
	})
}

// checkClassCounts checks that an index counts rows of classes as they are.
func checkClassCounts(t *rapid.T, x *Index, classes []int) {
	counts := map[int]int{}
	for _, class := range classes {
		counts[class]++
	}
	for class := range maxClasses {
		if n := x.Count([]int{class}); n != counts[class] {
			t.Fatalf("%d rows of class %d are counted, of %d", n, class, counts[class])
		}
	}
}

// TestParts: the parts of the rows are the rows.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSet(t)
		for name, r := range readers(t, s) {
			var rows [][]byte
			head := ""
			err := r.Parts(s.Kind, func(place int, first bool, part []byte) error {
				if len(part) > lineBuffer && r.index != nil {
					t.Fatalf("a part of %d bytes", len(part))
				}
				switch {
				case place == 0:
					head += string(part)
				case first:
					rows = append(rows, slices.Clone(part))
				default:
					rows[place-1] = append(rows[place-1], part...)
				}
				return nil
			})
			if err != nil || len(rows) != len(s.Rows) {
				t.Fatalf("%s: %d rows of %d: %v", name, len(rows), len(s.Rows), err)
			}
			if s.Kind == api.KindNetwork {
				assert.Equal(t, name+": the head", head, string(ArchiveHead(s.Head)))
			}
			for i, row := range rows {
				if !bytes.Equal(row, s.Rows[i]) {
					t.Fatalf("%s: row %d is %.100q, not %.100q", name, i, row, s.Rows[i])
				}
			}
		}
	})
}

// TestRepack: evidence of an earlier version, and evidence with any index, is packed in the present format.
func TestRepack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := someSet(t)
		for _, packed := range [][]byte{packEarlier(s.Lines()), s.Pack()} {
			var b bytes.Buffer
			if err := Repack(s.Kind, bytes.NewReader(packed), &b); err != nil || !bytes.Equal(b.Bytes(), s.Pack()) {
				t.Fatalf("%d bytes: %v", b.Len(), err)
			}
		}
	})
}

// TestEvidenceOfEarlierVersions: evidence of earlier versions is read unchanged: a HAR whose log precedes its
// entries, empty lines, and a last line without a line break.
func TestEvidenceOfEarlierVersions(t *testing.T) {
	for kept, want := range map[string]string{"{\"a\":1}\n\n\n{\"b\":2}": "{\"a\":1}\n{\"b\":2}\n", "\n\n": "",
		"{}\n": "{}\n"} {
		r := NewReader(stored{bytes.NewReader(packEarlier([]byte(kept)))}, int64(len(want)), nil)
		for from := range len(want) + 1 {
			if _, err := r.Seek(int64(from), io.SeekStart); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(iotestOneByte{r}); err != nil || string(got) != want[from:] {
				t.Errorf("%q from %d: %q, %v", kept, from, got, err)
			}
		}
	}
	const old = "{\"version\":\"1.2\"}\n{\"x\":1}\n{\"y\":2}\n"
	r, text := NewReader(stored{bytes.NewReader(packEarlier([]byte(old)))}, int64(len(old)), nil), ""
	err := r.Parts(api.KindNetwork, func(place int, _ bool, part []byte) error {
		text += fmt.Sprintf("%d %s;", place, part)
		return nil
	})
	if want := `0 {"log":{"version":"1.2","entries":;1 {"x":1};2 {"y":2};`; err != nil || text != want {
		t.Errorf("%s, %v", text, err)
	}
}

// iotestOneByte reads byte by byte.
type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(b []byte) (int, error) { return o.r.Read(b[:min(1, len(b))]) }

// FuzzIndex: a damaged index is an error or an index of the very set, and no more memory than that.
func FuzzIndex(f *testing.F) {
	s := Set{Kind: api.KindConsole}
	for range 3000 {
		_ = s.add(map[string]any{"level": "warn", "message": strings.Repeat("x", 100)}, 3)
	}
	packed, size := s.Pack(), int64(len(s.Lines()))
	f.Add(packed, size)
	f.Add(packed[:len(packed)-1], size)
	f.Add(packed, size+1)
	f.Add(emptyMember(footerMark, bytes.Repeat([]byte{0xff}, 8)), int64(0))
	f.Add(append(emptyMember(indexMark, []byte{1, 0xff, 0xff, 3}),
		emptyMember(footerMark, []byte{30, 0, 0, 0, 0, 0, 0, 0})...), int64(0))
	f.Fuzz(func(t *testing.T, packed []byte, size int64) {
		index, err := ReadIndex(stored{bytes.NewReader(packed)}, size)
		if err != nil && !errors.Is(err, ErrIndex) {
			t.Fatal(err)
		}
		if index != nil && index.size() != size {
			t.Fatalf("an index of %d bytes for %d", index.size(), size)
		}
	})
}
