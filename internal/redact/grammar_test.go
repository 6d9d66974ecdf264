package redact_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// grammar is what samples are drawn from: templates by class, lists of words, and the formats of tokens.
type grammar struct {
	templates []template
	lists     map[string][]string
	formats   [][]string
}

type template struct{ class, entry, text string }

// drawn is a sample that was drawn from a template, with its secrets.
type drawn struct {
	template
	text    string
	secrets []string
}

func readGrammar(t testing.TB, file string) grammar {
	t.Helper()
	g := grammar{lists: map[string][]string{}}
	for _, line := range linesOf(t, "testdata/grammar/"+file) {
		if name, words, ok := strings.Cut(line, " = "); ok && line[0] == '@' {
			g.lists[name[1:]] = strings.Split(words, " | ")
			continue
		}
		parts := strings.SplitN(line, " ", 3)
		text := strings.NewReplacer(`\r`, "\r", `\n`, "\n", `\t`, "\t").Replace(parts[2])
		if parts[1] == "json" {
			text = parts[2]
		}
		g.templates = append(g.templates, template{parts[0], parts[1], text})
	}
	for _, line := range linesOf(t, "testdata/grammar/formats.txt") {
		g.formats = append(g.formats, strings.Fields(line))
	}
	return g
}

// linesOf returns the lines of a file that are neither empty nor comments.
func linesOf(t testing.TB, file string) (lines []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		if line := in.Text(); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

var placeholder = regexp.MustCompile(`\{[A-Za-z]+=?\}`)

// draw draws a sample from a template.
func (g grammar) draw(rnd *rand.Rand, from template) drawn {
	d := drawn{template: from}
	d.text = placeholder.ReplaceAllStringFunc(from.text, func(name string) string {
		name = strings.Trim(name, "{}")
		if name == "R=" {
			return d.secrets[len(d.secrets)-1]
		}
		if list := g.lists[name]; list != nil {
			return placeholder.ReplaceAllStringFunc(pick(rnd, list), func(inner string) string {
				return pick(rnd, g.lists[strings.Trim(inner, "{}")])
			})
		}
		if text := harmlessValue(rnd, name); text != "" {
			return text
		}
		secret := g.secret(rnd, name)
		if secret == "" {
			return "{" + name + "}"
		}
		d.secrets = append(d.secrets, secret)
		return secret
	})
	return d
}

func pick(rnd *rand.Rand, list []string) string { return list[rnd.IntN(len(list))] }

var alphabets = map[string]string{
	"digits": "0123456789", "hex": "0123456789abcdef", "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	"lowalnum": "abcdefghijklmnopqrstuvwxyz0123456789",
	"alnum":    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	"word":     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
}

// random returns n letters of an alphabet, of which the first and the last are no signs.
func random(rnd *rand.Rand, alphabet string, n int) string {
	if alphabet == "hexdash" {
		return uuid(rnd)[:n]
	}
	out := make([]byte, n)
	for i := range out {
		letters := alphabets[alphabet]
		if alphabet == "word" && (i == 0 || i == n-1 || rnd.IntN(4) > 0) {
			letters = alphabets["alnum"]
		}
		out[i] = letters[rnd.IntN(len(letters))]
	}
	return string(out)
}

func uuid(rnd *rand.Rand) string {
	h := random(rnd, "hex", 32)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

// harmlessValue returns a value that is no secret, or "".
func harmlessValue(rnd *rand.Rand, name string) string {
	switch name {
	case "n":
		return strconv.Itoa(2 + rnd.IntN(97))
	case "id":
		return strconv.Itoa(10000 + rnd.IntN(900000))
	case "hash":
		return random(rnd, "hex", 40)
	case "uuid":
		return uuid(rnd)
	}
	return ""
}

var stems = strings.Fields(`horse river Tiger winter Mango coffee Berlin dragon monkey falcon Sommer Katze soleil Madrid sakura pepper
	Jupiter velvet cactus hammer`)

// secret returns a secret of a kind, or "".
func (g grammar) secret(rnd *rand.Rand, kind string) string {
	switch kind {
	case "R":
		for {
			alphabet := pick(rnd, []string{"alnum", "alnum", "alnum", "word", "lowalnum"})
			if s := random(rnd, alphabet, 20+rnd.IntN(24)); strings.ContainsAny(s, alphabets["digits"]) {
				return s
			}
		}
	case "H":
		return random(rnd, "hex", []int{32, 40, 64}[rnd.IntN(3)])
	case "U":
		return uuid(rnd)
	case "B":
		raw := []byte(random(rnd, "alnum", []int{30, 32, 46, 64}[rnd.IntN(4)]))
		for i := range raw {
			raw[i] ^= byte(rnd.IntN(256))
		}
		return base64.StdEncoding.EncodeToString(raw)
	case "P":
		return password(rnd)
	case "W":
		return pick(rnd, stems) + " " + pick(rnd, stems) + " " + pick(rnd, stems)
	case "N":
		return random(rnd, "digits", 4+rnd.IntN(3))
	case "K":
		f := g.formats[rnd.IntN(len(g.formats))]
		n, _ := strconv.Atoi(f[2])
		return f[0] + random(rnd, f[1], n)
	}
	return ""
}

// password returns a password as people make them up.
func password(rnd *rand.Rand) string {
	stem := pick(rnd, stems)
	switch rnd.IntN(6) {
	case 0:
		return stem + strconv.Itoa(10+rnd.IntN(9990))
	case 1:
		return stem + strconv.Itoa(rnd.IntN(100)) + "!"
	case 2:
		return strings.NewReplacer("o", "0", "a", "4", "e", "3", "i", "1").Replace(stem) + "-" +
			strconv.Itoa(rnd.IntN(1000)+2) + "x"
	case 3:
		return stem + "_" + pick(rnd, stems) + strconv.Itoa(rnd.IntN(100))
	case 4:
		return random(rnd, "alnum", 5) + pick(rnd, []string{"!", "*", "+", ".", "^"}) + random(rnd, "digits", 3) +
			random(rnd, "alnum", 4)
	}
	return fmt.Sprintf("%s%d%s", random(rnd, "lowalnum", 4), rnd.IntN(1000), random(rnd, "alnum", 5))
}
