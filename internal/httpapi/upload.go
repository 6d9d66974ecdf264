package httpapi

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"mime"
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/httpserver"
	"bugslice/internal/input"
	"bugslice/internal/tracker"
)

// upload stores a file: the body, or the one part of a form that has a filename. The tracker reads it as it arrives.
func (q *request) upload() (any, error) {
	in, err := q.call.Input.(input.Valid[api.CreateAttachment]).Value(q.call.Caller.Allow(q.call.Operation.ID))
	if err != nil {
		return nil, err
	}
	file, err := uploadedFile(q, &in)
	if err != nil {
		return nil, err
	}
	file.Length = q.ContentLength
	return q.call.Store(file)
}

// uploadedFile returns the file in a request, which the tracker reads. The Content-Digest of a form is that of the
// whole form, and that of its part is the digest of the file.
func uploadedFile(q *request, in *api.CreateAttachment) (tracker.Upload, error) {
	if err := checkContentHeaders(q.Request); err != nil {
		return tracker.Upload{}, err
	}
	digest, err := parseContentDigest(in.ContentDigest)
	if err != nil {
		return tracker.Upload{}, err
	}
	body := httpserver.NewBody(q.w, q.Request, q.call.Memory, 0)
	contentType := q.Header.Get("Content-Type")
	if mediaType, parameters, _ := mime.ParseMediaType(contentType); mediaType == "multipart/form-data" {
		return formUpload(in, newDigestReader(body, digest), parameters["boundary"])
	}
	content := bufio.NewReader(problemReader{body})
	isNamed := in.Name != "" || filename(in.Disposition) != "" || slices.Contains(jsonKinds, in.Kind)
	if !isNamed && (isAccidental(contentType) || isObjectText(q.ContentLength, content)) {
		return tracker.Upload{}, api.NewProblem(api.CodeMediaType,
			"Send the file as multipart/form-data, or as the body with its own Content-Type. "+
				"A body of JSON is taken for a file only with its name: as the parameter name, or as the filename of Content-Disposition.")
	}
	file := &nonEmptyReader{r: content}
	return tracker.Upload{Body: file, ContentType: contentType, Name: filename(in.Disposition), SHA256: digest}, nil
}

// jsonKinds are the kinds of evidence that are JSON: a body that is none is refused when it is parsed.
var jsonKinds = []api.AttachmentKind{api.KindConsole, api.KindNetwork, api.KindActions, api.KindReplay}

// objectText is the body of a JavaScript client that sends an object without encoding it.
const objectText = "[object Object]"

func isObjectText(length int64, body *bufio.Reader) bool {
	if length != int64(len(objectText)) {
		return false
	}
	text, _ := body.Peek(len(objectText)) // an error is that of the next read, too
	return string(text) == objectText
}

// isAccidental reports whether a content type is one that generated clients send when they encode a form as JSON
// instead of sending a file.
func isAccidental(contentType string) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return mediaType == "application/json" || strings.Contains(mediaType, "*")
}

// filename returns the filename in a Content-Disposition, empty when it has none.
func filename(header string) string {
	_, parameters, err := mime.ParseMediaType(header)
	if err != nil {
		return ""
	}
	return parameters["filename"]
}

var sha256Digest = regexp.MustCompile(`(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):`)

// parseContentDigest returns the SHA-256 in a Content-Digest (RFC 9530), in hexadecimal. It refuses a header that has
// only other algorithms, because the digest would not be verified.
func parseContentDigest(header string) (string, error) {
	if header == "" {
		return "", nil
	}
	all := sha256Digest.FindAllStringSubmatch(header, -1)
	if len(all) != 1 || strings.Count(header, "sha-256=") != 1 {
		return "", api.InvalidParameter("Content-Digest", "wrong_form",
			"must have one sha-256=:…: with the digest in base64")
	}
	sum, err := base64.StdEncoding.DecodeString(all[0][1])
	if err != nil {
		return "", api.InvalidParameter("Content-Digest", "wrong_form", "the digest is not base64")
	}
	return hex.EncodeToString(sum), nil
}

// problemReader refuses a body that cannot be read with a problem.
type problemReader struct{ io.Reader }

func (p problemReader) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = bodyError(err)
	}
	return n, err
}

// digestReader reads a body and computes its SHA-256.
type digestReader struct {
	io.Reader
	hash hash.Hash
	want string // the SHA-256 that verify requires, in hexadecimal; any when empty
}

func newDigestReader(r io.Reader, want string) *digestReader {
	d := &digestReader{hash: sha256.New(), want: want}
	d.Reader = io.TeeReader(problemReader{r}, d.hash)
	return d
}

// verify reads the rest of the body, and refuses a body with another digest.
func (d *digestReader) verify() error {
	if _, err := io.Copy(io.Discard, d); err != nil {
		return err
	}
	if got := hex.EncodeToString(d.hash.Sum(nil)); d.want != "" && got != d.want {
		return api.NewProblem(api.CodeDigest,
			"The body has the SHA-256 "+got+", which is not the one in Content-Digest. Send it again.")
	}
	return nil
}

// bodyError returns the problem of a body of a file or a form that cannot be read.
func bodyError(err error) error {
	if _, ok := errors.AsType[*api.Problem](err); ok {
		return err
	}
	return api.NewProblem(api.CodeMalformedBody, "The body is incomplete, or its Content-Type is wrong.")
}

// nonEmptyReader refuses an empty file.
type nonEmptyReader struct {
	r        io.Reader
	nonEmpty bool
}

func (e *nonEmptyReader) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	e.nonEmpty = e.nonEmpty || n > 0
	if errors.Is(err, io.EOF) && !e.nonEmpty {
		err = api.NewProblem(api.CodeMalformedBody, "The file is empty.")
	}
	return n, err
}
