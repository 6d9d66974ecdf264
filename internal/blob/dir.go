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
	"slices"
	"strings"
	"syscall"
	"time"
)

// dir stores blobs as files root/ab/key, where ab are the last two characters of the key, which are random. Files
// that are being written are in root/tmp.
type dir struct{ root string }

const tmpDir = "tmp"

func openDir(root string) (Store, error) {
	if err := os.MkdirAll(filepath.Join(root, tmpDir), 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the directory of files: %w", err)
	}
	root, err := filepath.EvalSymlinks(root) // WalkDir would not follow it
	if err != nil {
		return nil, fmt.Errorf("cannot open the directory of files: %w", err)
	}
	return &dir{root: root}, nil
}

// Memory returns 0: the bytes are written as they are read.
func (d *dir) Memory() int64 { return 0 }

func (d *dir) path(key string) string { return filepath.Join(d.root, key[len(key)-2:], key) }

// Put writes a temporary file, syncs it, and then links it under its name.
func (d *dir) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	body := newHashingReader(ctx, r)
	name, err := d.writeTemp(func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return Info{}, err
	}
	defer os.Remove(name)
	if err := d.link(name, d.path(key)); err != nil {
		return Info{}, err
	}
	return body.info(), nil
}

// writeTemp writes and syncs a temporary file, and returns its name.
func (d *dir) writeTemp(write func(io.Writer) error) (string, error) {
	f, err := os.CreateTemp(filepath.Join(d.root, tmpDir), tempPattern) // mode 0600
	if err != nil {
		return "", unavailable(err)
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", unavailable(err)
	}
	return f.Name(), nil
}

const (
	tempPrefix  = "put-"
	tempPattern = tempPrefix + "*"
)

// link durably links a file under another name. It returns ErrExists when the name is in use.
func (d *dir) link(from, to string) error {
	parent := filepath.Dir(to)
	err := os.Mkdir(parent, 0o700)
	switch {
	case err == nil:
		err = syncDir(d.root)
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err != nil {
		return unavailable(err)
	}
	err = os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
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

// diskErrors are the errors of a disk that make it unavailable.
var diskErrors = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EFBIG, syscall.EACCES, syscall.EMFILE,
	syscall.ENFILE,
}

// unavailable wraps an error of the disk in ErrUnavailable. It returns other errors, such as those of a reader,
// unchanged.
func unavailable(err error) error {
	if slices.ContainsFunc(diskErrors, func(e error) bool { return errors.Is(err, e) }) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
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

// List calls fn for each file whose name and directory belong to a key. It ignores a file that is deleted meanwhile.
func (d *dir) List(ctx context.Context, fn func(Entry) error) error {
	return filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if e.IsDir() {
			if path != d.root && len(e.Name()) != 2 { // tmp, or a directory that is not ours
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

// Sweep deletes old temporary files. It ignores one that cannot be read or deleted, such as one that Put removes
// meanwhile.
func (d *dir) Sweep(_ context.Context, before time.Time) (n int, err error) {
	entries, err := os.ReadDir(filepath.Join(d.root, tmpDir))
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), tempPrefix) || !info.ModTime().Before(before) {
			continue
		}
		if os.Remove(filepath.Join(d.root, tmpDir, e.Name())) == nil {
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

// SetOwner compares and replaces the owner while it holds a file lock, which other processes respect.
func (d *dir) SetOwner(ctx context.Context, old, o Owner) error {
	lock, err := os.OpenFile(filepath.Join(d.root, tmpDir, "owner.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return unavailable(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return unavailable(err)
	}
	current, err := d.Owner(ctx)
	if err != nil {
		return err
	}
	if current != old {
		return ErrOwnerChanged
	}
	name, err := d.writeTemp(func(w io.Writer) error { return json.NewEncoder(w).Encode(o) })
	if err != nil {
		return err
	}
	if err := os.Rename(name, filepath.Join(d.root, ownerName)); err != nil {
		return errors.Join(unavailable(err), os.Remove(name))
	}
	return unavailable(syncDir(d.root))
}

func (d *dir) Check(context.Context) error {
	f, err := os.CreateTemp(filepath.Join(d.root, tmpDir), tempPattern)
	if err != nil {
		return fmt.Errorf("the directory of files cannot be written: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
