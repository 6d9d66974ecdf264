// Package passwordtest gives tests passwords that cost little.
package passwordtest

import (
	"context"
	"errors"
	"strings"

	"bugslice/internal/password"
)

// Weak returns a Hasher whose hashes take 64 KiB and a few microseconds.
func Weak() *password.Hasher {
	return password.WithParams(password.Params{MemoryKiB: 64, Iterations: 1, Parallelism: 1})
}

// slow is a hash of no known password that takes about half a second to check.
var slow = "$argon2id$v=19$m=64,t=8000,p=1$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)

// Occupy gives a Hasher so much to do that it returns password.ErrBusy, until release is called.
func Occupy(h *password.Hasher) (release func()) {
	ctx, release := context.WithCancel(context.Background())
	busy := make(chan struct{}, 1)
	for range 64 { // more than it lets wait
		go func() {
			if _, _, err := h.Check(ctx, "", slow); errors.Is(err, password.ErrBusy) {
				select {
				case busy <- struct{}{}:
				default:
				}
			}
		}()
	}
	<-busy
	return release
}
