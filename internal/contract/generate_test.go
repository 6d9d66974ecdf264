package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGeneratedFiles: the generated files are what the code makes.
func TestGeneratedFiles(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Error(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the code makes: run make contract, and read what changes", name)
		}
	}
}
