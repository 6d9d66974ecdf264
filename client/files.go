package client

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"bugslice/api"
)

// Upload is a file that is sent. Its content is read as it is sent, and not kept in memory.
type Upload struct {
	// Content is read to its end, and not closed. One that is an io.Seeker is sent again when an attempt fails; the
	// size of another one is not known, and it is sent once.
	Content io.Reader
	// ContentType is the media type; the service detects that of most files.
	ContentType string
	// Progress is told how many bytes were sent, and how many there are: -1 when that is not known. It begins at 0
	// with each attempt.
	Progress func(sent, total int64)
}

// body returns the body that sends the file.
func (u Upload) body() (*body, error) {
	if u.Content == nil {
		return nil, errors.New("client: the upload has no content")
	}
	b := &body{contentType: u.ContentType, size: -1, once: true}
	if b.contentType == "" {
		b.contentType = "application/octet-stream"
	}
	b.open = func() (io.Reader, error) { return withProgress(u.Content, b.size, u.Progress), nil }
	s, ok := u.Content.(io.Seeker)
	if !ok {
		return b, nil
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil { // such as a pipe
		return b, nil
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	b.size, b.once = end-start, false
	b.open = func() (io.Reader, error) {
		_, err := s.Seek(start, io.SeekStart)
		return withProgress(u.Content, b.size, u.Progress), err
	}
	return b, nil
}

// CreateAttachment adds a file to a slice: the operation createAttachment.
func (c *Client) CreateAttachment(ctx context.Context, in api.CreateAttachment, file Upload) (api.Attachment, error) {
	var out api.Attachment
	r, err := newRequest(in)
	if err != nil {
		return out, err
	}
	if r.body, err = file.body(); err != nil {
		return out, err
	}
	err = c.callJSON(ctx, r, &out)
	return out, err
}

// Download is a response that is read as it arrives. The caller closes it.
type Download struct {
	io.ReadCloser
	Name        string // of the file; empty when it has none
	ContentType string
	Size        int64 // in bytes; -1 when it is not known
}

// Open carries out an operation that reads and returns the response as it is: a file, or JSON that is too large for
// memory, such as that of GetReplay. The end of the context ends the download.
func (c *Client) Open(ctx context.Context, in api.AnyInput) (*Download, error) {
	r, err := newRequest(in)
	if err != nil {
		return nil, err
	}
	if _, isFile := r.op.Out().(api.Bytes); isFile {
		r.accept = "*/*"
	}
	return c.open(ctx, r)
}

func (c *Client) open(ctx context.Context, r *request) (*Download, error) {
	if r.op.Method != http.MethodGet {
		return nil, errors.New("client: " + r.op.ID + " reads nothing")
	}
	d := &Download{}
	err := c.do(ctx, r, func(res *http.Response) error {
		_, parameters, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
		*d = Download{ReadCloser: res.Body, Name: parameters["filename"], ContentType: res.Header.Get("Content-Type"),
			Size: res.ContentLength}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Save writes a download and closes it. progress may be nil; it is told how many bytes were written, and how many
// there are: -1 when that is not known.
func (d *Download) Save(w io.Writer, progress func(written, total int64)) error {
	defer d.Close()
	_, err := io.Copy(w, withProgress(d, d.Size, progress))
	return err
}

// Markdown returns a slice as Markdown for people and language models.
func (c *Client) Markdown(ctx context.Context, in api.GetSlice) (string, error) {
	r, err := newRequest(in)
	if err != nil {
		return "", err
	}
	r.accept = "text/markdown"
	d, err := c.open(ctx, r)
	if err != nil {
		return "", err
	}
	defer d.Close()
	text, err := c.readAll(d)
	return string(text), err
}

// withProgress returns a reader that tells how much of r was read.
func withProgress(r io.Reader, total int64, tell func(done, total int64)) io.Reader {
	if tell == nil {
		return struct{ io.Reader }{r} // not a WriterTo of another position
	}
	return &progressReader{r: r, total: total, tell: tell}
}

type progressReader struct {
	r           io.Reader
	done, total int64
	tell        func(done, total int64)
}

func (p *progressReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.done += int64(n); n > 0 || err != nil {
		p.tell(p.done, p.total)
	}
	return n, err
}
