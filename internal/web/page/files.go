package page

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/admission"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// Bounds of a form with files. The tracker bounds the bytes of each file.
const (
	MaxFields  = 1 << 20 // bytes of the fields
	maxParts   = 200     // fields
	maxFiles   = 20
	maxDiscard = 128 << 20 // bytes of what nobody reads, so that the browser reads the answer
)

// Files are the files of a form. They follow its fields, and are read one after the other as they arrive.
type Files struct {
	form    *multipart.Reader
	body    *httpserver.Body
	reserve func() *admission.Reservation
	inFile  bool            // whether body.Memory is that of a file
	part    *multipart.Part // the next file
	ended   error
	count   int
}

// FormMemory is the memory of a form.
type FormMemory struct {
	Fields *admission.Reservation
	File   func() *admission.Reservation // returns that of one file
}

// ReadForm reads the fields of a form up to its first file.
func ReadForm(w http.ResponseWriter, r *http.Request, boundary string, memory FormMemory) (url.Values, *Files, error) {
	f := &Files{body: httpserver.NewBody(w, r, memory.Fields, 0), reserve: memory.File}
	f.form = multipart.NewReader(f.body, boundary)
	fields, left := url.Values{}, int64(MaxFields)
	for range maxParts {
		part, err := f.form.NextPart()
		if errors.Is(err, io.EOF) {
			f.ended = io.EOF
			return fields, f, nil
		}
		if err != nil {
			return nil, f, bodyError(err)
		}
		if part.FileName() != "" {
			f.part = part
			return fields, f, nil
		}
		text, err := memory.Fields.ReadAll(r.Context(), io.LimitReader(part, left+1), left)
		if err != nil {
			return nil, f, bodyError(err)
		}
		if left -= int64(len(text)); left < 0 {
			return nil, f, api.NewProblem(api.CodeTooLarge, "The fields of a form may have at most 1 MiB.")
		}
		if !utf8.Valid(text) {
			return nil, f, errNotUTF8
		}
		fields.Add(part.FormName(), string(text))
	}
	return nil, f, api.NewProblem(api.CodeMalformedBody, "The form has too many fields.")
}

// next returns the next file, io.EOF after the last one.
func (f *Files) next() (*tracker.Upload, error) {
	for f.part == nil && f.ended == nil {
		part, err := f.form.NextPart()
		switch {
		case err != nil:
			f.ended = err
		case part.FileName() != "":
			f.part = part
		default:
			f.ended = api.NewProblem(api.CodeMalformedBody, "The fields of a form come before its files.")
		}
	}
	if f.ended != nil {
		return nil, f.ended
	}
	if f.count++; f.count > maxFiles {
		f.ended = api.NewProblem(api.CodeTooLarge, "A form may have at most "+strconv.Itoa(maxFiles)+
			" files. The others were not added.")
		return nil, f.ended
	}
	if !f.inFile { // the memory of the fields is not evicted any more
		if f.ended = f.body.Memory.Complete(); f.ended != nil {
			return nil, f.ended
		}
	}
	f.body.Memory, f.inFile = f.reserve(), true
	part := f.part
	f.part = nil
	return &tracker.Upload{Body: &fileReader{part: part, body: f.body}, ContentType: part.Header.Get("Content-Type"),
		Name:   part.FileName(),
		Length: -1, Memory: f.body.Memory}, nil
}

// Close releases the memory and discards what is left of the form, within bounds.
func (f *Files) Close() {
	if f.inFile {
		f.body.Memory.Release()
	} else {
		_ = f.body.Memory.Complete()
	}
	f.body.Memory = f.reserve()
	_, _ = io.CopyN(io.Discard, f.body, maxDiscard)
	f.body.Memory.Release()
}

// fileReader reads a file of a form. It refuses an empty one.
type fileReader struct {
	part     *multipart.Part
	body     *httpserver.Body
	nonEmpty bool
}

