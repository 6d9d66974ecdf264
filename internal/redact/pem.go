package redact

import (
	"math"
	"strings"
)

const (
	opensPEM  = "-----BEGIN"
	closesPEM = "-----END"
	maxPEM    = 64 << 10 // after so many bytes, only lines of base64 alone belong to a key
)

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
	if !k.body && isArmorHeader(s) {
		return true
	}
	text := strings.Trim(s, " \t\r\"',[]+>|")
	text = strings.TrimSuffix(strings.TrimSuffix(text, `\n`), `\r`)
	whole := run(text, 0, alnum|base) == len(text)
	if !whole && len(s) >= k.margin-1 {
		rest := strings.TrimSpace(s[min(len(s), k.margin):])
		whole = run(rest, 0, alnum|base) == len(rest)
	}
	switch {
	case whole && (k.size < maxPEM || len(text) >= 40):
	case k.size < maxPEM && !whole:
		from := len(text)
		for from > 0 && sets[text[from-1]]&(alnum|base) != 0 {
			from--
		}
		if len(text)-from < 16 || !hasCapitalAndDigit(text[from:]) {
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
		if before, _, ok := strings.Cut(s, closesPEM); !ok || !k.continues(before) {
			return "", false
		}
	}
	return afterPEM(s)
}

// isArmorHeader reports whether a line is a header between the first line of a key and its body.
func isArmorHeader(s string) bool {
	for _, name := range [...]string{"Proc-Type: ", "DEK-Info: ", "Comment: ", "Version: ", "Hash: ", "Charset: ", "MessageID: "} {
		if strings.Contains(s, name) {
			return true
		}
	}
	return false
}

// pemTitleEnd returns where the first line of a private key that begins at i ends, or i. In URLs and forms its blanks are escaped.
func pemTitleEnd(s string, i int) int {
	head := i + len(opensPEM)
	if head >= len(s) || strings.IndexByte(" +%", s[head]) < 0 {
		return i
	}
	near := s[head:min(len(s), head+70)]
	k := strings.Index(near, "-----")
	if k < 0 || !strings.Contains(near[:k], "PRIVATE") || !strings.Contains(near[:k], "KEY") {
		return i
	}
	return head + k + len("-----")
}

// removePEM removes the private keys from a line. When a key continues on the next line, st.key is set and the line is held.
func removePEM(s string, st *state, c Counts) string {
	at := 0
	for {
		k := strings.Index(s[at:], opensPEM)
		if k < 0 {
			return s
		}
		from := at + k
		head := pemTitleEnd(s, from)
		if head == from {
			at = from + len(opensPEM)
			continue
		}
		c.count(kindKey)
		tail, ended := afterPEM(s[head:])
		if !ended {
			to := pemBodyEnd(s, head)
			if strings.Trim(s[to:], " \t\"',+") == "" {
				st.key = &pemKey{held: s[:from] + marker(kindKey), tail: s[to:], margin: from}
				if from > 0 && sets[s[from-1]]&space == 0 { // not the prefix of a log
					st.key.margin = math.MaxInt
				}
				return s
			}
			tail = s[to:]
			if s[to-1] == '\\' && to > head {
				tail = s[to-1:]
			}
		}
		s = s[:from] + marker(kindKey) + tail
		at = from + len(marker(kindKey))
	}
}

// pemBodyEnd returns where the bytes that may belong to the body of a key end.
func pemBodyEnd(s string, i int) int {
	for i < len(s) && (sets[s[i]]&(alnum|base|space|under) != 0 || s[i] == '\\' || s[i] == '%') {
		i++
	}
	return i
}

// afterPEM returns the text after the end of a key.
func afterPEM(s string) (tail string, ended bool) {
	k := strings.Index(s, closesPEM)
	if k < 0 {
		return "", false
	}
	tail = s[k+len(closesPEM):]
	if k := strings.Index(tail[:min(len(tail), 70)], "-----"); k >= 0 {
		tail = tail[k+len("-----"):]
	}
	return tail, true
}

// keyLines follows a private key through a list with a string for each of its lines.
type keyLines struct{ key *pemKey }

// next returns the meaning of the next string of the list.
func (l *keyLines) next(s string, m meaning) meaning {
	if l.key != nil {
		_, ended := l.key.endsIn(s)
		taken := ended || l.key.continues(s)
		if ended || !taken {
			l.key = nil
		}
		if taken {
			return meaning{class: alwaysSecret, kind: kindKey}
		}
	}
	if k := strings.Index(s, opensPEM); k >= 0 && pemTitleEnd(s, k) > k && !strings.Contains(s, closesPEM) {
		l.key = &pemKey{}
	}
	return m
}
