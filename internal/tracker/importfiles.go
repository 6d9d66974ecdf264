package tracker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/media"
	"bugslice/internal/store"
)

// Opener gives the bytes of a file by its key in the export.
type Opener func(key string) (io.ReadCloser, error)

// files stores the bytes of attachments that are not there yet, when they are what the record
// says. It returns the records of those that have some.
func (im *Importing) files(ctx context.Context, records []store.Record, open Opener) (present []store.Record, err error) {
	for _, r := range records {
		if err := im.own(r); err != nil {
			return nil, about("attachments", r, err)
		}
		old, _ := r["id"].(string)
		if _, err := im.t.store.Read(ctx).Attachment(im.derive(old)); !errors.Is(err, store.ErrNotFound) {
			if err != nil {
				return nil, err
			}
			present = append(present, r)
			continue
		}
		err := im.attachment(ctx, r, open)
		if errors.Is(err, fs.ErrNotExist) {
			im.Report.FilesMissing++
			continue
		}
		if err != nil {
			return nil, about("attachments", r, err)
		}
		present = append(present, r)
	}
	return present, nil
}

// own refuses a file that two records name: it would go with the first of them.
func (im *Importing) own(r store.Record) error {
	for _, column := range []string{"blob", "thumbnail"} {
		key, ok := r[column].(string)
		if ok && im.keys[key] {
			return fmt.Errorf("/%s: %s is the file of another record, too", column, key)
		}
		im.keys[key] = true
	}
	return nil
}

func (im *Importing) attachment(ctx context.Context, r store.Record, open Opener) error {
	if err := im.refers("attachments", r); err != nil {
		return err
	}
	contentType, _ := r["content_type"].(string)
	if _, _, err := mime.ParseMediaType(contentType); err != nil {
		return fmt.Errorf("/content_type %q is none: %w", contentType, err)
	}
	if err := im.as(r, open); err != nil {
		return err
	}
	bytes := open
	if r["entries"] != nil {
		kind, _ := r["kind"].(string)
		bytes = repacked(api.AttachmentKind(kind), open)
	}
	stored, err := im.file(ctx, r["blob"], bytes)
	if err != nil {
		return err
	}
	if r["thumbnail"] != nil {
		if err := small(r["thumbnail"], open); err != nil {
			return err
		}
		size, err := im.file(ctx, r["thumbnail"], open)
		if stored += size; err != nil {
			return err
		}
	}
	r["stored"] = json.Number(strconv.FormatInt(stored, 10))
	return nil
}

// repacked packs sets anew as they are read, so that an index is made here and not taken on trust.
func repacked(kind api.AttachmentKind, open Opener) Opener {
	return func(key string) (io.ReadCloser, error) {
		from, err := open(key)
		if err != nil {
			return nil, err
		}
		r, w := io.Pipe()
		go func() {
			err := evidence.Repack(kind, from, w)
			_ = w.CloseWithError(errors.Join(err, from.Close()))
		}()
		return r, nil
	}
}

// opened opens a file of the export by what a record says is its key.
func opened(key any, open Opener) (string, io.ReadCloser, error) {
	old, _ := key.(string)
	if !id.Valid(id.Blob, old) {
		return old, nil, fmt.Errorf("%q is no key of a file", old)
	}
	r, err := open(old)
	return old, r, err
}

