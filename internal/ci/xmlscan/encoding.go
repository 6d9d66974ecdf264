package xmlscan

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf "golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// decode returns a document in UTF-8. A mark of its byte order, or the first bytes, decide before its declaration,
// because runners declare UTF-16 and write UTF-8. What is not of the encoding becomes U+FFFD.
func decode(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, maxChunk)
	head, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	e, err := encodingOf(head)
	if err != nil {
		return nil, err
	}
	return transform.NewReader(in, e.NewDecoder()), nil
}

var declared = regexp.MustCompile(`^<\?xml[^>]*?\sencoding\s*=\s*["']([^"']{1,40})["']`)

func encodingOf(head []byte) (encoding.Encoding, error) {
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		return utf.UTF8BOM, nil
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("<\x00")):
		return utf.UTF16(utf.LittleEndian, utf.UseBOM), nil
	case bytes.HasPrefix(head, []byte("\xFE\xFF")), bytes.HasPrefix(head, []byte("\x00<")):
		return utf.UTF16(utf.BigEndian, utf.UseBOM), nil
	}
	found := declared.FindSubmatch(bytes.TrimLeft(head, space))
	if found == nil {
		return utf.UTF8, nil
	}
	name := plain(string(found[1]))
	switch name {
	case "utf8", "utf16", "utf16le", "utf16be", "ascii", "usascii":
		return utf.UTF8, nil
	case "latin1":
		return charmap.ISO8859_1, nil
	}
	for _, e := range charmap.All {
		if c, ok := e.(*charmap.Charmap); ok && plain(c.String()) == strings.Replace(name, "cp125", "windows125", 1) {
			return c, nil
		}
	}
	return nil, &Error{1, fmt.Sprintf("the encoding %s is not read; UTF-8 is", found[1])}
}

// plain returns a name of an encoding without what is written in several ways.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
