package tracker

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"

	"bugslice/api"
	"bugslice/internal/blob"
	"bugslice/internal/evidence"
	"bugslice/internal/id"
	"bugslice/internal/media"
	"bugslice/internal/redact"
)

// FileBatch stores the bytes of files before the records that name them. Its keys stay reserved while it stores
// further files. Keys that no record comes to name are removed in the background.
type FileBatch struct {
	t    *Tracker
	keys []string
}

// NewFileBatch returns an empty batch.
func (o OrganizationOperator) NewFileBatch() *FileBatch { return &FileBatch{t: o.t} }

// Store stores the bytes of a file under a new key.
func (b *FileBatch) Store(ctx context.Context, src io.Reader) (key string, info blob.Info, err error) {
	key = id.New(id.Blob)
	if err := b.t.reserveBlobs(ctx, key); err != nil {
		return "", blob.Info{}, err
	}
	b.keys = append(b.keys, key)
	info, err = b.t.blobs.Put(ctx, key, b.t.extendWhileReading(ctx, src, b.keys...))
	return key, info, err
}

// Redactor removes secrets by the rules of a workspace, as the operations of the API do. The operator may send
// it any amount of text. Err reports whether its results may be used, and is asked after the last of them.
type Redactor struct{ redactor redactor }

// Redactor returns the redactor of a workspace.
func (o OrganizationOperator) Redactor(ctx context.Context, workspaceID string) (*Redactor, error) {
	rules, err := o.t.redactorFor(ctx, o.c, o.t.access.Read(ctx), workspaceID)
	if err != nil {
		return nil, err
	}
	rules.Redactor = rules.Within(ctx, math.MaxInt64)
	return &Redactor{rules}, nil
}

// Err returns why the results must not be used, nil when they may be.
func (r *Redactor) Err() error { return r.redactor.checkCost() }

// Clean returns a reader of a file without its metadata; nil when the workspace keeps it.
func (r *Redactor) Clean(file io.Reader, contentType string) *media.Cleaner {
	if r.redactor.keepsMetadata {
		return nil
	}
	return media.Clean(file, contentType)
}

// RedactFields removes the secrets of the members of a record whose tags say how they are searched.
func RedactFields[T any](r *Redactor, fields *T, c redact.Counts) {
	_ = redactFields(r.redactor, fields, c) // Err returns the error
}

// RedactPrevious redacts the previous values that an event has of the fields of T. Its other values stay.
func RedactPrevious[T any](r *Redactor, previous map[string]any, c redact.Counts) error {
	var zero T
	fields, err := jsonObject(zero)
	if err != nil {
		return err
	}
	patch := maps.Clone(previous)
	maps.DeleteFunc(patch, func(name string, _ any) bool { return !hasKey(fields, name) })
	redacted, err := redactPatch[T](r.redactor, patch, c)
	if err != nil {
		return fmt.Errorf("/data/previous: %w", err)
	}
	maps.Copy(previous, redacted)
	return nil
}

// Text removes the secrets of a text.
func (r *Redactor) Text(text string, c redact.Counts) string { return r.redactor.Text(text, c) }

// StoredForm returns the form in which an identifier is stored: its keyed hash if it contains a secret, else the value.
func (r *Redactor) StoredForm(value string, c redact.Counts) string {
	return r.redactor.storedForm(value, c)
}

// Reader removes the secrets of a file of text while it is read.
func (r *Redactor) Reader(src io.Reader, c redact.Counts) io.Reader { return r.redactor.Reader(src, c) }

// Evidence reads a file as evidence of a kind, without secrets.
func (r *Redactor) Evidence(kind api.AttachmentKind, file []byte, c redact.Counts) (evidence.Set, error) {
	return evidence.Parse(kind, file, r.redactor.Redactor, c)
}

// Summarize adds what was removed to the summary of a slice.
func (r *Redactor) Summarize(before *api.Redaction, c redact.Counts) *api.Redaction {
	return r.redactor.summary(before, c)
}

// IsUnsafeAddress reports whether an address would run a script in the page where somebody clicks on it.
func IsUnsafeAddress(address string) bool { return isScriptURL(address) }
