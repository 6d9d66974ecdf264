package redact

import (
	"math"
	"strings"
)

const (
	opensPEM  = "-----BEGIN"
	closesPEM = "-----END"
	maxPEM    = 64 << 10 // beyond, only what is nothing but base64 belongs to a key
)

// key is a private key in PEM of which the beginning was seen.
type key struct {
	held   string // the line it began on
	tail   string // what closes it there
	margin int    // what stands there before it, as a log has it before each line
	size   int    // of what was dropped of it
	body   bool   // its headers are over
}

// takes says whether a line belongs to the key.
func (k *key) takes(s string) bool {
	if !k.body && armored(s) {
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
		if len(text)-from < 16 || !mixed(text[from:]) {
			return false
		}
	default:
		return false
	}
	k.body = k.body || text != ""
	k.size += len(s)
	return true
}

// cut is the line it began on, of a key whose end does not come.
func (k *key) cut() string { return k.held + k.tail }

// ends says whether a line is the key's last, and what comes after it there.
func (k *key) ends(s string) (tail string, ended bool) {
	if !k.body {
		if before, _, ok := strings.Cut(s, closesPEM); !ok || !k.takes(before) {
			return "", false
		}
	}
	return afterPEM(s)
}

// armored says whether a line is one of the headers between the first line of a key and its body.
func armored(s string) bool {
	for _, name := range [...]string{"Proc-Type: ", "DEK-Info: ", "Comment: ", "Version: ", "Hash: ", "Charset: ", "MessageID: "} {
		if strings.Contains(s, name) {
			return true
		}
	}
	return false
}

// title returns where the first line of a private key that begins at i ends, or i. In URLs
// and forms its blanks are escaped.
func title(s string, i int) int {
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

// pem takes the private keys out of a line. One that goes on beyond it leaves the line held.
func pem(s string, st *state, c Counts) string {
	at := 0
	for {
		k := strings.Index(s[at:], opensPEM)
		if k < 0 {
			return s
		}
		from := at + k
		head := title(s, from)
		if head == from {
			at = from + len(opensPEM)
			continue
		}
		c.count(kindKey)
		tail, ended := afterPEM(s[head:])
		if !ended {
			to := bodyEnd(s, head)
			if strings.Trim(s[to:], " \t\"',+") == "" {
				st.key = &key{held: s[:from] + marker(kindKey), tail: s[to:], margin: from}
				if from > 0 && sets[s[from-1]]&space == 0 { // no log's
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

// bodyEnd returns where what may be the rest of a key on its first line ends.
func bodyEnd(s string, i int) int {
	for i < len(s) && (sets[s[i]]&(alnum|base|space|under) != 0 || s[i] == '\\' || s[i] == '%') {
		i++
	}
	return i
}

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

// keyLines follows a key through a list that has each of its lines as a string.
type keyLines struct{ key *key }

// next returns what the next string of the list means.
func (l *keyLines) next(s string, m meaning) meaning {
	if l.key != nil {
		_, ended := l.key.ends(s)
		taken := ended || l.key.takes(s)
		if ended || !taken {
			l.key = nil
		}
		if taken {
			return meaning{sure, kindKey}
		}
	}
	if k := strings.Index(s, opensPEM); k >= 0 && title(s, k) > k && !strings.Contains(s, closesPEM) {
		l.key = &key{}
	}
	return m
}

// jwk says whether a member is a private one of a JSON web key: of a name that these have, and
// as long as they are; sure is that it is one.
func jwk(name, text string, sure bool) bool {
	switch name {
	case "d", "p", "q", "dp", "dq", "qi", "k":
		return (len(text) >= 40 || sure && len(text) >= 16) && run(text, 0, word) == len(text) && mixed(text)
	}
	return false
}

// keyType is a member that every JSON web key has.
const keyType = `"kty"`
