package password_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"bugslice/internal/password"
	"bugslice/internal/password/passwordtest"
)

func TestCheck(t *testing.T) {
	ctx := t.Context()
	h := passwordtest.Weak()
	hash, err := h.Hash(ctx, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	other, err := password.WithParams(password.Params{MemoryKiB: 128, Iterations: 2, Parallelism: 1}).
		Hash(ctx, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text, hash      string
		equal, outdated bool
	}{
		"its own":               {"correct horse", hash, true, false},
		"another":               {"correct house", hash, false, false},
		"with other params":     {"correct horse", other, true, true},
		"of no account":         {"correct horse", "", false, false},
		"empty, of no account":  {"", "", false, false},
		"longer than any":       {strings.Repeat("a", password.MaxBytes+1), hash, false, false},
		"in another case":       {"Correct Horse", hash, false, false},
		"with a space after it": {"correct horse ", hash, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			equal, outdated, err := h.Check(ctx, c.text, c.hash)
			if err != nil {
				t.Fatal(err)
			}
			if equal != c.equal || outdated != c.outdated {
				t.Errorf("equal %v, outdated %v; want %v, %v", equal, outdated, c.equal, c.outdated)
			}
		})
	}
	if _, _, err := h.Check(ctx, "correct horse", "no hash"); err == nil {
		t.Error("a damaged hash is no error")
	}
}

// TestFormsOfAPassword: a password is the same one in each of its forms, and a hash that a former version made of any
// form still equals it, and is replaced.
func TestFormsOfAPassword(t *testing.T) {
	composed, apart := "crème brûlée Å", "cre\u0300me bru\u0302le\u0301e A\u030a"
	mixed := "crème bru\u0302lée \u212b" // the sign of the unit
	for name, made := range map[string]string{"composed": composed, "apart": apart, "mixed": mixed} {
		stored, err := passwordtest.Weak().Hash(t.Context(), made)
		if err != nil {
			t.Fatal(err)
		}
		former, err := argon2id.CreateHash(made,
			&argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
		if err != nil {
			t.Fatal(err)
		}
		for typed, text := range map[string]string{"composed": composed, "apart": apart, "mixed": mixed,
			"another": "creme brulee A"} {
			equal, _, err := passwordtest.Weak().Check(t.Context(), text, stored)
			if err != nil || equal != (typed != "another") {
				t.Errorf("made %s, typed %s: equal %v, %v", name, typed, equal, err)
			}
			want := typed == name || typed != "another" && name != "mixed" // a mixed form is known to its typist alone
			equal, outdated, err := passwordtest.Weak().Check(t.Context(), text, former)
			if err != nil || equal != want || equal && !outdated && name != "composed" {
				t.Errorf("formerly made %s, typed %s: equal %v, outdated %v, %v", name, typed, equal, outdated, err)
			}
		}
	}
}

// TestLengthsOfForms: the bounds are those of the NFC form, whatever is typed.
func TestLengthsOfForms(t *testing.T) {
	for text, want := range map[string]error{
		strings.Repeat("e\u0301", 9): password.ErrShort, strings.Repeat("e\u0301", 10): nil,
		strings.Repeat("\u1112\u1161\u11ab", 341): nil,
		strings.Repeat("\u1112\u1161\u11ab", 342): password.ErrLong, strings.Repeat("é", 512): nil,
		strings.Repeat("é", 513):           password.ErrLong,
		strings.Repeat("e\u0301", 100_000): password.ErrLong,
	} {
		if err := password.CheckLength(text); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", len(text), err, want)
		}
		hash, err := passwordtest.Weak().Hash(t.Context(), text)
		equal, _, checked := passwordtest.Weak().Check(t.Context(), text, hash)
		if !errors.Is(err, want) || checked != nil || equal != (want == nil) {
			t.Errorf("%d bytes: %v, want %v; equal %v, %v", len(text), err, want, equal, checked)
		}
	}
}

func TestHashRefusesLengths(t *testing.T) {
	h := passwordtest.Weak()
	for text, want := range map[string]error{"": password.ErrShort, "nine char": password.ErrShort,
		"ééééééééé":                              password.ErrShort,
		strings.Repeat("a", password.MaxBytes+1): password.ErrLong} {
		if _, err := h.Hash(t.Context(), text); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", len(text), err, want)
		}
	}
	if _, err := h.Hash(t.Context(), "éééééééééé"); err != nil {
		t.Errorf("ten characters: %v", err)
	}
}

// TestRecommended: the program's hashes have the parameters that OWASP recommends, and replace those with others.
func TestRecommended(t *testing.T) {
	h := password.New()
	hash, err := h.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
	weak, err := passwordtest.Weak().Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for stored, want := range map[string]bool{hash: false, weak: true, "": false} {
		if _, outdated, err := h.Check(t.Context(), "correct horse", stored); err != nil || outdated != want {
			t.Errorf("%q: outdated %v, %v; want %v", stored, outdated, err, want)
		}
	}
}
