package blob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// bucket keeps blobs as objects of a bucket, under a prefix.
type bucket struct {
	client       *minio.Client
	name, prefix string
}

// openS3 reads s3://bucket/prefix?endpoint=https://host&region=…&path-style=true. The endpoint
// is Amazon's when left out. Credentials come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN, else from the machine's role; never from the URL.
func openS3(raw string, getenv func(string) string) (Store, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the URL of the bucket must be s3://bucket/prefix")
	}
	if err := s3utils.CheckValidBucketName(u.Host); err != nil {
		return nil, fmt.Errorf("%q is no name of a bucket: %w", u.Host, err)
	}
	if u.User != nil {
		return nil, fmt.Errorf("the URL of the bucket must not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	endpoint := &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	o := minio.Options{Region: getenv("AWS_REGION")}
	for name, values := range u.Query() {
		switch v := values[0]; name {
		case "endpoint":
			if endpoint, err = url.Parse(v); err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
				return nil, fmt.Errorf("endpoint must be an http:// or https:// address, not %q", v)
			}
		case "region":
			o.Region = v
		case "path-style":
			if v == "true" {
				o.BucketLookup = minio.BucketLookupPath
			}
		default:
			return nil, fmt.Errorf("the URL of the bucket knows endpoint, region and path-style, not %q", name)
		}
	}
	o.Secure = endpoint.Scheme == "https"
	o.Creds = credentials.NewIAM("")
	if id := getenv("AWS_ACCESS_KEY_ID"); id != "" {
		o.Creds = credentials.NewStaticV4(id, getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN"))
	}
	client, err := minio.New(endpoint.Host, &o)
	if err != nil {
		return nil, fmt.Errorf("the bucket's endpoint: %w", err)
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return &bucket{client: client, name: u.Host, prefix: prefix}, nil
}

const partSize = 8 << 20

// Memory is what an upload holds at most: the first part, and a buffer of the same size for the others.
func (b *bucket) Memory() int64 { return 2 * partSize }

// Put uploads a file of one part as it is, so that it takes memory for the bytes that came, and a longer one
// in parts. An upload that fails is aborted.
func (b *bucket) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	if _, err := b.client.StatObject(ctx, b.name, b.prefix+key, minio.StatObjectOptions{}); err == nil {
		return Info{}, ErrExists
	} else if !missing(err) {
		return Info{}, remote(err)
	}
	c := newCounter(ctx, r)
	first, err := io.ReadAll(io.LimitReader(c, partSize))
	if err != nil {
		return Info{}, remote(err)
	}
	var all io.Reader = bytes.NewReader(first)
	size := int64(len(first))
	if size == partSize { // there may be more
		all, size = io.MultiReader(all, c), -1
	}
	_, err = b.client.PutObject(ctx, b.name, b.prefix+key, all, size, minio.PutObjectOptions{PartSize: partSize, NumThreads: 1, ContentType: "application/octet-stream"})
	if err != nil {
		return Info{}, remote(err)
	}
	return c.info(), nil
}

func missing(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == "NoSuchKey" || code == "NotFound"
}

// remote names the faults of the storage; those of a reader and of a context pass.
func remote(err error) error {
	var response minio.ErrorResponse
	if errors.As(err, &response) || strings.Contains(err.Error(), "dial ") || strings.Contains(err.Error(), "connection") {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

type object struct {
	*minio.Object
	size int64
}

func (o object) Size() int64 { return o.size }

func (b *bucket) Open(ctx context.Context, key string) (Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	o, err := b.client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, remote(err)
	}
	info, err := o.Stat()
	if err != nil {
		_ = o.Close()
		if missing(err) {
			return nil, ErrNotFound
		}
		return nil, remote(err)
	}
	return object{o, info.Size}, nil
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{}); err != nil && !missing(err) {
		return remote(err)
	}
	return nil
}

func (b *bucket) List(ctx context.Context, fn func(Entry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if o.Err != nil {
			return remote(o.Err)
		}
		key := strings.TrimPrefix(o.Key, b.prefix)
		if checkKey(key) != nil {
			continue
		}
		if err := fn(Entry{Key: key, Size: o.Size, Modified: o.LastModified}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (b *bucket) Sweep(ctx context.Context, before time.Time) (n int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for u := range b.client.ListIncompleteUploads(ctx, b.name, b.prefix, true) {
		if u.Err != nil {
			return n, remote(u.Err)
		}
		if checkKey(strings.TrimPrefix(u.Key, b.prefix)) != nil || !u.Initiated.Before(before) {
			continue
		}
		if err := b.client.RemoveIncompleteUpload(ctx, b.name, u.Key); err != nil {
			return n, remote(err)
		}
		n++
	}
	return n, nil
}

func (b *bucket) Owner(ctx context.Context) (Owner, error) {
	o, _, err := b.owner(ctx)
	return o, err
}

// owner returns the owner with the ETag of the object that names it. The client reads the object in two
// requests; when another process replaces it between them, it is read again.
func (b *bucket) owner(ctx context.Context) (Owner, string, error) {
	for {
		o, etag, err := b.readOwner(ctx)
		var refused minio.ErrorResponse
		if !errors.As(err, &refused) || refused.Code != "PreconditionFailed" || ctx.Err() != nil {
			return o, etag, err
		}
	}
}

func (b *bucket) readOwner(ctx context.Context) (Owner, string, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+ownerName, minio.GetObjectOptions{})
	if err != nil {
		return Owner{}, "", remote(err)
	}
	defer func() { _ = object.Close() }()
	info, err := object.Stat()
	if missing(err) {
		return Owner{}, "", nil
	}
	if err != nil {
		return Owner{}, "", remote(err)
	}
	o, err := decodeOwner(object)
	return o, info.ETag, err
}

// SetOwner writes under the condition that the object is still the one that was compared. A server
// that knows no conditions is written to without.
func (b *bucket) SetOwner(ctx context.Context, old, o Owner) error {
	now, etag, err := b.owner(ctx)
	if err != nil {
		return err
	}
	if now != old {
		return ErrOwnerChanged
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	put := func(options minio.PutObjectOptions) error {
		options.ContentType = "application/json"
		_, err := b.client.PutObject(ctx, b.name, b.prefix+ownerName, bytes.NewReader(text), int64(len(text)), options)
		return err
	}
	var condition minio.PutObjectOptions
	if condition.SetMatchETag(etag); old == (Owner{}) {
		condition = minio.PutObjectOptions{}
		condition.SetMatchETagExcept("*")
	}
	err = put(condition)
	switch minio.ToErrorResponse(err).Code {
	case "PreconditionFailed", "ConditionalRequestConflict":
		return ErrOwnerChanged
	case "NotImplemented":
		err = put(minio.PutObjectOptions{})
	}
	if err != nil {
		return remote(err)
	}
	return nil
}

func (b *bucket) Check(ctx context.Context) error {
	ok, err := b.client.BucketExists(ctx, b.name)
	if err != nil {
		return fmt.Errorf("the bucket %s cannot be reached: %w", b.name, err)
	}
	if !ok {
		return fmt.Errorf("there is no bucket %s, or the credentials may not see it", b.name)
	}
	return nil
}
