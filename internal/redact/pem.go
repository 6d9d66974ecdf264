package redact

import (
	"math"
	"strings"

	"bugslice/internal/redact/decide"
	"bugslice/internal/redact/lex"
)

const (
	opensPEM  = "BEGIN"  // after dashes
	closesPEM = "END"    // after dashes
	maxPEM    = 64 << 10 // after so many bytes, only lines of base64 alone belong to a key
)

// pemMark returns the beginning and the end of the next mark of a word from i on, such as -----BEGIN or ---- BEGIN.
// Without a mark, from is -1.
func pemMark(s string, i int, word string) (from, to int) {
	for {
		k := strings.Index(s[i:], word)
		if k < 0 {
			return -1, -1
		}
		at := i + k
		dashes := at
		for dashes > i && lex.In(s[dashes-1], lex.Space) {
			dashes--
		}
		for from = dashes; from > i && from > dashes-5 && s[from-1] == '-'; {
			from--
		}
		if i = at + len(word); dashes-from >= 4 {
			return from, i
		}
	}
}

// dashesEnd returns where the dashes that end a mark end, in the first 70 bytes; -1 when there are none.
func dashesEnd(s string) int {
	s = s[:min(len(s), 70)]
	end := strings.Index(s, "----")
	if end >= 0 {
		if end += 4; end < len(s) && s[end] == '-' {
			end++
		}
	}
	return end
}

// pemStart returns the beginning of the next private key from i on, and the end of its first line. Without a key, from
// is -1.
func pemStart(s string, i int) (from, head int) {
	for {
		from, to := pemMark(s, i, opensPEM)
		if from < 0 {
			return -1, -1
		}
		if head = pemTitleEnd(s, to); head > to {
			return from, head
		}
		i = to
	}
}

// colorEnd returns where the sequence at i that colors text on a terminal ends, or i.
func colorEnd(s string, i int) int {
	if !strings.HasPrefix(s[i:], "\x1b[") {
		return i
	}
	end := i + 2
	for end < len(s) && (lex.IsDigit(s[end]) || s[end] == ';') {
		end++
	}
	if end < len(s) && s[end] == 'm' {
		return end + 1
	}
	return i
}

// withoutColors returns a line without the sequences that color it on a terminal.
func withoutColors(s string) string {
	if strings.IndexByte(s, '\x1b') < 0 {
		return s
	}
	plain := make([]byte, 0, len(s))
	for i := 0; i < len(s); {
		if end := colorEnd(s, i); end > i {
			i = end
			continue
		}
		plain = append(plain, s[i])
		i++
	}
	return string(plain)
}

// pemKey is a private key in PEM that has begun and not ended.
type pemKey struct {
	held   string // the line on which it began, redacted
	tail   string // the text after it there
	margin int    // the bytes there before it, which a log has before each line
	size   int    // bytes that were removed
	body   bool   // its headers have ended
}

// continues reports whether a line belongs to the key, and counts it.
func (k *pemKey) continues(s string) bool {
	s = withoutColors(s)
	if !k.body && isArmorHeader(s) {
		return true
	}
	text := strings.Trim(s, " \t\r\"',[]+>|")
	text = strings.TrimSuffix(strings.TrimSuffix(text, `\n`), `\r`)
	whole := lex.Run(text, 0, lex.Alnum|lex.Base) == len(text)
	if !whole && len(s) >= k.margin-1 {
		rest := strings.TrimSpace(s[min(len(s), k.margin):])
		whole = lex.Run(rest, 0, lex.Alnum|lex.Base) == len(rest)
	}
	switch {
	case whole && (k.size < maxPEM || len(text) >= 40):
	case k.size < maxPEM && !whole:
		from := len(text)
		for from > 0 && lex.In(text[from-1], lex.Alnum|lex.Base) {
			from--
		}
		if len(text)-from < 16 || !lex.HasCapitalAndDigit(text[from:]) {
			return false
		}
	default:
		return false
	}
	k.body = k.body || text != ""
	k.size += len(s)
	return true
}

// unended returns the line on which a key without an end began.
func (k *pemKey) unended() string { return k.held + k.tail }

// endsIn reports whether the key ends in a line, and returns the text after it.
func (k *pemKey) endsIn(s string) (tail string, ended bool) {
	if !k.body {
		if at, _ := pemMark(s, 0, closesPEM); at < 0 || !k.continues(s[:at]) {
			return "", false
		}
	}
	return afterPEM(s)
}

// isArmorHeader reports whether a line is a header between the first line of a key and its body.
func isArmorHeader(s string) bool {
	for _, name := range [...]string{"Proc-Type: ", "DEK-Info: ", "Comment: ", "Version: ", "Hash: ", "Charset: ",
		"MessageID: "} {
		if strings.Contains(s, name) {
			return true
		}
	}
	return false
}

// pemTitleEnd returns where the first line of a private key ends whose mark ends at head, or head. In URLs and forms
// its blanks are escaped.
func pemTitleEnd(s string, head int) int {
	if head >= len(s) || strings.IndexByte(" +%", s[head]) < 0 {
		return head
	}
	k := dashesEnd(s[head:])
	if k < 0 || !strings.Contains(s[head:head+k], "PRIVATE") || !strings.Contains(s[head:head+k], "KEY") {
		return head
	}
	return head + k
}

// removePEM removes the private keys from a line. When a key continues on the next line, it is returned and the line
// is held.
func removePEM(s string, c Counts) (line string, key *pemKey) {
	at := 0
	for {
		from, head := pemStart(s, at)
		if from < 0 {
			return s, nil
		}
		c.countUnseen(decide.PrivateKey.Rule)
		tail, ended := afterPEM(s[head:])
		if !ended {
			to := pemBodyEnd(s, head)
			if strings.Trim(withoutColors(s[to:]), " \t\"',+") == "" {
				prefix := withoutColors(s[:from])
				key = &pemKey{held: s[:from] + lex.Marker(decide.KindKey), tail: s[to:], margin: len(prefix)}
				if prefix != "" && !lex.In(prefix[len(prefix)-1], lex.Space) { // not the prefix of a log
					key.margin = math.MaxInt
				}
				return s, key
			}
			tail = s[to:]
			if s[to-1] == '\\' && to > head {
				tail = s[to-1:]
			}
		}
		s = s[:from] + lex.Marker(decide.KindKey) + tail
		at = from + len(lex.Marker(decide.KindKey))
	}
}

// pemBodyEnd returns where the bytes that may belong to the body of a key end.
func pemBodyEnd(s string, i int) int {
	for i < len(s) && (lex.In(s[i], lex.Base64|lex.Space) || s[i] == '\\' || s[i] == '%') {
		i++
	}
	return i
}

// afterPEM returns the text after the end of a key.
func afterPEM(s string) (tail string, ended bool) {
	_, to := pemMark(s, 0, closesPEM)
	if to < 0 {
		return "", false
	}
	return s[to+max(0, dashesEnd(s[to:])):], true
}

// keyLines follows a private key through a list with a string for each of its lines.
type keyLines struct{ key *pemKey }

// next reports whether the next string of the list is a line of a key.
func (l *keyLines) next(s string) bool {
	if l.key != nil {
		_, ended := l.key.endsIn(s)
		taken := ended || l.key.continues(s)
		if ended || !taken {
			l.key = nil
		}
		if taken {
			return true
		}
	}
	if from, head := pemStart(s, 0); from >= 0 {
		if _, ended := afterPEM(s[head:]); !ended {
			l.key = &pemKey{}
		}
	}
	return false
}
