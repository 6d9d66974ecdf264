package cause

import (
	"regexp"
	"slices"
	"strings"
)

// frame is a place of a stack.
type frame struct {
	file, function string // the file without its folders
	line           string
}

// place finds places in a stack, each in the way of its languages. Its groups are function, file and line.
var place = []*regexp.Regexp{
	regexp.MustCompile(`^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<function>\S+))?`), // Python
	regexp.MustCompile(`^\s*at (?:async )?(?P<function>[\w$.<>#/ ]+?)` + // Java
		`\((?P<file>[\w$]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)`),
	regexp.MustCompile(`^\s*at (?P<function>[^(]+)\(.*\) in (?P<file>.+):line (?P<line>\d+)`), // C#
	regexp.MustCompile(`^\s*(?:at|❯) (?:async )?(?:(?P<function>[^(]+?) )?` + // JavaScript
		`\(?(?P<file>[^\s()]+):(?P<line>\d+):\d+\)?$`),
	regexp.MustCompile("^\\s*(?:# )?(?P<file>\\S+\\.rb):(?P<line>\\d+):in [`'](?P<function>[^']+)'"), // Ruby
	regexp.MustCompile(`^\s*(?:panicked )?(?:at )?` +
		`(?P<file>[^\s:()"]+\.(?:go|rs|py|php|c|cc|cpp|cxx|h|hpp|swift|ex|exs)):(?P<line>\d+)\b`),
	regexp.MustCompile(`panicked at (?P<file>\S+\.rs):(?P<line>\d+)`), // Rust
}

// library finds the places that are not of the program: of the language, its libraries and the runner.
var library = regexp.MustCompile(`node_modules[\\/]|^node:|site-packages|dist-packages|` +
	`[\\/]lib[\\/]python|[\\/]usr[\\/](?:lib|share|local)[\\/]|` +
	`[\\/]go[\\/]src[\\/]|[\\/]go[\\/]pkg[\\/]mod[\\/]|[\\/]rustc[\\/]|[\\/]\.cargo[\\/]|` +
	`[\\/]gems[\\/]|[\\/]vendor[\\/]|^internal[\\/]|` +
	`^(?:java|javax|jdk|sun|kotlin|scala|groovy|junit|` +
	`org\.(?:junit|testng|opentest4j|gradle|apache\.maven|hamcrest|assertj|mockito))\.|` +
	`^java\.base/|^(?:Xunit|NUnit|Microsoft|System)\.`)

// memo keeps what is known of texts: failures of a run repeat their messages and the lines of their stacks.
type memo struct {
	texts map[string]string
	lines map[string]frame
}

func newMemo() *memo { return &memo{map[string]string{}, map[string]frame{}} }

// normal returns the normal text.
func (m *memo) normal(text string) string { return remember(m.texts, text, Normal) }

// remember returns what a function makes of a text.
func remember[T any](known map[string]T, text string, of func(string) T) T {
	const most = 10_000
	if value, ok := known[text]; ok {
		return value
	}
	if len(known) >= most {
		clear(known)
	}
	value := of(text)
	known[text] = value
	return value
}

// frames returns the places of the program on a stack, the innermost first, without repetitions.
func (m *memo) frames(stack string) []frame {
	const most = 200
	var found []frame
	for line := range strings.SplitSeq(stack, "\n") {
		if len(line) > 1000 || !strings.ContainsAny(line, ":,") {
			continue
		}
		f := remember(m.lines, strings.TrimRight(line, " \t\r"), frameOf)
		if f.file == "" || len(found) > 0 && found[len(found)-1] == f {
			continue
		}
		if found = append(found, f); len(found) == most {
			break
		}
	}
	if len(found) > 0 && strings.HasSuffix(found[0].file, ".py") { // Python writes the innermost last
		slices.Reverse(found)
	}
	return found
}

// frameOf returns the place of the program that a line has, and otherwise an empty one.
func frameOf(line string) frame {
	for _, pattern := range place {
		m := pattern.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := pattern.SubexpIndex(name); i >= 0 {
				return strings.TrimSpace(m[i])
			}
			return ""
		}
		file, function := group("file"), group("function")
		if library.MatchString(file) || library.MatchString(function) {
			return frame{}
		}
		return frame{file: base(file), function: Normal(function), line: group("line")}
	}
	return frame{}
}

// functions returns the places of a stack that belong to a fingerprint: the innermost ones, without their lines.
func functions(stack []frame) []string {
	const most = 3
	var names []string
	for _, f := range stack[:min(len(stack), most)] {
		names = append(names, f.file+" "+f.function)
	}
	return names
}
