package httpapi

import (
	"errors"
	"io"
	"mime/multipart"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// formUpload reads a form up to its file, which is read by the tracker. The fields of the form are set in in; those
// after the file are set when the file was read to its end.
func formUpload(in *api.CreateAttachment, body *digestReader, boundary, digest string) (tracker.Upload, error) {
	if boundary == "" {
		return tracker.Upload{}, api.Refuse(api.CodeMalformedBody, "multipart/form-data needs its boundary.")
	}
	form := multipart.NewReader(body, boundary)
	part, err := nextFile(form, in)
	if errors.Is(err, io.EOF) {
		err = api.Refuse(api.CodeMalformedBody, "No part of the form has a filename. Send the file as a part with a filename.")
	}
	if err != nil {
		return tracker.Upload{}, bodyError(err)
	}
	file := &formFile{part: part, form: form, in: in, body: body, digest: digest}
	up := tracker.Upload{Body: &nonEmptyReader{r: file}, ContentType: part.Header.Get("Content-Type"), Name: part.FileName(), Form: in}
	up.SHA256, err = parseContentDigest(part.Header.Get("Content-Digest"))
	return up, err
}

// maxFields bounds how many parts without a filename a form has before a file, and after it.
const maxFields = 20

// nextFile sets the fields of a form up to its next file, which it returns. The error is io.EOF when there is none.
func nextFile(form *multipart.Reader, in *api.CreateAttachment) (*multipart.Part, error) {
	for range maxFields {
		part, err := form.NextPart()
		if err != nil || part.FileName() != "" {
			return part, err
		}
		if err := setField(in, part); err != nil {
			return nil, err
		}
	}
	return nil, api.Refuse(api.CodeMalformedBody, "The form has too many parts without a filename.")
}

// setField sets the kind or the name from a part. A value that was set before must be the same.
func setField(in *api.CreateAttachment, part *multipart.Part) error {
	raw, err := io.ReadAll(io.LimitReader(part, 1000))
	if err != nil {
		return err
	}
	text := strings.TrimSpace(string(raw))
	former := map[string]string{"kind": string(in.Kind), "name": in.Name}[part.FormName()]
	if former != "" && former != text {
		return api.InvalidParameter(part.FormName(), "repeated", "must be given once")
	}
	switch part.FormName() {
	case "kind":
		in.Kind = api.AttachmentKind(text)
		if !slices.Contains(in.Kind.Values(), text) {
			return api.InvalidParameter("kind", "not_allowed", "must be one of "+strings.Join(in.Kind.Values(), ", "))
		}
		return nil
	case "name":
		in.Name = text
		return nil
	default:
		return api.Refuse(api.CodeMalformedBody, "A part without a filename is kind or name, not "+input.Quote(part.FormName())+".")
	}
}

// formFile reads the file of a form. Fields may follow the file, but no second file. The digest is that of the whole
// body, or empty.
type formFile struct {
	part   *multipart.Part
	form   *multipart.Reader
	in     *api.CreateAttachment
	body   *digestReader
	digest string
}

func (f *formFile) Read(b []byte) (int, error) {
	n, err := f.part.Read(b)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return n, bodyError(err)
	}
	switch _, err := nextFile(f.form, f.in); {
	case err == nil:
		return n, api.Refuse(api.CodeMalformedBody, "The form has two files. Send one file in a request.")
	case !errors.Is(err, io.EOF):
		return n, bodyError(err)
	}
	if err := f.body.verify(f.digest); err != nil {
		return n, err
	}
	return n, io.EOF
}
