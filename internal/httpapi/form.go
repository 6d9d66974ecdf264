package httpapi

import (
	"errors"
	"io"
	"mime/multipart"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// formUpload reads a form up to its file, which the tracker reads. It sets the fields before the file in in; those
// after the file are set when the file has been read to its end. It refuses a form without a file.
func formUpload(in *api.CreateAttachment, body *digestReader, boundary string) (tracker.Upload, error) {
	if boundary == "" {
		return tracker.Upload{}, api.NewProblem(api.CodeMalformedBody, "multipart/form-data needs its boundary.")
	}
	form := multipart.NewReader(body, boundary)
	part, err := nextFile(form, in)
	if errors.Is(err, io.EOF) {
		err = api.NewProblem(api.CodeMalformedBody,
			"No part of the form has a filename. Send the file as a part with a filename.")
	}
	if err != nil {
		return tracker.Upload{}, bodyError(err)
	}
	digest, err := parseContentDigest(part.Header.Get("Content-Digest"))
	file := &nonEmptyReader{r: &formFile{part: part, form: form, in: in, body: body}}
	return tracker.Upload{Body: file, ContentType: part.Header.Get("Content-Type"), Name: part.FileName(), Form: in,
		SHA256: digest}, err
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
	return nil, api.NewProblem(api.CodeMalformedBody, "The form has too many parts without a filename.")
}

// setField sets the kind, the name or the occurrence from a part. It refuses a second value that differs from the
// first.
func setField(in *api.CreateAttachment, part *multipart.Part) error {
	raw, err := io.ReadAll(io.LimitReader(part, 1000))
	if err != nil {
		return err
	}
	name, text := part.FormName(), strings.TrimSpace(string(raw))
	var current string
	switch name {
	case "kind":
		current = string(in.Kind)
		in.Kind = api.AttachmentKind(text)
	case "name":
		current = in.Name
		in.Name = text
	case "occurrence":
		return setOccurrence(in, text)
	default:
		return api.NewProblem(api.CodeMalformedBody, "A part without a filename is kind, name or occurrence, not "+
			input.Quote(name)+".")
	}
	if current != "" && current != text {
		return api.InvalidParameter(name, "repeated", "must be given once")
	}
	if kinds := in.Kind.Values(); name == "kind" && !slices.Contains(kinds, text) {
		return api.InvalidParameter("kind", "not_allowed", "must be one of "+strings.Join(kinds, ", "))
	}
	return nil
}

// setOccurrence sets the occurrence from the text of a part.
func setOccurrence(in *api.CreateAttachment, text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	switch {
	case err != nil || n < 1:
		return api.InvalidParameter("occurrence", "not_allowed", "must be the number of an occurrence")
	case in.Occurrence != 0 && in.Occurrence != int(n):
		return api.InvalidParameter("occurrence", "repeated", "must be given once")
	}
	in.Occurrence = int(n)
	return nil
}

// formFile reads the file of a form. At the end of the file, it reads the rest of the form: it sets the fields after
// the file, refuses a second file, and verifies the digest of the form.
type formFile struct {
	part *multipart.Part
	form *multipart.Reader
	in   *api.CreateAttachment
	body *digestReader
}

func (f *formFile) Read(b []byte) (int, error) {
	n, err := f.part.Read(b)
	if err == nil {
		return n, nil
	}
	if !errors.Is(err, io.EOF) {
		return n, bodyError(err)
	}
	_, err = nextFile(f.form, f.in)
	if err == nil {
		return n, api.NewProblem(api.CodeMalformedBody, "The form has two files. Send one file in a request.")
	}
	if !errors.Is(err, io.EOF) {
		return n, bodyError(err)
	}
	if err := f.body.verify(); err != nil {
		return n, err
	}
	return n, io.EOF
}
