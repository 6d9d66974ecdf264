package intakeapi

import (
	"encoding/base64"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/intake"
)

// The protocol (https://tus.io/protocols/resumable-upload).
const (
	tusVersion    = "1.0.0"
	tusExtensions = "creation,expiration,termination"
	pieceType     = "application/offset+octet-stream"
	maxMetadata   = 8000 // characters
)

// options says what the protocol can, to a client that is no page of another origin.
func (a *API) options(w http.ResponseWriter, r *http.Request) {
	httpserver.Info(r).Operation = "intake.options"
	h := w.Header()
	h.Set("Tus-Resumable", tusVersion)
	h.Set("Tus-Version", tusVersion)
	h.Set("Tus-Extension", tusExtensions)
	w.WriteHeader(http.StatusNoContent)
}

// checkVersion refuses another version of the protocol.
func checkVersion(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Tus-Resumable", tusVersion)
	if r.Header.Get("Tus-Resumable") == tusVersion {
		return nil
	}
	w.Header().Set("Tus-Version", tusVersion)
	return api.NewProblem(api.CodePrecondition, "Uploads follow the tus protocol. Send Tus-Resumable: "+tusVersion+".")
}

func (a *API) create(w http.ResponseWriter, r *http.Request) error {
	if err := checkVersion(w, r); err != nil {
		return err
	}
	site, err := a.enter(r, false)
	if err != nil {
		return err
	}
	f, err := fileOf(r.Header)
	if err != nil {
		return err
	}
	u, err := a.server.Create(r.Context(), site, f)
	if err != nil {
		return err
	}
	w.Header().Set("Location", path.Join(r.URL.Path, u.Address))
	setOffset(w.Header(), u)
	w.WriteHeader(http.StatusCreated)
	return nil
}

// fileOf returns the file that a request describes.
func fileOf(h http.Header) (f intake.File, err error) {
	if f.Length, err = parseBytes(h.Get("Upload-Length")); err != nil {
		return f, api.InvalidParameter("Upload-Length", "wrong_form", "must be the number of bytes of the file")
	}
	metadata, err := parseMetadata(h.Get("Upload-Metadata"))
	f.Receipt, f.Part, f.Kind, f.Encoding = metadata["receipt"], metadata["part"], metadata["kind"],
		metadata["encoding"]
	f.Name, f.MediaType = metadata["filename"], metadata["filetype"]
	return f, err
}

// parseBytes parses a number of bytes: digits alone.
func parseBytes(text string) (int64, error) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64)
}

var errMetadata = api.InvalidParameter("Upload-Metadata", "wrong_form",
	"must be pairs of a name and a text in base64, separated by commas, without a name twice")

// parseMetadata parses the header of a file: names, each with a text in base64 or without one.
func parseMetadata(text string) (map[string]string, error) {
	all := map[string]string{}
	if len(text) > maxMetadata {
		return nil, errMetadata
	}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), " ")
		value, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if _, twice := all[name]; err != nil || twice || !utf8.Valid(value) {
			return nil, errMetadata
		}
		all[name] = string(value)
	}
	return all, nil
}

// setOffset says how much of a file has arrived, and until when it is kept.
func setOffset(h http.Header, u intake.Upload) {
	h.Set("Upload-Offset", strconv.FormatInt(u.Offset, 10))
	h.Set("Upload-Expires", u.Expires.UTC().Format(http.TimeFormat))
}

// upload returns the upload of a request.
func (a *API) upload(w http.ResponseWriter, r *http.Request) (intake.Site, intake.Upload, error) {
	if err := checkVersion(w, r); err != nil {
		return intake.Site{}, intake.Upload{}, err
	}
	site, err := a.enter(r, true)
	if err != nil {
		return site, intake.Upload{}, err
	}
	u, err := a.server.Upload(r.Context(), site, r.PathValue("address"))
	return site, u, err
}

func (a *API) offset(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodHead {
		return api.NewProblem(api.CodeMethod, "This path allows DELETE, HEAD and PATCH, not GET.")
	}
	_, u, err := a.upload(w, r)
	if err != nil {
		return err
	}
	setOffset(w.Header(), u)
	w.Header().Set("Upload-Length", strconv.FormatInt(u.Length, 10))
	w.WriteHeader(http.StatusOK)
	return nil
}

func (a *API) piece(w http.ResponseWriter, r *http.Request) error {
	site, u, err := a.upload(w, r)
	if err != nil {
		return err
	}
	if r.Header.Get("Content-Type") != pieceType {
		return api.NewProblem(api.CodeMediaType, "Send the piece as Content-Type: "+pieceType+".")
	}
	offset, err := parseBytes(r.Header.Get("Upload-Offset"))
	if err != nil {
		return api.InvalidParameter("Upload-Offset", "wrong_form", "must be the number of bytes that have arrived")
	}
	memory := a.server.Tracker.Reserve(visitor(r), func() { httpserver.InterruptRead(w) })
	defer memory.Release()
	limit := u.Length - u.Offset + 1 // one more, by which a file is found that is longer than it said
	u, err = a.server.Append(r.Context(), site, intake.Piece{Upload: u, Offset: offset,
		Body: httpserver.NewBody(w, r, memory, limit), Memory: memory})
	if unread, ok := errors.AsType[*intake.BodyError](err); ok {
		return bodyError(unread)
	}
	if err != nil {
		return err
	}
	setOffset(w.Header(), u)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) delete(w http.ResponseWriter, r *http.Request) error {
	_, u, err := a.upload(w, r)
	if err != nil {
		return err
	}
	if err := a.server.Delete(r.Context(), u); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
