package command

import (
	"strings"
	"testing"
)

// TestFileNames makes names of files of what a server may send.
func TestFileNames(t *testing.T) {
	for text, want := range map[string]string{"a.txt": "a.txt", "../../a": "a", "/": "_", "..": "_..", "": "_.",
		".bashrc": "_.bashrc", "-rf": "_-rf", "../../../x-../../etc/passwd": "passwd"} {
		if got := fileName(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// TestOpenedPages names the addresses of a server that are opened in the browser.
func TestOpenedPages(t *testing.T) {
	const server = "https://bugs.example.com"
	for address, want := range map[string]bool{server + "/reports/WEB-1": true, "http://bugs.example.com/": false,
		"https://other.example.com/": false, "--help": false, "file:///etc/passwd": false, "javascript:alert(1)": false,
		server + ".other.com/": false, "": false} {
		if got := isOf(server, address); got != want {
			t.Errorf("%q is opened: %v, want %v", address, got, want)
		}
	}
}

// TestHostileCompletions completes what a server may send.
func TestHostileCompletions(t *testing.T) {
	s := &session{}
	values, _ := s.completion(choices("a\x1b[2J\nb\td\x07\u202e"))(newAPI(s), nil, "a")
	if len(values) != 1 || strings.ContainsAny(values[0], "\x1b\n\x07\u202e") {
		t.Errorf("it completes %q", values)
	}
}
