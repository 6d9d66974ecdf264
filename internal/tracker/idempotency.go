package tracker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"bugslice/api"
	"bugslice/internal/store"
)

// responseRetention is how long an Idempotency-Key stands for its first answer.
const responseRetention = 24 * time.Hour

// request is the input of an operation that takes an Idempotency-Key.
type request interface{ RequestKey() string }

// idempotent runs fn, or returns the first answer again when the caller has sent the same request under this
// Idempotency-Key before. The answer is stored in fn's own transaction, so there is one exactly when there is an
// effect. Checks of what the caller may see come before it.
func idempotent[T any](t *Tracker, tx *store.Tx, c Caller, in request, fn func() (T, error)) (out T, err error) {
	if in.RequestKey() == "" {
		return fn()
	}
	digest, err := requestDigest(in)
	if err != nil {
		return out, err
	}
	key := store.IdempotencyKey{Principal: c.idempotencyOwner(), Operation: c.operation, Key: in.RequestKey()}
	first, err := tx.InsertIdempotencyKey(key, digest, t.clock(), t.oldestResponse())
	if err != nil {
		return out, err
	}
	if first != nil {
		return replay[T](first, digest)
	}
	if out, err = fn(); err != nil || api.Lookup(c.operation).Secret {
		return out, err
	}
	b, err := json.Marshal(out)
	if err != nil {
		return out, err
	}
	return out, tx.StoreResponse(key, string(b))
}

func (t *Tracker) oldestResponse() api.Time { return api.At(t.now().Add(-responseRetention)) }

// storedResponse returns the first answer to a request that once has seen, and whether there is one: for effects outside of
// the database that must not happen twice.
func storedResponse[T any](t *Tracker, q store.Queries, c Caller, operation string, in request) (out T, found bool, err error) {
	if in.RequestKey() == "" {
		return out, false, nil
	}
	digest, err := requestDigest(in)
	if err != nil {
		return out, false, err
	}
	key := store.IdempotencyKey{Principal: c.idempotencyOwner(), Operation: operation, Key: in.RequestKey()}
	first, err := q.StoredResponse(key, t.oldestResponse())
	if errors.Is(err, store.ErrNotFound) {
		return out, false, nil
	}
	if err == nil {
		out, err = replay[T](first, digest)
	}
	return out, true, err
}

func replay[T any](first *store.StoredResponse, request string) (out T, err error) {
	if first.Request != request {
		return out, api.Refuse(api.CodeKeyReused, "This Idempotency-Key came with another request before. Use a new key for a new request.",
			api.Fault{Parameter: "Idempotency-Key", Code: api.CodeKeyReused, Detail: "already used for another request"})
	}
	if first.JSON == nil {
		return out, api.Refuse(api.CodeReplaySecret, "The request was carried out before, and its answer held a secret that is shown once.")
	}
	return out, json.Unmarshal([]byte(*first.JSON), &out)
}

// requestDigest identifies a request by its parameters and body, whatever their order or spacing.
func requestDigest(in any) (string, error) {
	b, err := json.Marshal(in)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}
