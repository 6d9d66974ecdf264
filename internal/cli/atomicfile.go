package cli

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// writeAtomically writes a zip file completely or not at all, and returns its size. It refuses to replace a file. It
// removes the partial files of the same name that a killed process has left.
func writeAtomically(ctx context.Context, output string, write func(*zip.Writer) error) (int64, error) {
	if _, err := os.Stat(output); !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s exists; name a file that does not", output)
	}
	prefix := "." + filepath.Base(output) + ".part-"
	if err := removePartial(filepath.Dir(output), prefix); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(output), prefix+"*") // mode 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	// The lock tells removePartial of another process that this one still writes the file.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	z := zip.NewWriter(ctxWriter{ctx, f})
	err = errors.Join(write(z), z.Close(), f.Sync())
	info, statErr := f.Stat()
	if err = errors.Join(err, statErr, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(f.Name(), output)
}

// ctxWriter refuses to write once its context has ended.
type ctxWriter struct {
	ctx context.Context
	io.Writer
}

func (w ctxWriter) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(b)
}

// removePartial removes the partial files with a prefix, except those that a process still writes. A file that cannot
// be opened stays, such as one of another user.
func removePartial(dir, prefix string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.Remove(f.Name())
		}
		_ = f.Close()
	}
	return nil
}