// Read implements io.Reader. A file that has arrived is not evicted while it is stored.
func (r *fileReader) Read(b []byte) (int, error) {
	n, err := r.part.Read(b)
	r.nonEmpty = r.nonEmpty || n > 0
	switch {
	case err == nil:
	case !errors.Is(err, io.EOF):
		return n, bodyError(err)
	case !r.nonEmpty:
		return n, api.NewProblem(api.CodeMalformedBody, "The file is empty.")
	default:
		if evicted := r.body.Memory.Complete(); evicted != nil {
			return n, evicted
		}
	}
	return n, err
}

// FileFailure is a file that was not added to a report. Its name is empty when the rest of the form was not read.
type FileFailure struct{ Name, Detail string }

// StoreFiles adds the files of the form to a report, and returns those that it has added and those that failed. once
// makes a repeated form harmless. forText says that they come for a text. An unknown report is an error.
func (q *Request) StoreFiles(sliceID, once string, forText bool) (
	added []api.Attachment, failed []FileFailure, err error,
) {
	if q.Files == nil {
		return nil, nil, nil
	}
	for i := 0; ; i++ {
		up, err := q.Files.next()
		if errors.Is(err, io.EOF) {
			return added, failed, nil
		}
		if err != nil {
			return added, append(failed, FileFailure{Detail: q.detail(bodyError(err))}), nil
		}
		up.ForText = forText
		a, err := q.storeFile(sliceID, once, i, *up)
		switch {
		case err == nil:
			added = append(added, a)
		case HasCode(err, api.CodeNotFound, api.CodeForbidden, api.CodeUnauthorized):
			return added, failed, err
		default:
			failed = append(failed, FileFailure{up.Name, q.detail(err)})
		}
	}
}

func (q *Request) storeFile(sliceID, once string, i int, up tracker.Upload) (api.Attachment, error) {
	in := api.CreateAttachment{SliceID: sliceID}
	if once != "" {
		in.IdempotencyKey = once + "-" + strconv.Itoa(i)
	}
	v, err := input.Check(in)
	if err != nil {
		return api.Attachment{}, err
	}
	defer up.Memory.Release()
	return q.Tracker.CreateAttachment(q.Context(), q.Session.Caller, v, up)
}

// Problem returns the problem of an error. The cause of a failure of the service goes to the log alone.
func (q *Request) Problem(err error) *api.Problem {
	p, failed := tracker.ProblemOf(q.Context(), err)
	if failed {
		httpserver.Info(q.Request).Err = err
	}
	return p
}

// detail returns what went wrong with a file.
func (q *Request) detail(err error) string {
	p := q.Problem(err)
	if len(p.Errors) > 0 && p.Errors[0].Detail != "" {
		return p.Errors[0].Detail
	}
	return p.Detail
}

// ReadFile returns the bytes of the file of the form. One byte more than limit is the most that is read.
func (q *Request) ReadFile(limit int64) ([]byte, error) {
	if q.Files == nil {
		return nil, io.EOF
	}
	up, err := q.Files.next()
	if err != nil {
		return nil, err
	}
	defer up.Memory.Release()
	return up.Memory.ReadAll(q.Context(), io.LimitReader(up.Body, limit+1), limit+1)
}

// Annotate stores the file of the form as an annotation of an attachment. It replaces the attachment, or stores the
// annotation beside it when keep is set. once makes a repeated form harmless.
func (q *Request) Annotate(of api.Attachment, once string, keep bool) (api.Attachment, error) {
	if q.Files == nil {
		return api.Attachment{}, api.NewProblem(api.CodeMalformedBody, "The form has no file.")
	}
	up, err := q.Files.next()
	if errors.Is(err, io.EOF) {
		err = api.NewProblem(api.CodeMalformedBody, "The form has no file.")
	}
	if err != nil {
		return api.Attachment{}, bodyError(err)
	}
	defer up.Memory.Release()
	up.CopyOf = of.ID
	in := api.CreateAttachment{SliceID: of.SliceID, Kind: of.Kind, Occurrence: int(of.Occurrence)}
	in.IdempotencyKey = once
	if !keep {
		in.Replaces = of.ID
	}
	v, err := input.Check(in)
	if err != nil {
		return api.Attachment{}, err
	}
	return q.Tracker.CreateAttachment(q.Context(), q.Session.Caller, v, *up)
}
