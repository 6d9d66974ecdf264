package tracker

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"

	"bugslice/api"
	"bugslice/internal/evidence"
	"bugslice/internal/media"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// redact removes the secrets of a record's texts, as filing does. A record without any stays as it is,
// to the byte.
func (im *Importing) redact(table string, r store.Record, c redact.Counts) error {
	if im.rules == nil {
		return nil
	}
	switch table {
	case "slices":
		return im.redactSlice(r, c)
	case "comments":
		var f api.CommentFields
		return redactColumns(*im.rules, r, c, &f, map[string]any{"body": &f.Body})
	case "attachments":
		var f api.AttachmentFields
		return redactColumns(*im.rules, r, c, &f, map[string]any{"name": &f.Name})
	case "events":
		return im.redactEvent(r, c)
	}
	return nil
}

// redactColumns reads columns of a record into members of fields, removes the secrets of these, and
// writes those that changed back. A member that is no text is a column of JSON; one that is not of its
// type is left to be refused.
func redactColumns[T any](rules redactor, r store.Record, c redact.Counts, fields *T, members map[string]any) error {
	before := map[string]any{}
	for column, member := range members {
		text, ok := r[column].(string)
		if !ok || text == "" {
			continue
		}
		switch member := member.(type) {
		case *string:
			*member = text
		case **string:
			*member = &text
		default:
			if err := json.Unmarshal([]byte(text), member); err != nil {
				return fmt.Errorf("/%s: %w", column, err)
			}
		}
		before[column] = reflect.ValueOf(member).Elem().Interface()
	}
	_ = redactFields(rules, fields, c)
	for column, was := range before {
		now := reflect.ValueOf(members[column]).Elem().Interface()
		if reflect.DeepEqual(was, now) {
			continue
		}
		switch now := now.(type) {
		case string:
			r[column] = now
		case *string:
			r[column] = *now
		default:
			text, err := json.Marshal(now)
			if err != nil {
				return err
			}
			r[column] = string(text)
		}
	}
	return nil
}

// redactSlice removes the secrets of a slice, and adds to what it says of them.
func (im *Importing) redactSlice(r store.Record, c redact.Counts) error {
	var f api.SliceFields
	err := redactColumns(*im.rules, r, c, &f, map[string]any{"summary": &f.Summary, "description": &f.Description, "source_url": &f.SourceURL,
		"environment": &f.Environment, "metadata": &f.Metadata, "labels": &f.Labels, "external_id": &f.ExternalID})
	if err != nil {
		return err
	}
	if fingerprint, ok := r["fingerprint"].(string); ok {
		r["fingerprint"] = im.rules.keyed(fingerprint, c)
	}
	if symptoms, ok := r["symptoms"].(string); ok {
		r["symptoms"] = im.rules.Text(symptoms, c)
	}
	if text, _ := r["last_occurrence"].(string); text != "" {
		var o *api.Occurrence
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return fmt.Errorf("/last_occurrence: %w", err)
		}
		if changed := cleanOccurrence(*im.rules, o, c); changed {
			short, err := json.Marshal(o)
			if err != nil {
				return err
			}
			r["last_occurrence"] = string(short)
		}
	}
	return im.countSecrets(r, c)
}

// cleanOccurrence removes the secrets of an occurrence, and says whether there were any.
func cleanOccurrence(rules redactor, o *api.Occurrence, c redact.Counts) bool {
	if o == nil {
		return false
	}
	f := api.SliceFields{Environment: o.Environment, Metadata: o.Metadata}
	if o.ExternalID != nil {
		f.ExternalID = new(*o.ExternalID)
	}
	_ = redactFields(rules, &f, c)
	changed := !reflect.DeepEqual(f.Environment, o.Environment) || !maps.Equal(f.Metadata, o.Metadata) || !reflect.DeepEqual(f.ExternalID, o.ExternalID)
	o.Environment, o.Metadata, o.ExternalID = f.Environment, f.Metadata, f.ExternalID
	return changed
}

// countSecrets adds what was removed from a slice to what it says of that.
func (im *Importing) countSecrets(r store.Record, c redact.Counts) error {
	var before *api.Redaction
	if text, _ := r["redaction"].(string); text != "" {
		if err := json.Unmarshal([]byte(text), &before); err != nil {
			return fmt.Errorf("/redaction: %w", err)
		}
	}
	if len(c) == 0 {
		return nil
	}
	text, err := json.Marshal(im.rules.summary(before, c))
	r["redaction"] = string(text)
	return err
}

// importedFile gives the bytes of a file as they are stored here. counts are what was removed from
// them, whole when they were read to their end.
type importedFile struct {
	open   Opener
	counts redact.Counts
}

func (f *importedFile) redacted() (n int) {
	for _, secrets := range f.counts {
		n += secrets
	}
	return n
}

// redactFile removes the secrets of a file that is evidence or text, as an upload does. It changes what
// the record says of evidence.
func (im *Importing) redactFile(r *preparedRecord, open Opener) (*importedFile, error) {
	f := &importedFile{open: open}
	packed := whole(r.Record["packed"]) == 1
	if packed {
		kind, _ := r.Record["kind"].(string)
		f.open = repacked(api.AttachmentKind(kind), open)
	}
	if im.rules == nil {
		return f, nil
	}
	if packed {
		return f, im.redactEvidence(r.Record, open, f)
	}
	contentType, _ := r.Record["content_type"].(string)
	f.open = func(key string) (io.ReadCloser, error) {
		f.counts = redact.Counts{}
		file, err := open(key)
		if err != nil {
			return nil, err
		}
		head := bufio.NewReaderSize(file, media.HeadSize)
		first, err := head.Peek(media.HeadSize)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, errors.Join(err, file.Close())
		}
		found, _ := media.Detect(first, contentType, "") // its name may have changed since
		if !media.IsText(found) {
			return readCloser{head, file}, nil
		}
		return readCloser{im.rules.Reader(media.UTF8(head), f.counts), file}, nil
	}
	return f, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// redactEvidence reads evidence anew. Where nothing is removed, its rows stay as they are.
func (im *Importing) redactEvidence(r store.Record, open Opener, f *importedFile) error {
	if whole(r["size"]) > mostRow {
		return fmt.Errorf("/size is more than the %d MiB that are searched for secrets; --as-is imports it as it is", mostRow>>20)
	}
	_, packed, err := opened(r["blob"], open)
	if err != nil {
		return err
	}
	defer packed.Close()
	var lines bytes.Buffer
	lines.Grow(int(whole(r["size"])))
	err = evidence.EachLine(packed, func(line []byte) (bool, error) {
		lines.Write(line)
		lines.WriteByte('\n')
		return true, nil
	})
	if err != nil {
		return err
	}
	said, _ := r["kind"].(string)
	counts := redact.Counts{}
	set, err := evidence.Parse(api.AttachmentKind(said), lines.Bytes(), im.rules.Redactor, counts)
	if err != nil {
		return fmt.Errorf("it cannot be searched for secrets: %w; --as-is imports it as it is", err)
	}
	if len(counts) == 0 {
		return nil
	}
	var a store.Attachment
	stored := packSet(&a, set)
	r["size"], r["sha256"], r["entries"] = number(a.Size), a.SHA256, number(*a.Entries)
	f.counts = counts
	f.open = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(stored)), nil }
	return nil
}
