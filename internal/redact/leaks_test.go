package redact_test

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bugslice/internal/redact"
)

// The most that may survive of the samples with secrets, and that may change of those without, in percent.
const (
	mostLeft    = 2.0
	mostChanged = 1.0
)

// tally counts samples of a class, and those that a redactor did not do justice.
type tally struct{ samples, wrong int }

func (t tally) percent() float64 { return 100 * float64(t.wrong) / float64(max(1, t.samples)) }

// seedsOf returns the seeds of samples: one in CI, three fresh ones in `make leaks`, or those of BUGSLICE_TEST_SEED.
func seedsOf(t testing.TB) []uint64 {
	if text := os.Getenv("BUGSLICE_TEST_SEED"); text != "" {
		var all []uint64
		for word := range strings.FieldsSeq(text) {
			n, err := strconv.ParseUint(word, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, n)
		}
		return all
	}
	if os.Getenv("BUGSLICE_TEST_FULL") == "" {
		return []uint64{1}
	}
	return []uint64{rand.Uint64N(1e6), rand.Uint64N(1e6), rand.Uint64N(1e6)}
}

// eachSample draws samples of each template, and calls fn with the redacted text of each.
func eachSample(t testing.TB, file string, seed uint64, fn func(d drawn, out string)) {
	each := 3
	if os.Getenv("BUGSLICE_TEST_FULL") != "" {
		each = 20
	}
	r := redactor(t, redact.Rules{})
	g, rnd := readGrammar(t, file), rand.New(rand.NewPCG(seed, 1))
	for _, from := range g.templates {
		n := each
		if strings.Contains(from.text, "{K}") {
			n *= 10
		}
		for range n {
			d := g.draw(rnd, from)
			fn(d, redactDrawn(t, r, d))
		}
	}
}

func redactDrawn(t testing.TB, r *redact.Redactor, d drawn) string {
	c := redact.Counts{}
	switch d.entry {
	case "json":
		return r.Body("application/json", d.text, c)
	case "form":
		return r.Body("application/x-www-form-urlencoded", d.text, c)
	case "url":
		return r.URL(d.text, c)
	case "text":
		return r.Text(d.text, c)
	}
	name, ok := strings.CutPrefix(d.entry, "header:")
	if !ok {
		t.Fatalf("no function for %s", d.entry)
	}
	return r.Header(name, d.text, c)
}

// isLeft reports whether a secret, or half of a long one, is in a text.
func isLeft(secret, text string) bool {
	if strings.Contains(text, secret) || strings.Contains(text, url.QueryEscape(secret)) {
		return true
	}
	half := len(secret) / 2
	return len(secret) >= 16 && (strings.Contains(text, secret[:half]) || strings.Contains(text, secret[half:]))
}

// TestUnseenLeaks draws samples with secrets and reports the survivors by class.
func TestUnseenLeaks(t *testing.T) {
	for _, seed := range seedsOf(t) {
		classes := map[string]*tally{}
		all := tally{}
		eachSample(t, "leaks.txt", seed, func(d drawn, out string) {
			c := classes[d.class]
			if c == nil {
				c = &tally{}
				classes[d.class] = c
			}
			c.samples++
			all.samples++
			if slices.ContainsFunc(d.secrets, func(secret string) bool { return isLeft(secret, out) }) {
				c.wrong++
				all.wrong++
				if os.Getenv("BUGSLICE_TEST_SHOW") != "" {
					fmt.Printf("LEFT %s %s: %q\n", d.class, d.entry, out)
				}
			}
		})
		report(t, "leaks", seed, classes, all)
		if all.percent() > mostLeft {
			t.Errorf("%.1f %% survive, more than %.1f", all.percent(), mostLeft)
		}
	}
}

// TestUnseenHarmless draws samples without secrets and reports the changed ones by class.
func TestUnseenHarmless(t *testing.T) {
	for _, seed := range seedsOf(t) {
		classes := map[string]*tally{}
		all := tally{}
		eachSample(t, "harmless.txt", seed, func(d drawn, out string) {
			c := classes[d.class]
			if c == nil {
				c = &tally{}
				classes[d.class] = c
			}
			c.samples++
			all.samples++
			if out != d.text {
				c.wrong++
				all.wrong++
				if os.Getenv("BUGSLICE_TEST_SHOW") != "" {
					fmt.Printf("CHANGED %s %s: %q\n", d.class, d.entry, out)
				}
			}
		})
		report(t, "harmless", seed, classes, all)
		if all.percent() > mostChanged {
			t.Errorf("%.1f %% are changed, more than %.1f", all.percent(), mostChanged)
		}
	}
}

func report(t testing.TB, what string, seed uint64, classes map[string]*tally, all tally) {
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		c := classes[class]
		fmt.Fprintf(&b, "  %-10s %6d %6d %6.1f %%\n", class, c.samples, c.wrong, c.percent())
	}
	t.Logf("%s of seed %d: %d samples, %d wrong, %.2f %%\n%s", what, seed, all.samples, all.wrong, all.percent(),
		b.String())
}

// TestHarmlessText redacts the text of packages on this machine and reports the changed lines by kind: `make leaks`
// judges them.
func TestHarmlessText(t *testing.T) {
	if os.Getenv("BUGSLICE_TEST_FULL") == "" {
		t.Skip("reads the module cache, node_modules and /usr/share/doc")
	}
	r := redactor(t, redact.Rules{})
	for _, kind := range harmlessKinds() {
		lines, changed, size := 0, 0, 0
		for _, file := range harmlessFiles(t, kind) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(raw)
			before, after := strings.Split(text, "\n"), strings.Split(redactFile(t, r, kind, text), "\n")
			lines, size = lines+len(before), size+len(text)
			for i, line := range after {
				if i >= len(before) || before[i] == line {
					continue
				}
				changed++
				if os.Getenv("BUGSLICE_TEST_SHOW") != "" {
					fmt.Printf("LINE %s %.200q\n     becomes %.200q\n", kind.name, before[i], line)
				}
			}
		}
		t.Logf("%-8s %6.2f MB %7d lines, %d changed, %.3f %%", kind.name, float64(size)/1e6, lines, changed,
			100*float64(changed)/float64(max(1, lines)))
	}
}

func redactFile(t testing.TB, r *redact.Redactor, kind harmlessKind, text string) string {
	switch kind.name {
	case "docs":
		return r.Text(text, nil)
	case "json":
		return r.Body("application/json", text, nil)
	}
	out, err := io.ReadAll(r.Reader(strings.NewReader(text), redact.Counts{}))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
