package results_test

import (
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

// TestFind: a pattern stands for the files that fit it, each once, and for one at least.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{
		"junit.xml", "a/junit.xml", "a/b/junit.xml", "a/b/junit.txt", "a/TEST-x[1].xml", ".git/junit.xml",
		"a/node_modules/c/junit.xml", "d/junit.xml/other.xml",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(path)))
	}
	t.Chdir(dir)
	for _, c := range []struct{ patterns, want string }{
		{"junit.xml", "junit.xml"},
		{"*.xml", "junit.xml"},
		{"*/junit.xml", "a/junit.xml"},
		{"**/junit.xml", "a/b/junit.xml a/junit.xml junit.xml"},
		{"a/**/junit.*", "a/b/junit.txt a/b/junit.xml a/junit.xml"},
		{"a/**", "a/TEST-x[1].xml a/b/junit.txt a/b/junit.xml a/junit.xml"},
		{"./a/*/junit.xml", "a/b/junit.xml"},
		{"a/TEST-x[1].xml", "a/TEST-x[1].xml"},
		{"junit.xml a/junit.xml **/junit.xml", "junit.xml a/junit.xml a/b/junit.xml"},
		{dir + "/a/*.xml", dir + "/a/TEST-x[1].xml " + dir + "/a/junit.xml"},
	} {
		found, err := results.Find(strings.Fields(c.patterns))
		if err != nil {
			t.Errorf("%s: %v", c.patterns, err)
		}
		for i := range found {
			found[i] = filepath.ToSlash(found[i])
		}
		assert.Equal(t, "the files of "+c.patterns, strings.Join(found, " "), c.want)
	}
	for pattern, want := range map[string]string{
		"none.xml": "there is no file that fits none.xml",
		"a":        "there is no file that fits a", "*/none": "there is no file that fits */none",
		"[": "[: syntax error in pattern", "none/*.xml": "there is no file that fits none/*.xml",
	} {
		if _, err := results.Find([]string{"junit.xml", pattern}); err == nil || err.Error() != want {
			t.Errorf("the error of %s is %v", pattern, err)
		}
	}
}
