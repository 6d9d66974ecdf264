package intake

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// jwtOf makes a token as a site would, without our library.
func jwtOf(t testing.TB, header, claims map[string]any, secret string) string {
	t.Helper()
	var parts []string
	for _, v := range []any{header, claims} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, base64.RawURLEncoding.EncodeToString(b))
	}
	signed := strings.Join(parts, ".")
	return signed + "." + base64.RawURLEncoding.EncodeToString(macOf(signed, secret))
}

func macOf(text, secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(text))
	return mac.Sum(nil)
}

// Secrets of a source are as long as this one.
const (
	newSecret = "svc_sgn_new0123456789012345678901234567890123456789012345"
	oldSecret = "svc_sgn_old0123456789012345678901234567890123456789012345"
)

// TestIdentities: an identity holds when one of the secrets has signed it: the id by HMAC, or all of it by a JWT that
// expires.
func TestIdentities(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	hs256 := map[string]any{"alg": "HS256", "typ": "JWT"}
	claims := func(change map[string]any) map[string]any {
		all := map[string]any{"sub": "u7", "name": "Ada", "email": "ada@example.com",
			"exp": now.Add(time.Minute).Unix()}
		for name, v := range change {
			if all[name] = v; v == nil {
				delete(all, name)
			}
		}
		return all
	}
	token := func(change map[string]any, secret string) Reporter {
		return Reporter{Token: jwtOf(t, hs256, claims(change), secret)}
	}
	signature := func(id, of, secret string) Reporter {
		return Reporter{ID: id, Name: "Eve", Email: "eve@example.com", Signature: hex.EncodeToString(macOf(of, secret))}
	}
	all := Reporter{ID: "u7", Name: "Ada", Email: "ada@example.com"}
	for what, c := range map[string]struct {
		given Reporter
		want  Reporter // zero when it is refused
	}{
		"an id":                      {signature("u7", "u7", newSecret), Reporter{ID: "u7"}},
		"an id by the former secret": {signature("u7", "u7", oldSecret), Reporter{ID: "u7"}},
		"an id in capitals": {Reporter{ID: "u7", Signature: strings.ToUpper(hex.EncodeToString(macOf("u7",
			newSecret)))}, Reporter{ID: "u7"}},
		"another id":              {signature("u8", "u7", newSecret), Reporter{}},
		"an id by another secret": {signature("u7", "u7", "another"), Reporter{}},
		"an empty id":             {signature("", "", newSecret), Reporter{}},
		"no hexadecimal":          {Reporter{ID: "u7", Signature: "zz"}, Reporter{}},
		"an endless id": {signature(strings.Repeat("u", 201), strings.Repeat("u", 201), newSecret),
			Reporter{}},
		"nothing":                      {Reporter{ID: "u7"}, Reporter{}},
		"a token":                      {token(nil, newSecret), all},
		"a token by the former secret": {token(nil, oldSecret), all},
		"a token by another secret":    {token(nil, strings.Replace(newSecret, "new", "xxx", 1)), Reporter{}},
		"an expired token": {token(map[string]any{"exp": now.Add(-2 * time.Minute).Unix()}, newSecret),
			Reporter{}},
		"a token that just expired": {token(map[string]any{"exp": now.Add(-30 * time.Second).Unix()}, newSecret),
			all},
		"a token without an expiry": {token(map[string]any{"exp": nil}, newSecret), Reporter{}},
		"a token without a subject": {token(map[string]any{"sub": nil}, newSecret), Reporter{}},
		"a token that begins later": {token(map[string]any{"nbf": now.Add(time.Hour).Unix()}, newSecret),
			Reporter{}},
		"a token without a name": {token(map[string]any{"name": nil, "email": nil}, newSecret),
			Reporter{ID: "u7"}},
		"a token without an algorithm": {Reporter{Token: jwtOf(t, map[string]any{"alg": "none"}, claims(nil),
			newSecret)}, Reporter{}},
		"a token by a longer algorithm": {Reporter{Token: jwtOf(t, map[string]any{"alg": "HS512"}, claims(nil),
			newSecret)}, Reporter{}},
		"no token": {Reporter{Token: "a.b.c"}, Reporter{}},
		"an endless token": {token(map[string]any{"name": strings.Repeat("x", 5000)}, newSecret),
			Reporter{}},
		"a wrong token with a signature": {Reporter{ID: "u7", Token: "a.b.c",
			Signature: hex.EncodeToString(macOf("u7", newSecret))}, Reporter{}},
	} {
		got, ok := c.given.verified([]string{newSecret, oldSecret}, now)
		if ok != (c.want != Reporter{}) || ok && got != c.want {
			t.Errorf("%s: %v, %t", what, got, ok)
		}
	}
	if _, ok := signature("u7", "u7", newSecret).verified(nil, now); ok {
		t.Error("a source without a secret takes an identity")
	}
	if _, ok := signature("u7", "u7", "").verified([]string{}, now); ok {
		t.Error("an empty secret signs")
	}
}
