package factor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// RecoveryCodes is the number of recovery codes of a user.
const RecoveryCodes = 10

// A recovery code has 16 characters of 5 bits each.
const (
	codeAlphabet = "abcdefghijkmnpqrstuvwxyz23456789" // without l and o, 0 and 1
	codeLength   = 16
)

// NewRecoveryCodes returns new codes of 80 random bits, in groups of four characters.
func NewRecoveryCodes() (codes []string) {
	for range RecoveryCodes {
		var random [codeLength]byte
		_, _ = rand.Read(random[:])
		var text strings.Builder
		for i, b := range random {
			if i > 0 && i%4 == 0 {
				text.WriteByte('-')
			}
			text.WriteByte(codeAlphabet[b%byte(len(codeAlphabet))]) // 256 is a multiple of 32: every character is equally likely
		}
		codes = append(codes, text.String())
	}
	return codes
}

// RecoveryHash returns the SHA-256 of a recovery code of a user, however it was typed.
func RecoveryHash(userID, code string) string {
	typed := strings.Map(func(c rune) rune {
		if strings.ContainsRune(codeAlphabet, c) {
			return c
		}
		return -1
	}, strings.ToLower(code))
	sum := sha256.Sum256([]byte(userID + "\n" + typed))
	return hex.EncodeToString(sum[:])
}
