package blob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// dir keeps blobs in files: root/ab/key, where ab are the last characters of the key, which
// are random. What is being written is in root/tmp.
type dir struct{ root string }

const tmp = "tmp"

func openDir(root string) (Store, error) {
	if err := os.MkdirAll(filepath.Join(root, tmp), 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the directory of files: %w", err)
	}
	root, err := filepath.EvalSymlinks(root) // WalkDir would not follow it
	if err != nil {
		return nil, fmt.Errorf("cannot open the directory of files: %w", err)
	}
	return &dir{root: root}, nil
}

// Memory is nothing: a file is written as it comes.
func (d *dir) Memory() int64 { return 0 }

func (d *dir) path(key string) string { return filepath.Join(d.root, key[len(key)-2:], key) }

// Put writes to a temporary file, and gives it its name when it is whole and on the disk.
func (d *dir) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	f, err := os.CreateTemp(filepath.Join(d.root, tmp), "put-*") // mode 0600
	if err != nil {
		return Info{}, unavailable(err)
	}
	defer os.Remove(f.Name())
	c := newCounter(ctx, r)
	_, err = io.Copy(f, c)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return Info{}, unavailable(err)
	}
	if err := d.place(f.Name(), d.path(key)); err != nil {
		return Info{}, err
	}
	return c.info(), nil
}

// place names a file, and puts the name on the disk. It never replaces another.
func (d *dir) place(from, to string) error {
	parent := filepath.Dir(to)
	if err := os.Mkdir(parent, 0o700); err == nil {
		err = syncDir(d.root)
		if err != nil {
			return unavailable(err)
		}
	} else if !errors.Is(err, fs.ErrExist) {
		return unavailable(err)
	}
	if err := os.Link(from, to); errors.Is(err, fs.ErrExist) {
		return ErrExists
	} else if err != nil {
		return unavailable(err)
	}
	if err := syncDir(parent); err != nil {
		return errors.Join(unavailable(err), os.Remove(to))
	}
	return nil
}

func syncDir(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// unavailable names the faults of the disk; others, those of the reader among them, pass.
func unavailable(err error) error {
	for _, e := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EFBIG, syscall.EACCES, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, e) {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return err
}

type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }

func (d *dir) Open(_ context.Context, key string) (Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	f, err := os.Open(d.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, unavailable(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(unavailable(err), f.Close())
	}
	return file{f, info.Size()}, nil
}

func (d *dir) Delete(_ context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := os.Remove(d.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}

func (d *dir) List(ctx context.Context, fn func(Entry) error) error {
	return filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if e.IsDir() {
			if path != d.root && len(e.Name()) != 2 { // tmp, or somebody else's
				return fs.SkipDir
			}
			return nil
		}
		if checkKey(e.Name()) != nil || path != d.path(e.Name()) {
			return nil
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return fn(Entry{Key: e.Name(), Size: info.Size(), Modified: info.ModTime()})
	})
}

func (d *dir) Sweep(_ context.Context, before time.Time) (n int, err error) {
	all, err := os.ReadDir(filepath.Join(d.root, tmp))
	for _, e := range all {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), "put-") || !info.ModTime().Before(before) {
			continue
		}
		if os.Remove(filepath.Join(d.root, tmp, e.Name())) == nil {
			n++
		}
	}
	return n, err
}

func (d *dir) Owner(context.Context) (Owner, error) {
	f, err := os.Open(filepath.Join(d.root, ownerName))
	if errors.Is(err, fs.ErrNotExist) {
		return Owner{}, nil
	}
	if err != nil {
		return Owner{}, unavailable(err)
	}
	defer f.Close()
	return decodeOwner(f)
}

// SetOwner compares and replaces under a lock between processes.
func (d *dir) SetOwner(ctx context.Context, old, o Owner) error {
	lock, err := os.OpenFile(filepath.Join(d.root, tmp, "owner.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return unavailable(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return unavailable(err)
	}
	if now, err := d.Owner(ctx); err != nil {
		return err
	} else if now != old {
		return ErrOwnerChanged
	}
	f, err := os.CreateTemp(filepath.Join(d.root, tmp), "put-*")
	if err != nil {
		return unavailable(err)
	}
	defer os.Remove(f.Name())
	err = json.NewEncoder(f).Encode(o)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(d.root, ownerName))
	}
	if err == nil {
		err = syncDir(d.root)
	}
	return unavailable(err)
}

func (d *dir) Check(context.Context) error {
	f, err := os.CreateTemp(filepath.Join(d.root, tmp), "put-*")
	if err != nil {
		return fmt.Errorf("the directory of files cannot be written: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
