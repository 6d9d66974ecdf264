package factor_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/factor"
	"bugslice/internal/factor/factortest"
)

// TestCodes: the codes are those of RFC 6238 (appendix B, the last six digits), and each is valid in its step, the one
// before and the one after, unless its step was used.
func TestCodes(t *testing.T) {
	const key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" // 12345678901234567890
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471",
		1234567890: "005924",
		2000000000: "279037", 20000000000: "353130"} {
		code, err := factor.CodeAt(key, factor.Step(time.Unix(at, 0)))
		if err != nil || code != want {
			t.Errorf("at %d: %s %v, want %s", at, code, err, want)
		}
	}
	now := time.Unix(1111111111, 0)
	for distance, valid := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		code, _ := factor.CodeAt(key, factor.Step(now)+distance)
		step, ok := factor.Match(key, code[:3]+" "+code[3:], now, 0)
		if ok != valid || ok && step != factor.Step(now)+distance {
			t.Errorf("%d steps away: %v", distance, ok)
		}
		if _, ok := factor.Match(key, code, now, factor.Step(now)+distance); ok {
			t.Errorf("%d steps away: a used code is right", distance)
		}
	}
	for _, wrong := range []string{"", "050472", "0504710", "50471", "０５０４７１"} {
		if _, ok := factor.Match(key, wrong, now, 0); ok {
			t.Errorf("%q is right", wrong)
		}
	}
}

func TestKeyURI(t *testing.T) {
	assert.Equal(t, "uri", factor.KeyURI("ABCD", "Bugslice", "mara & co@x.example"),
		"otpauth://totp/Bugslice:mara%20&%20co@x.example?secret=ABCD&issuer=Bugslice&algorithm=SHA1&digits=6&period=30")
	picture, err := factor.Picture(factor.KeyURI(factor.NewKey(), "Bugslice", "mara@northwind.example"))
	if err != nil || !strings.HasPrefix(string(picture), "<svg ") || strings.Count(string(picture), "h1v1h-1z") < 300 {
		t.Errorf("%v %.200s", err, picture)
	}
}

// TestRecoveryCodes: codes are of 16 characters that nobody confuses, all different, and found however they are typed,
// by their user alone.
func TestRecoveryCodes(t *testing.T) {
	codes := append(factor.NewRecoveryCodes(), factor.NewRecoveryCodes()...)
	seen := map[string]bool{}
	for _, code := range codes {
		seen[code] = true
		if !regexp.MustCompile(`^[a-km-np-z2-9]{4}(-[a-km-np-z2-9]{4}){3}$`).MatchString(code) || factor.IsCode(code) {
			t.Errorf("%q", code)
		}
		hash := factor.RecoveryHash("usr_1", code)
		typed := " " + strings.ToUpper(strings.ReplaceAll(code, "-", " "))
		if factor.RecoveryHash("usr_1", typed) != hash || factor.RecoveryHash("usr_2", code) == hash {
			t.Errorf("the hash of %q", typed)
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d different codes of 20", len(seen))
	}
}

// TestPasskeyAddresses: browsers make passkeys for a name over https, and for localhost.
func TestPasskeyAddresses(t *testing.T) {
	for address, want := range map[string]bool{"https://bugs.example.com": true, "https://bugs.example.com:8443": true,
		"http://localhost:8080": true, "http://bugs.example.com": false, "https://192.0.2.1": false,
		"https://[::1]:1": false,
		"":                false, "http://127.0.0.1:8080": false} {
		if got := factor.NewPasskeys(address) != nil; got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// TestPasskeys: a passkey answers the questions to its account, and one to any account only when it was unlocked. No
// answer of another address, key, challenge or account is verified.
func TestPasskeys(t *testing.T) {
	p := factor.NewPasskeys("https://bugs.example.com")
	a := factor.Account{ID: "usr_1", Email: "mara@northwind.example", Name: "Mara"}
	key := factortest.New("bugs.example.com")
	q, err := p.AskToCreate(a)
	must(t, err)
	made, err := p.Created(a, q.State, key.Create(q.Options))
	must(t, err)
	if !made.Verified || !factor.IsUnlocked(made.Record) || made.UserID != "usr_1" {
		t.Errorf("%+v", made)
	}
	a.Records = []string{made.Record}
	find := func(userID string) (factor.Account, error) {
		if userID != a.ID {
			return factor.Account{}, errors.New("unknown")
		}
		return a, nil
	}
	answer := func(of *factor.Account, change func(*factortest.Passkey)) (factor.Passkey, error) {
		q, err := p.Ask(of)
		must(t, err)
		copied := *key
		copied.Counter += 10
		change(&copied)
		return p.Answered(q.State, copied.Answer(q.Options), find)
	}
	for name, c := range map[string]struct {
		change       func(*factortest.Passkey)
		second, both bool // whether it is verified as a second factor, and as both
	}{
		"right":        {func(*factortest.Passkey) {}, true, true},
		"not unlocked": {func(k *factortest.Passkey) { k.Unlocked = false }, true, false},
		"another origin": {func(k *factortest.Passkey) { k.Origin = "https://bugs.example.com.evil.example" },
			false, false},
		"another scheme":  {func(k *factortest.Passkey) { k.Origin = "http://bugs.example.com" }, false, false},
		"another host":    {func(k *factortest.Passkey) { k.Host = "evil.example" }, false, false},
		"another id":      {func(k *factortest.Passkey) { k.ID = []byte("another id") }, false, false},
		"another account": {func(k *factortest.Passkey) { k.UserID = "usr_2" }, false, false},
		"another key": {func(k *factortest.Passkey) {
			id := k.ID
			*k = *factortest.New(k.Host)
			k.ID, k.UserID = id, a.ID
		}, false, false},
	} {
		for of, want := range map[*factor.Account]bool{nil: c.both, &a: c.second} {
			used, err := answer(of, c.change)
			if (err == nil) != want || err != nil && !errors.Is(err, factor.ErrNotVerified) {
				t.Errorf("%s, of any account %v: %v", name, of == nil, err)
			}
			if err == nil && (used.Verified != c.both || used.Cloned || used.ID != made.ID) {
				t.Errorf("%s: %+v", name, used)
			}
		}
	}
	q, err = p.Ask(&a)
	must(t, err)
	another, err := p.Ask(&a)
	must(t, err)
	if _, err := p.Answered(another.State, key.Answer(q.Options), find); !errors.Is(err, factor.ErrNotVerified) {
		t.Errorf("the answer to another question: %v", err)
	}
	key.Counter = 20
	used, err := p.Answered(q.State, key.Answer(q.Options), find)
	must(t, err)
	a.Records[0], key.Counter = used.Record, 5
	if used, err := p.Answered(q.State, key.Answer(q.Options), find); err != nil || !used.Cloned {
		t.Errorf("a counter that went back: %+v %v", used, err)
	}
	if _, err := p.Answered(q.State, "{}", find); !errors.Is(err, factor.ErrNotVerified) {
		t.Errorf("no answer: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
