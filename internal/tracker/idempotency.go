package tracker

import (
	"encoding/json"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// responseRetention is the time for which the response to an Idempotency-Key is retained.
const responseRetention = 24 * time.Hour

// request is the input of an operation with an Idempotency-Key.
type request interface{ RequestKey() string }

// idempotent runs fn and stores its response under the caller's Idempotency-Key, in the same transaction. When the
// caller has sent the same request with this key before, it returns the stored response instead. The caller's rights
// must be checked before.
func idempotent[T any](t *Tracker, tx *access.Tx, c access.Caller, in request, fn func() (T, error),
) (out T, err error) {
	if in.RequestKey() == "" {
		return fn()
	}
	digest, err := requestDigest(in)
	if err != nil {
		return out, err
	}
	key := store.IdempotencyKey{Principal: c.ID, Operation: tx.Operation(), Key: in.RequestKey()}
	first, err := tx.InsertIdempotencyKey(key, digest, t.clock(), t.oldestResponse())
	if err != nil {
		return out, err
	}
	if first != nil {
		return replay[T](first, digest)
	}
	if out, err = fn(); err != nil || api.Lookup(tx.Operation()).Secret {
		return out, err
	}
	b, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	return out, tx.StoreResponse(key, string(b))
}

func (t *Tracker) oldestResponse() api.Time { return api.At(t.now().Add(-responseRetention)) }

// storedResponse returns the response that idempotent has stored for a request, if there is one. It is for effects
// outside of the database that must not be repeated.
func storedResponse[T any](t *Tracker, q access.Queries, c access.Caller, operation string, in request,
) (out T, found bool, err error) {
	if in.RequestKey() == "" {
		return out, false, nil
	}
	digest, err := requestDigest(in)
	if err != nil {
		return out, false, err
	}
	key := store.IdempotencyKey{Principal: c.ID, Operation: operation, Key: in.RequestKey()}
	first, err := q.StoredResponse(key, t.oldestResponse())
	if errors.Is(err, store.ErrNotFound) {
		return out, false, nil
	}
	if err == nil {
		out, err = replay[T](first, digest)
	}
	return out, true, err
}

// replay returns a stored response, or refuses a request whose digest is not that of the first request.
func replay[T any](first *store.StoredResponse, digest string) (out T, err error) {
	if first.Request != digest {
		return out, api.NewProblem(api.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another request. Use a new key for a new request.",
			api.Fault{Parameter: "Idempotency-Key", Code: api.CodeIdempotencyKeyReused,
				Detail: "already used for another request"})
	}
	if first.JSON == nil {
		return out, api.NewProblem(api.CodeReplaySecret,
			"The request was already carried out. Its response had a secret, which is shown only once.")
	}
	return out, json.Unmarshal([]byte(*first.JSON), &out)
}

// requestDigest identifies a request by its decoded parameters and body.
func requestDigest(in any) (string, error) {
	b, err := json.Marshal(in)
	return digest(b), err
}
