package tracker

import (
	"bytes"
	"compress/gzip"
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
	"bugslice/internal/input"
	"bugslice/internal/media"
	"bugslice/internal/store"
)

// Opener gives the bytes of a file by its key in the export.
type Opener func(key string) (io.ReadCloser, error)

// files stores the bytes of attachments that are not there yet, when they are what the record
// says. It returns the records of those that have some.
func (im *Importing) files(ctx context.Context, all []preparedRecord, open Opener) (present []preparedRecord, err error) {
	im.reserved = nil
	for _, r := range all {
		if err := im.own(r.Record); err != nil {
			return nil, about("attachments", r.Record, err)
		}
		old, _ := r.Record["id"].(string)
		if _, err := im.t.store.Read(ctx).Attachment(im.derive(old)); !errors.Is(err, store.ErrNotFound) {
			if err != nil {
				return nil, err
			}
			present = append(present, r)
			continue
		}
		err := im.attachment(ctx, &r, open)
		if errors.Is(err, fs.ErrNotExist) {
			im.Report.FilesMissing++
			continue
		}
		if err != nil {
			return nil, about("attachments", r.Record, err)
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

func (im *Importing) attachment(ctx context.Context, r *preparedRecord, open Opener) error {
	if err := im.refers("attachments", r.Record); err != nil {
		return err
	}
	contentType, _ := r.Record["content_type"].(string)
	if _, _, err := mime.ParseMediaType(contentType); err != nil {
		return fmt.Errorf("/content_type %q is none: %w", truncate(contentType, maxQuoted), err)
	}
	if err := im.as(r.Record, open); err != nil {
		return err
	}
	content, err := im.redactFile(r, open)
	if err != nil {
		return err
	}
	key, info, err := im.file(ctx, r.Record["blob"], content.open)
	if err != nil {
		return err
	}
	r.Record["blob"], r.redacted = key, content.redacted()
	stored := info.Size
	if whole(r.Record["packed"]) == 0 {
		r.Record["size"], r.Record["sha256"] = number(info.Size), info.SHA256
	}
	if r.Record["thumbnail"] != nil {
		if err := small(r.Record["thumbnail"], open); err != nil {
			return err
		}
		thumbnail, info, err := im.file(ctx, r.Record["thumbnail"], open)
		if err != nil {
			return err
		}
		r.Record["thumbnail"], stored = thumbnail, stored+info.Size
	}
	r.Record["stored"] = number(stored)
	return nil
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

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
		return old, nil, fmt.Errorf("%q is no key of a file", truncate(old, maxQuoted))
	}
	r, err := open(old)
	return old, r, err
}

// mostRow is how many bytes of memory a row of evidence may take. No larger set was ever kept, but by
// early versions.
const mostRow = 32 << 20

// rowsFit refuses packed bytes with a row that is longer, before it is read into memory.
func rowsFit(key any, open Opener) error {
	old, packed, err := opened(key, open)
	if err != nil {
		return err
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("the bytes of %s: %w", old, err)
	}
	buffer, row := make([]byte, 64<<10), 0
	for {
		n, err := z.Read(buffer)
		first := bytes.IndexByte(buffer[:n], '\n')
		if first < 0 {
			row += n
		} else if row += first; row <= mostRow {
			row = n - 1 - bytes.LastIndexByte(buffer[:n], '\n')
		}
		switch {
		case row > mostRow:
			return fmt.Errorf("the bytes of %s: a row has more than %d MiB", old, mostRow>>20)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the bytes of %s: %w", old, err)
		}
	}
}

// as refuses bytes that are not what a record says of them.
func (im *Importing) as(r store.Record, open Opener) error {
	if whole(r["packed"]) == 1 {
		if err := rowsFit(r["blob"], open); err != nil {
			return err
		}
	}
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
		rows := int64(evidence.FirstIndex(kind) - 1)
		err = evidence.EachLine(from, func(line []byte) (bool, error) {
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
	var entry any
	switch kind {
	case api.KindConsole:
		e := api.ConsoleEntry{}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		e.Message, e.Stack, e.Args = "", nil, []json.RawMessage{}
		entry = e
	case api.KindActions:
		e := api.ActionEntry{}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		e.Type = truncate(e.Type, 50)
		e.Selector, e.Text, e.Value, e.URL = nil, nil, nil, nil
		entry = e
	case api.KindNetwork:
		if head {
			return nil
		}
		e, err := evidence.Summary(line)
		if err != nil {
			return err
		}
		entry = e
	case api.KindReplay:
		var e struct{ Type, Timestamp *float64 }
		if err := json.Unmarshal(line, &e); err != nil || e.Type == nil || e.Timestamp == nil {
			return errors.New("is no event of rrweb: an object with type and timestamp")
		}
		return nil
	default:
		return fmt.Errorf("/kind %q has no entries", kind)
	}
	return input.RecordSchema(entry)
}

// small refuses a thumbnail that is no picture.
func small(key any, open Opener) error {
	old, r, err := opened(key, open)
	if err != nil {
		return err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, media.HeadSize))
	if err != nil {
		return fmt.Errorf("the bytes of %s: %w", old, err)
	}
	if kind, _ := media.Detect(head, "", ""); !strings.HasPrefix(kind, "image/") {
		return fmt.Errorf("/thumbnail: %s is no picture", old)
	}
	return nil
}

// file stores the bytes of a file under a key of its own, and returns it with what they are. The keys of
// the batch stay reserved meanwhile. What a broken import leaves is removed when that ends.
func (im *Importing) file(ctx context.Context, key any, open Opener) (string, blob.Info, error) {
	_, r, err := opened(key, open)
	if err != nil {
		return "", blob.Info{}, err
	}
	own := id.New(id.Blob)
	if err := im.t.reserveBlobs(ctx, own); err != nil {
		return "", blob.Info{}, errors.Join(err, r.Close())
	}
	im.reserved = append(im.reserved, own)
	info, err := im.t.blobs.Put(ctx, own, im.t.extendWhileReading(ctx, r, im.reserved...))
	return own, info, errors.Join(err, r.Close())
}
