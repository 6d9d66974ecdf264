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

// writeWhole writes a zip file whole or not at all, and returns how many bytes it has. A file
// that is there stays. What a try that was killed has left of the same one is removed.
func writeWhole(ctx context.Context, output string, fill func(*zip.Writer) error) (int64, error) {
	if _, err := os.Stat(output); !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s exists; name a file that does not", output)
	}
	parts := "." + filepath.Base(output) + ".part-"
	if err := sweepParts(filepath.Dir(output), parts); err != nil {
		return 0, err
	}
	f, err := os.CreateTemp(filepath.Dir(output), parts+"*") // mode 0600
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	z := zip.NewWriter(until{ctx, f})
	err = errors.Join(fill(z), z.Close(), f.Sync())
	info, serr := f.Stat()
	if err = errors.Join(err, serr, f.Close()); err != nil {
		return 0, err
	}
	return info.Size(), os.Rename(f.Name(), output)
}

// until refuses to write once its time is over.
type until struct {
	ctx context.Context
	io.Writer
}

func (u until) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Writer.Write(b)
}

// sweepParts removes parts that nobody writes any more.
func sweepParts(dir, prefix string) error {
	all, err := os.ReadDir(dir)
	for _, e := range all {
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
	return err
}
