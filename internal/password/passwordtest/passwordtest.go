// Package passwordtest gives tests passwords that cost little.
package passwordtest

import "bugslice/internal/password"

// Weak returns a Hasher whose hashes take 64 KiB and a few microseconds.
func Weak() *password.Hasher {
	return password.WithParams(password.Params{MemoryKiB: 64, Iterations: 1, Parallelism: 1})
}
