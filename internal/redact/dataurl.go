package redact

import (
	"maps"
	"slices"
	"strings"
)

// maxMediaType bounds the media type of a data URL with its parameters.
const maxMediaType = 200

// dataURL removes the data of the data URL whose scheme ends at i when a secret is in it, and returns the index after the data. Data
// without base64 and escapes is scanned like other text, and images, sound and fonts are not.
func (x *scan) dataURL(i int) int {
	s := x.s
	head := s[i:min(len(s), i+maxMediaType)]
	comma := strings.IndexByte(head, ',')
	if comma < 0 {
		return i
	}
	mediaType, isBase64 := strings.CutSuffix(strings.ToLower(head[1:comma]), ";base64")
	from := i + comma + 1
	if strings.ContainsAny(mediaType, " \"'<>") {
		return i
	}
	if !isBase64 {
		return x.escapedData(i, from, mediaType)
	}
	end := from
	for end < len(s) && (sets[s[end]]&base64Alphabet != 0 || s[end] == '%') {
		end++
	}
	if isSkippedType(mediaType) || x.st.depth >= maxDepth {
		return end
	}
	found := Counts{}
	plain, _ := decodeBase64(unescapePercent(s[from:end]))
	if strings.IndexByte(string(plain), 0) >= 0 { // binary
		return end
	}
	if x.r.redactBody(mediaType, string(plain), found, x.st.depth+1); len(found) > 0 {
		x.remove(from, end, slices.Min(slices.Collect(maps.Keys(found))))
	}
	return end
}

// escapedData removes the data of the data URL whose scheme ends at i when it has percent escapes and, without them, a secret. It returns
// the index after the data, or i when it is to be scanned like other text.
func (x *scan) escapedData(i, from int, mediaType string) int {
	end := urlEnd(x.s, from)
	if strings.IndexByte(x.s[from:end], '%') < 0 || x.st.depth >= maxDepth {
		return i
	}
	found := Counts{}
	if x.r.redactBody(mediaType, unescapePercent(x.s[from:end]), found, x.st.depth+1); len(found) == 0 {
		return i
	}
	x.remove(from, end, slices.Min(slices.Collect(maps.Keys(found))))
	return end
}

// isSkippedType reports whether the data of a media type is that of images, sound or fonts, which is not decoded.
func isSkippedType(mediaType string) bool {
	return isBinaryType(mediaType) && !strings.HasPrefix(mediaType, "image/svg") || strings.HasPrefix(mediaType, "application/font")
}

// unescapePercent decodes percent escapes, of which there are few in base64. A plus sign stays.
func unescapePercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	return unescape(strings.ReplaceAll(s, "+", "%2B"))
}
