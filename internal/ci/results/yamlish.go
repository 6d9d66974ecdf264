package results

import (
	"strconv"
	"strings"
)

// yamlish returns the members of a block of YAML as runners of TAP write it: texts, quoted texts, texts of several
// lines, and objects, whose members count as members of the block. Lists and all else are left out.
func yamlish(block []string) map[string]string {
	members := map[string]string{}
	for i := 0; i < len(block); {
		line := block[i]
		i++
		key, value, found := strings.Cut(line, ":")
		if !found || key == "" || strings.ContainsAny(key, " \t\"'") || value != "" && value[0] != ' ' {
			continue
		}
		var deeper []string
		for i < len(block) && (strings.TrimSpace(block[i]) == "" || strings.HasPrefix(block[i], " ")) {
			deeper = append(deeper, block[i])
			i++
		}
		switch value = strings.TrimSpace(value); {
		case value == "":
			for name, inner := range yamlish(outdented(deeper)) {
				if _, ok := members[name]; !ok {
					members[name] = inner
				}
			}
		case value[0] == '|' || value[0] == '>':
			members[key] = strings.TrimRight(strings.Join(outdented(deeper), "\n"), "\n ")
		default:
			members[key] = unquoted(value)
		}
	}
	return members
}

// outdented returns lines without the spaces that the first of them begins with.
func outdented(block []string) []string {
	depth := -1
	moved := make([]string, len(block))
	for i, line := range block {
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		if depth < 0 && spaces < len(line) {
			depth = spaces
		}
		moved[i] = line[min(max(depth, 0), spaces):]
	}
	return moved
}

func unquoted(value string) string {
	if s, err := strconv.Unquote(value); err == nil && value[0] == '"' {
		return s
	}
	if n := len(value); n >= 2 && value[0] == '\'' && value[n-1] == '\'' {
		return strings.ReplaceAll(value[1:n-1], "''", "'")
	}
	return value
}
