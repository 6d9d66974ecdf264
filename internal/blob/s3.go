package blob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// bucket stores blobs as objects of an S3 bucket, under a prefix.
type bucket struct {
	client       *minio.Client
	name, prefix string
}

// openS3 opens s3://bucket/prefix?endpoint=https://host&region=…&path-style=true. The default endpoint is Amazon's.
// The credentials are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, by default those of the
// machine's role. The URL must not contain them.
func openS3(raw string, getenv func(string) string) (Store, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the URL of the bucket must be s3://bucket/prefix")
	}
	if err := s3utils.CheckValidBucketName(u.Host); err != nil {
		return nil, fmt.Errorf("%q is not a bucket name: %w", u.Host, err)
	}
	if u.User != nil {
		return nil, fmt.Errorf("the URL of the bucket must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	host, o, err := s3Options(u.Query(), getenv)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(host, &o)
	if err != nil {
		return nil, fmt.Errorf("the bucket's endpoint: %w", err)
	}
	prefix := strings.Trim(u.Path, "/")
	if prefix != "" {
		prefix += "/"
	}
	return &bucket{client: client, name: u.Host, prefix: prefix}, nil
}

// s3Options returns the host of the endpoint and the options of the client.
func s3Options(query url.Values, getenv func(string) string) (host string, o minio.Options, err error) {
	endpoint := &url.URL{Scheme: "https", Host: "s3.amazonaws.com"}
	o.MaxRetries = maxRetries
	o.Region = getenv("AWS_REGION")
	for name, values := range query {
		switch v := values[0]; name {
		case "endpoint":
			endpoint, err = url.Parse(v)
			if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
				return "", o, fmt.Errorf("endpoint must be an http:// or https:// address, not %q", v)
			}
		case "region":
			o.Region = v
		case "path-style":
			if v == "true" {
				o.BucketLookup = minio.BucketLookupPath
			}
		default:
			return "", o, fmt.Errorf("the parameters of the bucket's URL are endpoint, region and path-style, not %q",
				name)
		}
	}
	o.Secure = endpoint.Scheme == "https"
	o.Creds = credentials.NewIAM("")
	if id := getenv("AWS_ACCESS_KEY_ID"); id != "" {
		o.Creds = credentials.NewStaticV4(id, getenv("AWS_SECRET_ACCESS_KEY"), getenv("AWS_SESSION_TOKEN"))
	}
	return endpoint.Host, o, nil
}

const (
	partSize   = 8 << 20
	maxRetries = 3 // of a request, so that a request of a client does not wait long for a bucket that cannot be reached
)

// Memory returns the size of the first part and of a buffer for the others.
func (b *bucket) Memory() int64 { return 2 * partSize }

// Put uploads a blob of at most one part in one request, and a larger one in parts. It aborts an upload that fails.
func (b *bucket) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := checkKey(key); err != nil {
		return Info{}, err
	}
	_, err := b.client.StatObject(ctx, b.name, b.prefix+key, minio.StatObjectOptions{})
	if err == nil {
		return Info{}, ErrExists
	}
	if !isNotFound(err) {
		return Info{}, wrapS3(err)
	}
	body := newHashingReader(ctx, r)
	first, err := io.ReadAll(io.LimitReader(body, partSize))
	if err != nil {
		return Info{}, err
	}
	var upload io.Reader = bytes.NewReader(first)
	size := int64(len(first))
	if size == partSize { // there may be more, so that the size is unknown
		upload, size = io.MultiReader(upload, body), -1
	}
	options := minio.PutObjectOptions{PartSize: partSize, NumThreads: 1, ContentType: "application/octet-stream",
		DisableContentSha256: size == 0} // with a signed empty body over http the client sends no Content-Length, which S3 requires
	if _, err := b.client.PutObject(ctx, b.name, b.prefix+key, upload, size, options); err != nil {
		if body.err != nil {
			return Info{}, body.err
		}
		return Info{}, wrapS3(err)
	}
	return body.info(), nil
}

func isNotFound(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == "NoSuchKey" || code == "NotFound"
}

