package operator

import (
	"fmt"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
)

const (
	minPassword = 10   // characters
	maxPassword = 1024 // bytes
)

// hashing bounds how many hashes are computed at once: each takes 19 MiB.
var hashing = make(chan struct{}, 2)

func hashPassword(password string) (string, error) {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword {
		return "", fmt.Errorf("a password must have at least %d characters", minPassword)
	}
	hashing <- struct{}{}
	defer func() { <-hashing }()
	return argon2id.CreateHash(password, &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
}
