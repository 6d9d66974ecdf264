package lex

import (
	"encoding/base64"
	"strings"
)

// DecodeBase64 decodes either alphabet, with or without padding, line breaks and blanks. Digits that are no whole
// byte are dropped.
func DecodeBase64(s string) (plain []byte, rest string) {
	end := 0
	for end < len(s) && (In(s[end], Base64|Space) || s[end] == '\r' || s[end] == '\n') {
		end++
	}
	return DecodeDigits(s[:end]), s[end:]
}

// standard converts the alphabet of URLs to the usual one.
var standard = strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "", " ", "", "\t", "")

// DecodeDigits decodes digits of base64, also several texts with padding one after the other.
func DecodeDigits(s string) (plain []byte) {
	for part := range strings.SplitSeq(standard.Replace(s), "=") {
		if len(part)%4 == 1 {
			part = part[:len(part)-1]
		}
		decoded, _ := base64.RawStdEncoding.DecodeString(part)
		plain = append(plain, decoded...)
	}
	return plain
}