// wrapS3 wraps an error of the storage in ErrUnavailable. It returns errors of a reader or a context unchanged.
func wrapS3(err error) error {
	var response minio.ErrorResponse
	var netError net.Error
	if errors.As(err, &response) || errors.As(err, &netError) && !errors.Is(err, context.Canceled) ||
		strings.Contains(err.Error(), "dial ") || strings.Contains(err.Error(), "connection") {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

type object struct {
	*minio.Object
	size int64
}

func (o object) Size() int64 { return o.size }

func (o object) Read(b []byte) (int, error) {
	n, err := o.Object.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = wrapS3(err)
	}
	return n, err
}

func (b *bucket) Open(ctx context.Context, key string) (Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	o, err := b.client.GetObject(ctx, b.name, b.prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return nil, wrapS3(err)
	}
	info, err := o.Stat()
	if err != nil {
		_ = o.Close()
		if isNotFound(err) {
			return nil, ErrNotFound
		}
		return nil, wrapS3(err)
	}
	return object{o, info.Size}, nil
}

func (b *bucket) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if err := b.client.RemoveObject(ctx, b.name, b.prefix+key, minio.RemoveObjectOptions{}); err != nil &&
		!isNotFound(err) {
		return wrapS3(err)
	}
	return nil
}

func (b *bucket) List(ctx context.Context, fn func(Entry) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if o.Err != nil {
			return wrapS3(o.Err)
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
			return n, wrapS3(u.Err)
		}
		if checkKey(strings.TrimPrefix(u.Key, b.prefix)) != nil || !u.Initiated.Before(before) {
			continue
		}
		if err := b.client.RemoveIncompleteUpload(ctx, b.name, u.Key); err != nil {
			return n, wrapS3(err)
		}
		n++
	}
	return n, nil
}

func (b *bucket) Owner(ctx context.Context) (Owner, error) {
	o, _, err := b.owner(ctx)
	return o, err
}

// owner returns the owner and the ETag of its object. The client reads the object by two requests. It repeats them when
// another process replaces the object between them.
func (b *bucket) owner(ctx context.Context) (Owner, string, error) {
	for {
		o, etag, err := b.readOwner(ctx)
		var response minio.ErrorResponse
		if !errors.As(err, &response) || response.Code != "PreconditionFailed" || ctx.Err() != nil {
			return o, etag, err
		}
	}
}

// readOwner returns the zero Owner and no ETag when the storage has no owner.
func (b *bucket) readOwner(ctx context.Context) (Owner, string, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+ownerName, minio.GetObjectOptions{})
	if err != nil {
		return Owner{}, "", wrapS3(err)
	}
	defer func() { _ = object.Close() }()
	info, err := object.Stat()
	if isNotFound(err) {
		return Owner{}, "", nil
	}
	if err != nil {
		return Owner{}, "", wrapS3(err)
	}
	o, err := decodeOwner(object)
	return o, info.ETag, err
}

// SetOwner writes the object on the condition that it has not changed since the comparison. It omits the condition
// for a server that does not implement conditional writes.
func (b *bucket) SetOwner(ctx context.Context, old, o Owner) error {
	current, etag, err := b.owner(ctx)
	if err != nil {
		return err
	}
	if current != old {
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
	var unchanged minio.PutObjectOptions
	if old == (Owner{}) {
		unchanged.SetMatchETagExcept("*") // the object must not exist
	} else {
		unchanged.SetMatchETag(etag)
	}
	err = put(unchanged)
	switch minio.ToErrorResponse(err).Code {
	case "PreconditionFailed", "ConditionalRequestConflict":
		return ErrOwnerChanged
	case "NotImplemented":
		err = put(minio.PutObjectOptions{})
	}
	if err != nil {
		return wrapS3(err)
	}
	return nil
}

func (b *bucket) Check(ctx context.Context) error {
	ok, err := b.client.BucketExists(ctx, b.name)
	if err != nil {
		return fmt.Errorf("the bucket %s cannot be reached: %w", b.name, wrapS3(err))
	}
	if !ok {
		return fmt.Errorf("bucket %s does not exist, or the credentials do not allow access to it", b.name)
	}
	return nil
}
