package api

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Reference returns the reference of the slice with a number in the workspace with a key, such as WEB-161.
func Reference(workspaceKey string, number int64) string {
	return workspaceKey + "-" + strconv.FormatInt(number, 10)
}

// maxNumberDigits is the length of the largest number of a slice.
const maxNumberDigits = 13

var referencePattern = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]{1,5})-([1-9][0-9]{0,` +
	strconv.Itoa(maxNumberDigits-1) + `})$`)

// ParseReference splits a reference, in capital or small letters, into the key of the workspace and the number of the
// slice. ok is false when the text has not the form of a reference.
func ParseReference(text string) (workspaceKey string, number int64, ok bool) {
	parts := referencePattern.FindStringSubmatch(text)
	if parts == nil {
		return "", 0, false
	}
	number, err := strconv.ParseInt(parts[2], 10, 64)
	return strings.ToUpper(parts[1]), number, err == nil
}

// writtenReference finds references within a text.
var writtenReference = regexp.MustCompile(`(?:^|[^\w/.@#-])([A-Z][A-Z0-9]{1,5}-[1-9][0-9]{0,` +
	strconv.Itoa(maxNumberDigits-1) + `})\b`)

// FindReferences returns the references in a text, in capital letters as people write them, each once and in their
// order.
func FindReferences(text string) (all []string) {
	for _, m := range writtenReference.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(all, m[1]) {
			all = append(all, m[1])
		}
	}
	return all
}
