package schema

import (
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// hidden are the characters that a name must not have: control characters, line breaks, direction marks and other
// characters that are not seen. They stand for themselves, because every engine of regular expressions reads that
// alike. The joiners are no such characters: Persian names and some emoji need them.
const hidden = "\\x00-\\x1f\\x7f-\\x9f\u00ad\u061c\u180e\u200b\u200e\u200f" + separators +
	"\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"

// separators end a line in JavaScript. The patterns of the document are without them, because generators write
// patterns as literals, and would write a program with a syntax error.
const separators = "\u2028\u2029"

// blanks are the spaces, the letters that are drawn as spaces, the zero-width non-joiner and the zero-width joiner.
// The spaces of \s stand beside it, because engines differ about them.
const blanks = "\\s\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0\u200c\u200d"

// namePattern is the pattern of a name in a request: one line that is seen as it is.
const namePattern = "^[^" + hidden + "]*[^" + blanks + hidden + "][^" + hidden + "]*$"

// notBlank is the tag pattern of texts and names of which a part must be seen, and their pattern where they are stored.
const notBlank = `\S`

// textPattern is the pattern of such a text in a request.
const textPattern = "[^" + blanks + hidden + "]"

// nameRule is the description of the pattern.
const nameRule = "One line, without control characters, direction marks and other invisible characters."

const maxName = 100

var (
	hiddenPattern = regexp.MustCompile("[" + hidden + "]")
	visible       = regexp.MustCompile(namePattern)

	errNameLength = errors.New("the name must have 1 to 100 characters")
	errNameHidden = errors.New("the name must be one line, without control characters, direction marks and other invisible characters")
)

// documented returns a pattern as the document has it.
func documented(pattern string) string { return strings.ReplaceAll(pattern, separators, "") }

// compilePattern compiles a pattern of the document. Names and texts are checked by the whole pattern.
func compilePattern(pattern string) (jsonschema.Regexp, error) {
	for _, whole := range []string{namePattern, textPattern} {
		if pattern == documented(whole) {
			pattern = whole
		}
	}
	return regexp.Compile(pattern)
}

// WithoutHidden returns a text without the characters that a name must not have.
func WithoutHidden(text string) string { return hiddenPattern.ReplaceAllString(text, "") }

// CheckName refuses a name that is blank, longer than 100 characters, or has characters that are not seen. It is the
// rule of the tag name for input that no schema describes.
func CheckName(name string) error {
	switch {
	case !utf8.ValidString(name) || hiddenPattern.MatchString(name):
		return errNameHidden
	case utf8.RuneCountInString(name) > maxName || !visible.MatchString(name):
		return errNameLength
	}
	return nil
}
