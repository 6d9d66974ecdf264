package evidence

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Member is the value of a member as it is written, and where it begins in its object.
type Member struct {
	Raw []byte
	At  int
}

// Members iterates over the members of a JSON object as they are written, even where they are not JSON. It ends where
// the object is damaged.
func Members(raw []byte) iter.Seq2[string, Member] {
	return func(yield func(string, Member) bool) {
		i := skipBlanks(raw, 0)
		if i == len(raw) || raw[i] != '{' {
			return
		}
		for i = skipBlanks(raw, i+1); i < len(raw) && raw[i] == '"'; {
			end := valueEnd(raw, i)
			var name string
			if json.Unmarshal(raw[i:end], &name) != nil {
				return
			}
			if i = skipBlanks(raw, end); i == len(raw) || raw[i] != ':' {
				return
			}
			i = skipBlanks(raw, i+1)
			if end = valueEnd(raw, i); end == i || !yield(name, Member{raw[i:end], i}) {
				return
			}
			if i = skipBlanks(raw, end); i == len(raw) || raw[i] != ',' {
				return
			}
			i = skipBlanks(raw, i+1)
		}
	}
}

func skipBlanks(raw []byte, i int) int {
	for i < len(raw) && bytes.IndexByte([]byte(" \t\r\n"), raw[i]) >= 0 {
		i++
	}
	return i
}

// valueEnd returns the index after the value at i, whose brackets and quotes match.
func valueEnd(raw []byte, i int) int {
	open := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if open == 0 {
				return min(i+1, len(raw))
			}
		case '{', '[':
			open++
		case '}', ']':
			if open--; open < 0 {
				return i
			}
			if open == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if open == 0 {
				return i
			}
		}
	}
	return len(raw)
}
