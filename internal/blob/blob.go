// Package blob stores the bytes of attachments in a directory or in an S3 bucket. Keys are ids of blobs; callers create
// them and never use one twice.
//
// Guarantees: a Put that returns nil survives kill -9 and power loss; one that returns an error leaves no blob that
// Open finds. Bytes are streamed, so that no blob is in memory completely.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"bugslice/internal/id"
)

// Errors of a Store.
var (
	ErrNotFound     = errors.New("blob: not found")
	ErrExists       = errors.New("blob: the key is in use")
	ErrUnavailable  = errors.New("blob: the storage cannot be reached or written")
	ErrOwnerChanged = errors.New("blob: the owner of the storage has changed")
)

// Info describes a stored blob: its size in bytes, and its SHA-256 in hexadecimal.
type Info struct {
	Size   int64
	SHA256 string
}

// Owner is the instance to which the blobs of a storage belong. It is recorded in the storage. Token is the fencing
// token of the instance. The zero value means that the storage has no owner.
type Owner struct {
	Instance string `json:"instance"`
	Token    string `json:"token"`
}

// ownerName is the file or object that records the owner. It is not a valid key.
const ownerName = "instance.json"

func decodeOwner(r io.Reader) (o Owner, err error) {
	err = json.NewDecoder(r).Decode(&o)
	if err == nil && o == (Owner{}) {
		err = errors.New("it is empty")
	}
	if err != nil {
		return o, fmt.Errorf("blob: %s, which records the owner of the storage, cannot be read: %w. "+
			"If it is damaged, remove it and run bugslice admin adopt-files", ownerName, err)
	}
	return o, nil
}

// Entry is a blob in a List.
type Entry struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Reader reads a blob from any offset.
type Reader interface {
	io.ReadSeekCloser
	Size() int64
}

// Store stores blobs. It is safe for concurrent use.
type Store interface {
	// Put stores the bytes of r. When r fails or ctx ends, nothing is stored.
	Put(ctx context.Context, key string, r io.Reader) (Info, error)
	// Memory returns how many bytes of a blob Put has in memory at most, apart from small buffers.
	Memory() int64
	// Open returns a reader of a blob, or ErrNotFound.
	Open(ctx context.Context, key string) (Reader, error)
	// Delete deletes a blob. It is no error when there is none.
	Delete(ctx context.Context, key string) error
	// List calls fn for every blob, in any order, until fn returns an error. It ignores other files and objects.
	List(ctx context.Context, fn func(Entry) error) error
	// Sweep deletes the remains of incomplete uploads that began before a time, and returns their number.
	Sweep(ctx context.Context, before time.Time) (int, error)
	// Owner returns the owner of the storage.
	Owner(ctx context.Context) (Owner, error)
	// SetOwner durably replaces the owner. It returns ErrOwnerChanged when the owner is not old.
	SetOwner(ctx context.Context, old, o Owner) error
	// Check returns an error when the storage cannot be used.
	Check(ctx context.Context) error
}

// ReadOnly returns a storage whose Check writes nothing, for a node that may not write.
func ReadOnly(s Store) Store { return readOnly{s} }

type readOnly struct{ Store }

func (r readOnly) Check(ctx context.Context) error {
	_, err := r.Owner(ctx)
	return err
}

// Open opens the bucket of an s3:// URL, or the directory when the URL is empty. getenv returns the credentials of S3.
func Open(rawURL, dir string, getenv func(string) string) (Store, error) {
	if rawURL == "" {
		return openDir(dir)
	}
	if strings.HasPrefix(rawURL, "s3://") {
		return openS3(rawURL, getenv)
	}
	return nil, fmt.Errorf("%q is not an s3:// URL", rawURL)
}

func checkKey(key string) error {
	if !id.Valid(id.Blob, key) {
		return fmt.Errorf("blob: %q is not a key", key)
	}
	return nil
}

// hashingReader computes the size and the hash of the bytes that are read, until its context ends.
type hashingReader struct {
	r    io.Reader
	ctx  context.Context
	hash hash.Hash
	n    int64
	err  error // of r
}

func newHashingReader(ctx context.Context, r io.Reader) *hashingReader {
	return &hashingReader{r: r, ctx: ctx, hash: sha256.New()}
}

func (c *hashingReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(b)
	c.hash.Write(b[:n])
	c.n += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

func (c *hashingReader) info() Info {
	return Info{Size: c.n, SHA256: hex.EncodeToString(c.hash.Sum(nil))}
}
