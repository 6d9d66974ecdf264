package intake

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Reporter is who a visitor says to be.
type Reporter struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	// Signature is the HMAC-SHA-256 of the id by a secret of the source, in hexadecimal. It says nothing about the
	// name and the address.
	Signature string `json:"signature"`
	// Token is a JWT (HS256, with exp) of the site: sub is the id, and name and email what the site says.
	Token string `json:"token"`
}

// Lengths of the members of a reporter, in characters; longer texts are cut, but for an id, which is then another one.
const (
	maxReporterID    = 200
	maxReporterName  = 200
	maxReporterEmail = 254
	maxReporterToken = 4000

	clockLeeway = time.Minute // between the site's clock and this one
)

// isSigned reports whether the reporter claims that the site has signed the identity.
func (r Reporter) isSigned() bool { return r.Signature != "" || r.Token != "" }

// verified returns the identity that one of the secrets has signed. Of an HMAC it is the id alone. It is not ok when
// none has.
func (r Reporter) verified(secrets []string, now time.Time) (who Reporter, ok bool) {
	for _, s := range secrets {
		switch {
		case r.Token != "":
			who, ok = verifiedToken(r.Token, s, now)
		case r.Signature != "":
			who, ok = Reporter{ID: r.ID}, hasSignature(r.ID, r.Signature, s)
		}
		if ok {
			return who, who.ID != "" && len(who.ID) <= maxReporterID && utf8.ValidString(who.ID)
		}
	}
	return Reporter{}, false
}

// hasSignature reports whether a signature is the HMAC of an id.
func hasSignature(id, signature, secret string) bool {
	got, err := hex.DecodeString(strings.ToLower(signature))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(id)) // never fails
	return hmac.Equal(got, mac.Sum(nil))
}

// verifiedToken returns the identity in a JWT. It refuses one without an expiry, and one by another algorithm.
func verifiedToken(text, secret string, now time.Time) (Reporter, bool) {
	if len(text) > maxReporterToken {
		return Reporter{}, false
	}
	parsed, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.HS256})
	if err != nil {
		return Reporter{}, false
	}
	var claims struct {
		jwt.Claims
		Name  string `json:"name"`
		Email string `json:"email"`
	}
	if err := parsed.Claims([]byte(secret), &claims); err != nil || claims.Expiry == nil {
		return Reporter{}, false
	}
	if err := claims.ValidateWithLeeway(jwt.Expected{Time: now}, clockLeeway); err != nil {
		return Reporter{}, false
	}
	return Reporter{ID: claims.Subject, Name: claims.Name, Email: claims.Email}, true
}
