// Package token makes and reads API key tokens: svc_pat_ or svc_wst_, 30 random base62
// characters (about 178 bits), and the CRC-32 of all before in 6 more, so that a mistyped
// or truncated token is known for one without a look at the database, and secret scanners
// find one without false alarms.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
)

// Kind is the type of key a token belongs to.
type Kind string

// The kinds.
const (
	PAT Kind = "pat"
	WST Kind = "wst"
)

const (
	base62   = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	random   = 30
	checksum = 6
	prefix   = len("svc_pat_")
)

// New returns a new token.
func New(k Kind) string {
	var b strings.Builder
	b.WriteString("svc_" + string(k) + "_")
	var draw [64]byte
	for n := 0; n < random; {
		_, _ = rand.Read(draw[:])
		for _, c := range draw {
			if c < 248 && n < random { // 248 = 4 × 62: every character is as likely
				b.WriteByte(base62[c%62])
				n++
			}
		}
	}
	return b.String() + sum(b.String())
}

func sum(s string) string {
	crc := crc32.ChecksumIEEE([]byte(s))
	var out [checksum]byte
	for i := checksum - 1; i >= 0; i-- {
		out[i] = base62[crc%62]
		crc /= 62
	}
	return string(out[:])
}

// Parse returns the kind of a token whose prefix, length, alphabet and checksum are right.
func Parse(s string) (Kind, bool) {
	if len(s) != prefix+random+checksum {
		return "", false
	}
	for _, c := range []byte(s[prefix:]) {
		if strings.IndexByte(base62, c) < 0 {
			return "", false
		}
	}
	if sum(s[:prefix+random]) != s[prefix+random:] {
		return "", false
	}
	switch s[:prefix] {
	case "svc_pat_":
		return PAT, true
	case "svc_wst_":
		return WST, true
	}
	return "", false
}

// Hash returns the lower-case hexadecimal SHA-256 of a token, which is what is stored.
func Hash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// Last4 returns the last four characters, by which people tell keys apart.
func Last4(s string) string { return s[max(0, len(s)-4):] }

// FromAuthorization returns the credential of a Bearer Authorization header (RFC 6750). The
// scheme's case is free; one or more spaces follow it.
func FromAuthorization(header string) (string, bool) {
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
