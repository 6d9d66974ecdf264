package intakeapi

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// FuzzMetadata: what the header of a file is read as is what it says.
func FuzzMetadata(f *testing.F) {
	f.Add("filename d29ybGQucGRm,is_confidential")
	f.Add(" a YQ== , b ")
	f.Add("a YQ==,a YQ==")
	f.Add(",,")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseMetadata(text)
		if err != nil {
			return
		}
		for name, value := range all {
			if !strings.Contains(text, name) || value != "" && !strings.Contains(text,
				base64.StdEncoding.EncodeToString([]byte(value))) {
				t.Errorf("%q has %q as %q", text, name, value)
			}
		}
	})
}

// FuzzBytes: a number of bytes is digits alone.
func FuzzBytes(f *testing.F) {
	for _, text := range []string{"0", "007", "-1", "+1", "1e3", " 1", "９", "99999999999999999999"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseBytes(text)
		if err == nil && (n < 0 || strings.TrimLeft(text, "0") != strings.TrimLeft(strconv.FormatInt(n, 10), "0")) {
			t.Errorf("%q is read as %d", text, n)
		}
		if _, err := fileOf(http.Header{"Upload-Length": {text}}); (err != nil) != (n == 0 && text == "" ||
			!isNumber(text)) {
			t.Errorf("%q as a length: %v", text, err)
		}
	})
}

func isNumber(text string) bool {
	_, err := parseBytes(text)
	return err == nil
}
