package owners

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
)

func parse(t testing.TB, text string, dialect Dialect) *File {
	t.Helper()
	file, err := Parse(strings.NewReader(text), dialect)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// names returns owners as a text, as the file has them.
func names(owners []Owner) string {
	var all []string
	for _, o := range owners {
		prefix := map[Kind]string{User: "@", Team: "@", Role: "@@"}[o.Kind]
		all = append(all, prefix+o.Name)
	}
	return strings.Join(all, " ")
}

func checkOwners(t *testing.T, file *File, want map[string]string) {
	t.Helper()
	for path, owners := range want {
		assert.Equal(t, "owners of "+path, names(file.Owners(path)), owners)
	}
}

// TestGitHub: the example of GitHub's documentation.
func TestGitHub(t *testing.T) {
	t.Parallel()
	file := parse(t, `
# This is a comment.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
/apps/github/keep @doctocat
/deep/*/file @deep
/deep/**/any.c @any
/direct/* @direct
`, GitHub)
	assert.Equal(t, "faults", len(file.Faults), 0)
	checkOwners(t, file, map[string]string{
		"README.md":                "@global-owner1 @global-owner2",
		"a/b/.c":                   "@global-owner1 @global-owner2",
		"web/cart.js":              "@js-owner",
		"main.go":                  "docs@example.com",
		"a/notes.txt":              "@octo-org/octocats",
		"build/logs/a/b.md":        "@octocat",
		"build/log":                "@global-owner1 @global-owner2",
		"x/build/logs.md":          "@global-owner1 @global-owner2",
		"docs/getting-started.md":  "@doctocat",
		"docs/build-app/a.md":      "@doctocat",
		"web/apps/a.md":            "@octocat",
		"apps/a/b":                 "@octocat",
		"apps/github/a":            "",
		"apps/github/keep/a":       "@doctocat",
		"scripts/a":                "@doctocat @octocat",
		"deeply/nested/logs/a":     "@octocat",
		"deep/a/file":              "@deep",
		"deep/a/b/file":            "@global-owner1 @global-owner2",
		"deep/any.c":               "@any",
		"deep/a/b/any.c":           "@any",
		"direct/a":                 "@direct",
		"direct/a/b":               "@global-owner1 @global-owner2",
		`web\windows\cart.js`:      "@js-owner",
		"/docs/../web/./cart.js":   "@js-owner",
		"../outside/of/it/cart.js": "@js-owner",
	})
}

// TestGitLab: the example file of GitLab, and the rules of its reference about relative paths, sections, default owners
// and exclusions.
func TestGitLab(t *testing.T) {
	t.Parallel()
	file := parse(t, `
* @default-codeowner
* @multiple @code @owners
*.rb @ruby-owner
\#file_with_pound.rb @owner-file-with-pound
CODEOWNERS @multiple @code	@owners
LICENSE @legal this_does_not_match janedoe@gitlab.com
README @group @group/with-nested/subgroup
/docs/ @all-docs
/docs/* @root-docs
/docs/**/*.md @markdown-docs
lib/ @lib-owner
/config/ @config-owner
path\ with\ spaces/ @space-owner

[Documentation]
ee/docs/ @docs
docs/ @docs

^[Database][2] @database @@maintainer
/db/
/db/seeds/ @seeds
!/db/seeds/private.sql
/db/seeds/private.sql @never

[DOCUMENTATION]
README @docs-readme
`, GitLab)
	assert.Equal(t, "faults", fmt.Sprint(file.Faults), fmt.Sprintf("[%s]", Fault{7,
		`"this_does_not_match" is no owner: an owner is @user, @organisation/team or an e-mail address`}.Error()))
	checkOwners(t, file, map[string]string{
		"main.c":                  "@multiple @code @owners",
		"app/models/user.rb":      "@ruby-owner",
		"#file_with_pound.rb":     "@owner-file-with-pound",
		"sub/CODEOWNERS":          "@multiple @code @owners",
		"LICENSE":                 "@legal janedoe@gitlab.com",
		"README":                  "@group @group/with-nested/subgroup @docs-readme",
		"docs/index.html":         "@root-docs @docs",
		"docs/projects/a.html":    "@all-docs @docs",
		"docs/projects/a.md":      "@markdown-docs @docs",
		"a/lib/b/c.c":             "@lib-owner",
		"config/a/b":              "@config-owner",
		"a/config/b":              "@multiple @code @owners",
		"x/path with spaces/a.md": "@space-owner",
		"ee/docs/a.html":          "@multiple @code @owners @docs",
		"db/schema.sql":           "@multiple @code @owners @database @@maintainer",
		"db/seeds/a.sql":          "@multiple @code @owners @seeds",
		"db/seeds/private.sql":    "@multiple @code @owners",
	})
}

// TestFaults: a line that is no rule is told with its number, and does not hide the others.
func TestFaults(t *testing.T) {
	t.Parallel()
	file := parse(t, "\ufeff*.md @docs\r\n!a.md @x\n[ab].md @x\n\\#a @x\n/ @x\na*** @x\nb.md nobody @x\n*.go @go\n", GitHub)
	var lines []int
	for _, f := range file.Faults {
		lines = append(lines, f.Line)
	}
	assert.Equal(t, "lines", lines, []int{2, 3, 4, 5, 6, 7})
	checkOwners(t, file, map[string]string{"a.md": "@docs", "b.md": "@docs", "a.go": "@go"})
}

// TestLoad: the first place wins, a repository without the file has none, and a link out of the repository is refused.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, err := Load(dir, GitHub)
	if file != nil || err != nil {
		t.Error("without a file:", file, err)
	}
	for path, text := range map[string]string{"CODEOWNERS": "* @root", ".github/CODEOWNERS": "* @github",
		".gitlab/CODEOWNERS": "* @gitlab"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dialect, want := range map[Dialect]string{GitHub: ".github/CODEOWNERS @github", GitLab: "CODEOWNERS @root"} {
		file, err := Load(dir, dialect)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, "file", file.Path+" "+names(file.Owners("a")), want)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("* @outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(linked, "CODEOWNERS")); err != nil {
		t.Fatal(err)
	}
	if file, err := Load(linked, GitHub); err == nil {
		t.Error("a link out of the repository was read:", file)
	}
}

// TestTooLarge: a file of more than 3 MiB or 20,000 rules is refused.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		strings.Repeat("# A comment\n", 300_000): "more than 3 MiB",
		strings.Repeat("*.md @docs\n", 20_001):   "more than 20000 rules",
	} {
		_, err := Parse(strings.NewReader(text), GitHub)
		assert.Contains(t, "error", fmt.Sprint(err), want)
	}
}

// FuzzOwners: no file and no path make the parser panic, and each fault has its line.
func FuzzOwners(f *testing.F) {
	f.Add("* @a\n[S][2] @b\n!/c/** a@b.c\n\\#d\\ e/ @@owner #", "a/b", true)
	f.Fuzz(func(t *testing.T, text, path string, isGitLab bool) {
		dialect := GitHub
		if isGitLab {
			dialect = GitLab
		}
		file, err := Parse(strings.NewReader(text), dialect)
		if err != nil {
			return
		}
		file.Owners(path)
		for _, fault := range file.Faults {
			if fault.Line < 1 || fault.Line > strings.Count(text, "\n")+1 {
				t.Error(fault)
			}
		}
	})
}
