// Package password hashes passwords with argon2id, which takes 19 MiB and about 30 ms of a core each time. Two hashes are
// computed at once in a process; the rest waits in a bounded queue.
package password

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
)

// The bounds of a password: at least MinLength characters, at most MaxBytes.
const (
	MinLength = 10
	MaxBytes  = 1024
)

const (
	concurrent = 2
	maxQueued  = 32
	maxWait    = 2 * time.Second
)

// params are those that OWASP recommends for argon2id. A stored hash that has others is replaced when its password is
// proved next.
var params = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

var (
	// ErrBusy says that too many passwords are being hashed. It may be tried again.
	ErrBusy = errors.New("password: too many passwords are being checked")
	// ErrLength says that a password is too short or too long.
	ErrLength = fmt.Errorf("a password must have at least %d characters, and at most %d bytes", MinLength, MaxBytes)
)

var (
	slots  = make(chan struct{}, concurrent)
	queued = make(chan struct{}, concurrent+maxQueued)
)

// acquire waits for a slot for at most maxWait. It returns ErrBusy when none is free by then, or when too many wait. The
// caller calls release once.
func acquire(ctx context.Context) (release func(), err error) {
	select {
	case queued <- struct{}{}:
	default:
		return nil, ErrBusy
	}
	timeout := time.NewTimer(maxWait)
	defer timeout.Stop()
	select {
	case slots <- struct{}{}:
		return func() { <-slots; <-queued }, nil
	case <-timeout.C:
		err = ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	<-queued
	return nil, err
}

// ValidLength returns whether the length of a password is within the bounds.
func ValidLength(text string) bool {
	return utf8.RuneCountInString(text) >= MinLength && len(text) <= MaxBytes
}

// Hash returns the hash under which a password is stored. It refuses one whose length is out of bounds.
func Hash(ctx context.Context, text string) (string, error) {
	if !ValidLength(text) {
		return "", ErrLength
	}
	release, err := acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return argon2id.CreateHash(text, &params)
}

// Check compares a password with a stored hash, and returns whether the hash was made with other parameters than Hash uses
// now. No password equals an empty hash; that comparison takes as long as another.
func Check(ctx context.Context, text, hash string) (equal, outdated bool, err error) {
	release, err := acquire(ctx)
	if err != nil {
		return false, false, err
	}
	defer release()
	possible := true
	if hash == "" {
		hash, possible = dummyHash, false
	}
	if len(text) > MaxBytes {
		text, possible = text[:MaxBytes], false
	}
	equal, used, err := argon2id.CheckHash(text, hash)
	if err != nil {
		return false, false, fmt.Errorf("password: the stored hash cannot be read: %w", err)
	}
	return equal && possible, *used != params, nil
}

// dummyHash is a hash of no known password with the current parameters.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
