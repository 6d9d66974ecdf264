package evidence

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

var (
	errPacked  = errors.New("is packed in a form that is not understood; send unpacked rrweb events")
	errUnpacks = fmt.Errorf("unpacked, the events have more than %d MiB", maxUnpacked>>20)
)

// unpacker unpacks the events of recorders that pack each event by itself, to at most maxUnpacked bytes together.
type unpacker struct{ left int64 }

// maxRatio is how many bytes a packed byte may have at most, by deflate.
const maxRatio = 1032

// zlibStarts are the beginnings of zlib in a string of JSON. Others have a dictionary.
var zlibStarts = []string{`"x\`, `"x^`, "\"x\u009c", "\"x\u00da"}

// Size returns as how many bytes a body in JSON is to be counted: its own, and those that packed events in it may have.
func Size(body []byte) int {
	isIn := func(start string) bool { return bytes.Contains(body, []byte(start)) }
	if slices.ContainsFunc(zlibStarts, isIn) || isIn(`\u001f`) || isIn(`\u001F`) { // which begins gzip
		return len(body) + min(maxUnpacked, maxRatio*len(body))
	}
	return len(body)
}

// event returns an event that is packed by rrweb, a string, or by PostHog, an event with cv; any other one as it is.
// A packed one that cannot be unpacked is an error, and errUnpacks when it would be too large.
func (u *unpacker) event(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) > 0 && raw[0] == '"':
		return u.unpackRRWeb(raw)
	case bytes.Contains(raw, []byte(`"cv"`)):
		return u.unpackPostHog(raw)
	}
	return raw, nil
}

// unpackRRWeb unpacks a string of rrweb's packer, whose version v1 is a mark in the event.
func (u *unpacker) unpackRRWeb(raw json.RawMessage) (json.RawMessage, error) {
	var text string
	isPacked := func(start string) bool { return bytes.HasPrefix(raw, []byte(start)) }
	if !slices.ContainsFunc(zlibStarts, isPacked) || json.Unmarshal(raw, &text) != nil {
		return raw, nil
	}
	plain, err := u.unpack(text)
	if err != nil {
		return nil, err
	}
	var event map[string]json.RawMessage
	if json.Unmarshal(plain, &event) != nil || string(event["v"]) != `"v1"` {
		return nil, errPacked
	}
	delete(event, "v")
	return marshal(event)
}

// unpackPostHog unpacks the data of an event of PostHog, or the members of the data: gzip in a text with a character
// for each byte.
func (u *unpacker) unpackPostHog(raw json.RawMessage) (json.RawMessage, error) {
	var event map[string]json.RawMessage
	if json.Unmarshal(raw, &event) != nil || event["cv"] == nil {
		return raw, nil
	}
	data, isPacked, err := u.packedValue(event["data"])
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if !isPacked && json.Unmarshal(data, &members) == nil && members != nil {
		for name, value := range members {
			value, was, err := u.packedValue(value)
			if err != nil {
				return nil, err
			}
			members[name], isPacked = value, isPacked || was
		}
		if data, err = marshal(members); err != nil {
			return nil, errPacked
		}
	}
	if !isPacked {
		return raw, nil
	}
	if string(event["cv"]) != `"2024-10"` {
		return nil, errPacked
	}
	delete(event, "cv")
	event["data"] = data
	return marshal(event)
}

// packedValue unpacks JSON that is a packed text.
func (u *unpacker) packedValue(raw json.RawMessage) (value json.RawMessage, isPacked bool, err error) {
	var text string
	if json.Unmarshal(raw, &text) != nil || !strings.HasPrefix(text, "\x1f\u008b") {
		return raw, false, nil
	}
	if value, err = u.unpack(text); err == nil && !json.Valid(value) {
		err = errPacked
	}
	return value, true, err
}

// unpack unpacks gzip or zlib in a text with a character for each byte.
func (u *unpacker) unpack(text string) ([]byte, error) {
	packed := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return nil, errPacked
		}
		packed = append(packed, byte(c))
	}
	var z io.Reader
	var err error
	if bytes.HasPrefix(packed, []byte("\x1f\x8b")) {
		z, err = gzip.NewReader(bytes.NewReader(packed))
	} else {
		z, err = zlib.NewReader(bytes.NewReader(packed))
	}
	if err != nil {
		return nil, errPacked
	}
	plain, err := io.ReadAll(io.LimitReader(z, u.left+1))
	switch u.left -= int64(len(plain)); {
	case u.left < 0:
		return nil, errUnpacks
	case err != nil:
		return nil, errPacked
	}
	return plain, nil
}
