package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime/quotedprintable"
	"strings"

	"bugslice/internal/redact/lex"
)

// coding is an encoding of bytes as text.
type coding struct {
	// decode returns the bytes of the longest beginning of a text that is encoded, and the text after it.
	decode func(s string) (plain []byte, rest string)
	encode func(plain string) string
	// Text that is not encoded is decoded to itself.
	readsText bool
}

var (
	base64Coding = coding{decode: lex.DecodeBase64,
		encode: func(plain string) string { return base64.StdEncoding.EncodeToString([]byte(plain)) }}
	hexCoding = coding{decode: decodeHex,
		encode: func(plain string) string { return hex.EncodeToString([]byte(plain)) }}
	quotedCoding = coding{decode: decodeQuotedPrintable, encode: encodeQuotedPrintable, readsText: true}
)

// codingsOf returns the codings that a declared encoding may mean: none for text, and all for an unknown one.
func codingsOf(declared any) []coding {
	name, isText := declared.(string)
	name = strings.ToLower(strings.TrimSpace(name))
	switch {
	case declared == nil:
		return nil
	case !isText:
		return []coding{base64Coding, hexCoding, quotedCoding}
	case strings.Contains(name, "64"):
		return []coding{base64Coding}
	case strings.Contains(name, "hex"), strings.Contains(name, "base16"):
		return []coding{hexCoding}
	case strings.Contains(name, "quoted"), name == "qp", name == "q":
		return []coding{quotedCoding}
	}
	switch name {
	case "", "utf-8", "utf8", "text", "plain", "identity", "7bit", "8bit", "ascii", "us-ascii", "iso-8859-1", "latin1",
		"windows-1252":
		return nil
	}
	return []coding{base64Coding, hexCoding, quotedCoding}
}

// hexMarks are written before a byte, or between bytes.
var hexMarks = strings.NewReplacer("0x", "", "0X", "", `\x`, "", ",", "")

// decodeHex decodes digits in either case, with blanks, line breaks, commas, and marks before each byte.
func decodeHex(s string) (plain []byte, rest string) {
	s = hexMarks.Replace(s)
	var digits []byte
	end := 0
	for ; end < len(s); end++ {
		switch c := s[end] | 0x20; {
		case c >= '0' && c <= '9' && lex.IsDigit(s[end]), c >= 'a' && c <= 'f':
			digits = append(digits, s[end])
		case strings.IndexByte(" \t\r\n:", s[end]) >= 0:
		default:
			plain, _ = hex.DecodeString(string(digits[:len(digits)&^1]))
			return plain, s[end:]
		}
	}
	plain, _ = hex.DecodeString(string(digits[:len(digits)&^1]))
	return plain, ""
}

// decodeQuotedPrintable decodes a text as a whole, or nothing of it.
func decodeQuotedPrintable(s string) (plain []byte, rest string) {
	plain, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(s)))
	if err != nil {
		return nil, s
	}
	return plain, ""
}

func encodeQuotedPrintable(s string) string {
	var b bytes.Buffer
	w := quotedprintable.NewWriter(&b)
	_, _ = io.WriteString(w, s) // into memory
	_ = w.Close()
	return b.String()
}

// leastRun is the number of digits of base64 that are not taken for a word.
const leastRun = 12

// base64Digits returns the digits of base64 in a text without the bytes between them: the first run of digits, and the
// other runs of at least so many digits.
func base64Digits(s string, least int) string {
	var digits strings.Builder
	for i := 0; i < len(s); {
		end := lex.Run(s, i, lex.Base64)
		if digits.Len() == 0 || end-i >= least {
			digits.WriteString(s[i:end])
		}
		i = end + 1
	}
	return digits.String()
}

// hiddenIn returns further texts that a text which is only partly base64 may contain: all digits in it, and each run
// of digits, which may begin within a group.
func hiddenIn(rest string) (texts []string) {
	for i := 0; i < len(rest); {
		end := lex.Run(rest, i, lex.Base64)
		if end-i >= leastRun {
			for offset := range 4 {
				texts = append(texts, string(lex.DecodeDigits(rest[i+offset:end])))
			}
		}
		i = end + 1
	}
	return append(texts, string(lex.DecodeDigits(base64Digits(rest, 1))))
}
