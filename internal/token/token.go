// Package token creates and parses the tokens of API keys, shares and sources: svc_pat_, svc_wst_, svc_shr_, svc_pub_ or
// svc_sgn_, random base62 characters (30 for a key, about 178 bits; 43 for another secret, 256 bits), and 6 more with the
// CRC-32 of these. The checksum detects a mistyped or truncated token without a database query, and lets secret scanners
// avoid false positives.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// Kind reports whether a token is for a share or a source, or for which type of key.
type Kind string

// The kinds.
const (
	PAT   Kind = "pat"
	WST   Kind = "wst"
	Share Kind = "shr"

	Public  Kind = "pub" // the key of a source, which is no secret
	Signing Kind = "sgn" // the secret by which the site of a source signs
)

// randomLen is the number of random characters of a token.
var randomLen = map[Kind]int{PAT: 30, WST: 30, Share: 43, Public: 30, Signing: 43}

const (
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	prefixLen = len("svc_pat_")
	sumLen    = 6
)

// New returns a new token.
func New(k Kind) string {
	var b strings.Builder
	b.WriteString("svc_" + string(k) + "_")
	var random [64]byte
	for n := 0; n < randomLen[k]; {
		_, _ = rand.Read(random[:])
		for _, c := range random {
			if c < 248 && n < randomLen[k] { // 248 = 4 × 62: every character is equally likely
				b.WriteByte(base62[c%62])
				n++
			}
		}
	}
	return b.String() + checksum(b.String())
}

// checksum returns the CRC-32 of a text in base62.
func checksum(s string) string {
	crc := crc32.ChecksumIEEE([]byte(s))
	var out [sumLen]byte
	for i := sumLen - 1; i >= 0; i-- {
		out[i] = base62[crc%62]
		crc /= 62
	}
	return string(out[:])
}

// Parse returns the kind of a token. It is not ok when the prefix, the length, the alphabet or the checksum is wrong.
func Parse(s string) (kind Kind, ok bool) {
	if len(s) < prefixLen || !strings.HasPrefix(s, "svc_") || s[prefixLen-1] != '_' {
		return "", false
	}
	kind = Kind(s[len("svc_") : prefixLen-1])
	if n, known := randomLen[kind]; !known || len(s) != prefixLen+n+sumLen {
		return "", false
	}
	for _, c := range []byte(s[prefixLen:]) {
		if strings.IndexByte(base62, c) < 0 {
			return "", false
		}
	}
	if body := s[:len(s)-sumLen]; body+checksum(body) != s {
		return "", false
	}
	return kind, true
}

// Hash returns the SHA-256 of a token in hexadecimal. The database contains only the hash.
func Hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// Last4 returns the last four characters, by which users recognize a key.
func Last4(s string) string { return s[max(0, len(s)-4):] }

// FromAuthorization returns the credential of a Bearer Authorization header (RFC 6750). It ignores the case of the
// scheme and accepts several spaces after it.
func FromAuthorization(header string) (credential string, ok bool) {
	const scheme = "bearer "
	if len(header) <= len(scheme) || !strings.EqualFold(header[:len(scheme)], scheme) {
		return "", false
	}
	text := strings.TrimLeft(header[len(scheme):], " ")
	trimmed := strings.TrimRight(text, "=")
	if trimmed == "" {
		return "", false
	}
	for _, c := range []byte(trimmed) {
		if strings.IndexByte(base62+"-._~+/", c) < 0 {
			return "", false
		}
	}
	return text, true
}
