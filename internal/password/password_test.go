package password_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"bugslice/internal/password"
)

func TestCheck(t *testing.T) {
	ctx := t.Context()
	hash, err := password.Hash(ctx, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	weak, err := argon2id.CreateHash("correct horse", &argon2id.Params{Memory: 8 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text, hash      string
		equal, outdated bool
	}{
		"its own":               {"correct horse", hash, true, false},
		"another":               {"correct house", hash, false, false},
		"with weaker params":    {"correct horse", weak, true, true},
		"of no account":         {"correct horse", "", false, false},
		"empty, of no account":  {"", "", false, false},
		"longer than any":       {strings.Repeat("a", password.MaxBytes+1), hash, false, false},
		"in another case":       {"Correct Horse", hash, false, false},
		"with a space after it": {"correct horse ", hash, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			equal, outdated, err := password.Check(ctx, c.text, c.hash)
			if err != nil {
				t.Fatal(err)
			}
			if equal != c.equal || outdated != c.outdated {
				t.Errorf("equal %v, outdated %v; want %v, %v", equal, outdated, c.equal, c.outdated)
			}
		})
	}
	if _, _, err := password.Check(ctx, "correct horse", "no hash"); err == nil {
		t.Error("a damaged hash is no error")
	}
}

func TestHashRefusesLengths(t *testing.T) {
	for _, text := range []string{"", "nine char", "ééééééééé", strings.Repeat("a", password.MaxBytes+1)} {
		if _, err := password.Hash(t.Context(), text); !errors.Is(err, password.ErrLength) {
			t.Errorf("%d bytes: %v, want ErrLength", len(text), err)
		}
	}
	if _, err := password.Hash(t.Context(), "éééééééééé"); err != nil {
		t.Errorf("ten characters: %v", err)
	}
}

// TestQueue: of many checks at once, some are refused at once, none waits for more than 2 seconds, and the queue is
// empty afterwards.
func TestQueue(t *testing.T) {
	begin := time.Now()
	var mu sync.Mutex
	var wait sync.WaitGroup
	refused, longest := 0, time.Duration(0)
	for range 60 {
		wait.Go(func() {
			asked := time.Now()
			_, _, err := password.Check(t.Context(), "correct horse", "")
			mu.Lock()
			defer mu.Unlock()
			switch took := time.Since(asked); {
			case errors.Is(err, password.ErrBusy):
				refused++
			case err != nil:
				t.Error(err)
			default:
				longest = max(longest, took)
			}
		})
	}
	wait.Wait()
	if refused == 0 {
		t.Error("none of 60 was refused")
	}
	t.Logf("%d refused, the longest took %s, all %s", refused, longest, time.Since(begin))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := password.Check(ended, "correct horse", ""); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, _, err := password.Check(t.Context(), "correct horse", ""); err != nil {
		t.Errorf("after the queue: %v", err)
	}
}
