// Package blob keeps the bytes of attachments, in a directory or in an S3 bucket, by keys that
// the caller makes, ids of blobs, and never uses twice.
//
// Guarantees: a Put that returns nil survives kill -9 and power loss; one that returns an error
// left nothing that Open would find. Bytes are streamed, never held whole in memory.
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

// Errors that callers branch on.
var (
	ErrNotFound    = errors.New("blob: not found")
	ErrExists      = errors.New("blob: the key is taken")
	ErrUnavailable = errors.New("blob: the storage cannot be reached or written")

	ErrOwnerChanged = errors.New("blob: the owner of the storage has changed meanwhile")
)

// Info is what was stored: how many bytes, and their SHA-256 in hexadecimal.
type Info struct {
	Size   int64
	SHA256 string
}

// Owner says, in the storage itself, which instance its blobs belong to. Token is the fencing token of
// that instance. The zero value stands for a storage without an owner.
type Owner struct {
	Instance string `json:"instance"`
	Token    string `json:"token"`
}

// ownerName is where a storage keeps its owner, beside the blobs. It is no key of a blob.
const ownerName = "instance.json"

func decodeOwner(r io.Reader) (o Owner, err error) {
	err = json.NewDecoder(r).Decode(&o)
	if err == nil && o == (Owner{}) {
		err = errors.New("it names none")
	}
	if err != nil {
		return o, fmt.Errorf("blob: %s, which names the owner of the storage, cannot be read: %w. "+
			"Where it is damaged, remove it and run bugslice adopt-files", ownerName, err)
	}
	return o, nil
}

// Entry is a stored blob, as List shows it.
type Entry struct {
	Key      string
	Size     int64
	Modified time.Time
}

// Reader reads a blob from any place.
type Reader interface {
	io.ReadSeekCloser
	Size() int64
}

// Store keeps blobs. It is safe for concurrent use.
type Store interface {
	// Put streams r to the storage under key. An error of r, or the end of ctx, leaves nothing.
	Put(ctx context.Context, key string, r io.Reader) (Info, error)
	// Memory is how many bytes of a file Put holds in memory at most, beside small buffers.
	Memory() int64
	Open(ctx context.Context, key string) (Reader, error)
	// Delete removes a blob. One that is not there is removed already.
	Delete(ctx context.Context, key string) error
	// List shows every blob, in any order, until fn returns an error. What else lies there is
	// passed over.
	List(ctx context.Context, fn func(Entry) error) error
	// Sweep removes what uploads that were begun before a time and never ended left behind.
	Sweep(ctx context.Context, before time.Time) (int, error)
	// Owner returns the owner of the storage.
	Owner(ctx context.Context) (Owner, error)
	// SetOwner replaces an owner durably. It returns ErrOwnerChanged when the owner is not old any more.
	SetOwner(ctx context.Context, old, o Owner) error
	// Check says what is wrong with the storage, if anything.
	Check(ctx context.Context) error
}

// Open returns the storage that a URL names: s3://bucket/prefix?…, or the directory when it is
// empty. getenv gives the credentials of S3.
func Open(rawURL, dir string, getenv func(string) string) (Store, error) {
	if rawURL == "" {
		return openDir(dir)
	}
	if strings.HasPrefix(rawURL, "s3://") {
		return openS3(rawURL, getenv)
	}
	return nil, fmt.Errorf("%q is no s3:// URL", rawURL)
}

func checkKey(key string) error {
	if !id.Valid(id.Blob, key) {
		return fmt.Errorf("blob: %q is no key", key)
	}
	return nil
}

// counter counts and sums what is read through it.
type counter struct {
	r    io.Reader
	ctx  context.Context
	hash hash.Hash
	n    int64
}

func newCounter(ctx context.Context, r io.Reader) *counter {
	return &counter{r: r, ctx: ctx, hash: sha256.New()}
}

func (c *counter) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(b)
	c.hash.Write(b[:n])
	c.n += int64(n)
	return n, err
}

func (c *counter) info() Info { return Info{Size: c.n, SHA256: hex.EncodeToString(c.hash.Sum(nil))} }
