package trace

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// Limits of what is read of an archive.
const (
	maxDirectory = 8 << 20   // of the list of its entries
	maxUnpacked  = 256 << 20 // of all its entries together
	maxLine      = 16 << 20  // of an event
)

var errTooLarge = errors.New("the archive is too large when it is unpacked")

// archive is a zip file from which entries are read by their names, up to maxUnpacked bytes of all together.
type archive struct {
	files map[string]*zip.File
	left  int64
}

// openArchive reads the list of the entries. It refuses a file that is no zip file or was cut off.
func openArchive(r io.ReaderAt, size int64) (*archive, error) {
	counted := &directoryReader{ReaderAt: r, left: maxDirectory}
	z, err := zip.NewReader(counted, size)
	switch {
	case errors.Is(err, errDirectory):
		return nil, err
	case err != nil && !errors.Is(err, zip.ErrInsecurePath): // no name becomes a path
		return nil, fmt.Errorf("not a complete zip file: %w", err)
	}
	counted.isRead = true
	a := &archive{files: map[string]*zip.File{}, left: maxUnpacked}
	for _, f := range z.File {
		if _, repeated := a.files[f.Name]; !repeated {
			a.files[f.Name] = f
		}
	}
	return a, nil
}

// names returns the names of the entries with a suffix, sorted.
func (a *archive) names(suffix string) (names []string) {
	for name := range a.files {
		if strings.HasSuffix(name, suffix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// read returns an entry of at most limit bytes. It reads nothing of one that is said to have more.
func (a *archive) read(name string, limit int) ([]byte, error) {
	r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	var content []byte
	if a.files[name].UncompressedSize64 <= uint64(limit) {
		content, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	}
	if err == nil && (content == nil || len(content) > limit) {
		err = fmt.Errorf("%s has more than %d KiB", name, limit>>10)
	}
	return content, errors.Join(err, r.Close())
}

// lines yields the lines of an entry, which are valid until the next one, and at last the error with which reading
// ended. A line of more than maxLine bytes is an error after which the next line follows.
func (a *archive) lines(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r, err := a.open(name)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		for buffered := bufio.NewReaderSize(r, 64<<10); err == nil; {
			var line []byte
			line, err = readLine(buffered)
			switch {
			case errors.Is(err, bufio.ErrTooLong):
				if !yield(nil, fmt.Errorf("%s: an event has more than %d MiB", name, maxLine>>20)) {
					return
				}
				err = nil
			case len(line) > 0 && !yield(line, nil):
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(nil, fmt.Errorf("%s: %w", name, err))
		}
	}
}

// readLine returns the next line without its end; ErrTooLong for one of more than maxLine bytes, which it skips.
func readLine(r *bufio.Reader) (line []byte, err error) {
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong && err == nil {
			err = bufio.ErrTooLong
		}
		return bytes.TrimSpace(line), err
	}
}

// open opens an entry, whose bytes count against the limit of the archive.
func (a *archive) open(name string) (io.ReadCloser, error) {
	file, ok := a.files[name]
	if !ok {
		return nil, fmt.Errorf("%q is not in the archive", name)
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &countedReader{r, &a.left}, nil
}

// countedReader subtracts the bytes that are read, and fails when none are left.
type countedReader struct {
	io.ReadCloser
	left *int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	if *c.left <= 0 {
		return 0, errTooLarge
	}
	n, err := c.ReadCloser.Read(p[:min(int64(len(p)), *c.left)])
	*c.left -= int64(n)
	return n, err
}

var errDirectory = errors.New("the archive has too many entries")

// directoryReader reads an archive. It refuses more than left bytes until the directory is read.
type directoryReader struct {
	io.ReaderAt
	left   int64
	isRead bool
}

// ReadAt reads at an offset, or returns errDirectory.
func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if !d.isRead {
		if int64(len(p)) > d.left {
			return 0, errDirectory
		}
		d.left -= int64(len(p))
	}
	return d.ReaderAt.ReadAt(p, at)
}