// as refuses bytes that are not what a record says of them.
func (im *Importing) as(r store.Record, open Opener) error {
	key, from, err := opened(r["blob"], open)
	if err != nil {
		return err
	}
	defer from.Close()
	sum, size := sha256.New(), int64(0)
	if packed := whole(r["packed"]); packed == 0 && r["entries"] == nil {
		size, err = io.Copy(sum, from)
	} else if packed != 1 || r["entries"] == nil {
		return errors.New("/packed must be 1 exactly where there are entries")
	} else {
		said, _ := r["kind"].(string)
		kind, ended := api.AttachmentKind(said), false
		rows := int64(evidence.First(kind) - 1)
		err = evidence.Each(from, func(line []byte) (bool, error) {
			sum.Write(line)
			sum.Write([]byte("\n"))
			size += int64(len(line)) + 1
			row, ok := evidence.Row(kind, int(rows+1), line)
			if ended = ended || !ok; ended && ok {
				return false, errors.New("something stands behind the entries")
			} else if ended {
				return true, nil
			}
			rows++
			if err := im.row(kind, rows == 0, row); err != nil {
				return false, fmt.Errorf("line %d: %w", rows, err)
			}
			return true, nil
		})
		if err == nil && rows != whole(r["entries"]) {
			err = fmt.Errorf("there are %d rows, and /entries says %v", rows, r["entries"])
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("the bytes of %s: %w", key, err)
	case size != whole(r["size"]):
		return fmt.Errorf("/size is %v, and the bytes of %s are %d", r["size"], key, size)
	case hex.EncodeToString(sum.Sum(nil)) != r["sha256"]:
		return fmt.Errorf("/sha256 is not that of the bytes of %s", key)
	}
	return nil
}

// row refuses a line of evidence that the API could not answer. How long it is does not count:
// what is in a file is not held against the limits of what is sent with a slice.
func (im *Importing) row(kind api.AttachmentKind, head bool, line []byte) error {
	if head {
		line = append(slices.Clone(line), "[]"+evidence.ArchiveEnd...)
	}
	if !json.Valid(line) || line[0] != '{' {
		return errors.New("is no JSON object")
	}
	var name string
	var answer any
	switch kind {
	case api.KindConsole:
		e := api.ConsoleEntry{}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		e.Message, e.Stack, e.Args = "", nil, []json.RawMessage{}
		name, answer = "ConsoleEntry", e
	case api.KindActions:
		e := api.ActionEntry{}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		e.Type = bounded(e.Type, 50)
		e.Selector, e.Text, e.Value, e.URL = nil, nil, nil, nil
		name, answer = "ActionEntry", e
	case api.KindNetwork:
		if head {
			return nil
		}
		e, err := evidence.Summary(line)
		if err != nil {
			return err
		}
		name, answer = "NetworkEntry", e
	case api.KindReplay:
		var e struct{ Type, Timestamp *float64 }
		if err := json.Unmarshal(line, &e); err != nil || e.Type == nil || e.Timestamp == nil {
			return errors.New("is no event of rrweb: an object with type and timestamp")
		}
		return nil
	default:
		return fmt.Errorf("/kind %q has no entries", kind)
	}
	return im.answers.Valid(name, answer)
}

// small refuses a thumbnail that is no picture.
func small(key any, open Opener) error {
	old, r, err := opened(key, open)
	if err != nil {
		return err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, media.Head))
	if err != nil {
		return fmt.Errorf("the bytes of %s: %w", old, err)
	}
	if kind, _ := media.Detect(head, "", ""); !strings.HasPrefix(kind, "image/") {
		return fmt.Errorf("/thumbnail: %s is no picture", old)
	}
	return nil
}

// file stores the bytes of a file and returns how many they are. Those that an import of before
// has left there stay when they are the same.
func (im *Importing) file(ctx context.Context, key any, open Opener) (int64, error) {
	for {
		old, r, err := opened(key, open)
		if err != nil {
			return 0, err
		}
		info, err := im.t.blobs.Put(ctx, im.derive(old), r)
		if err = errors.Join(err, r.Close()); !errors.Is(err, blob.ErrExists) {
			return info.Size, err
		}
		size, same, err := im.same(ctx, old, open)
		if err != nil || same {
			return size, err
		}
		if err := im.t.blobs.Delete(ctx, im.derive(old)); err != nil {
			return 0, err
		}
	}
}

// same says whether what is stored is what the export holds.
func (im *Importing) same(ctx context.Context, old string, open Opener) (size int64, same bool, err error) {
	there, err := im.t.blobs.Open(ctx, im.derive(old))
	if err != nil {
		return 0, false, err
	}
	defer there.Close()
	from, err := open(old)
	if err != nil {
		return 0, false, err
	}
	defer from.Close()
	a, b := sha256.New(), sha256.New()
	size, err = io.Copy(a, there)
	_, ferr := io.Copy(b, from)
	return size, bytes.Equal(a.Sum(nil), b.Sum(nil)), errors.Join(err, ferr)
}
