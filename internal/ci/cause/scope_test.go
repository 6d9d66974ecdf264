package cause_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bugslice/internal/assert"
	"bugslice/internal/ci/cause"
	"bugslice/internal/ci/results"
)

// failed returns a test of class Basket that failed, as XML.
func failed(name, message, stack string) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&apos;")
	return fmt.Sprintf("<testcase classname='Basket' name='%s'><failure message='%s'>%s</failure></testcase>",
		escape.Replace(name), escape.Replace(message), escape.Replace(stack))
}

// causes returns the causes of a suite with some tests.
func causes(tests ...string) []cause.Cause {
	file := "<testsuite name='shop'>" + strings.Join(tests, "") + "</testsuite>"
	return cause.Of(results.Read("junit.xml", strings.NewReader(file)))
}

const (
	inProgram = "at shop.Basket.total(Basket.java:%d)\nat shop.BasketTest.%s(BasketTest.java:%d)"
	inTest    = "at shop.BasketTest.%s(BasketTest.java:%d)"
)

// TestScopes: failures of several tests are one cause when it is not the tests themselves, and otherwise several.
func TestScopes(t *testing.T) {
	for _, c := range []struct {
		name, message, first, second string
		scope                        cause.Scope
		causes                       int
	}{
		{"an exception of the program", "no price",
			fmt.Sprintf(inProgram, 3, "a", 7), fmt.Sprintf(inProgram, 4, "b", 9), cause.Program, 1},
		{"an assertion in the program's helper", "expected 1",
			fmt.Sprintf(inProgram, 3, "a", 7), fmt.Sprintf(inProgram, 4, "b", 9), cause.Alone, 2},
		{"an exception of the tests", "no price",
			fmt.Sprintf(inTest, "a", 7), fmt.Sprintf(inTest, "b", 9), cause.Alone, 2},
		{"one line of the tests", "no price",
			fmt.Sprintf(inTest, "connect", 7), fmt.Sprintf(inTest, "connect", 7), cause.Place, 1},
		{"a setup", `failed on setup with "no price"`, "", "", cause.Setup, 1},
		{"a service", "dial tcp 127.0.0.1:5432: connection refused",
			fmt.Sprintf(inTest, "a", 7), "", cause.Environment, 1},
		{"a disk", "write /tmp/x: no space left on device", "", "", cause.Environment, 1},
		{"a message without a place", "no price", "", "", cause.Alone, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := causes(failed("a", c.message, c.first), failed("b", c.message, c.second))
			assert.Equal(t, "the number of causes", len(found), c.causes)
			assert.Equal(t, "the scope", found[0].Scope, c.scope)
			if len(found[0].Fingerprint) > 40 {
				t.Errorf("the fingerprint is %s", found[0].Fingerprint)
			}
			if c.causes == 1 {
				assert.Equal(t, "the second test", found[0].Tests[1].Case.Name, "b")
			}
		})
	}
}

// TestShards: a cause has the same fingerprint when its tests run on several machines. One of scope Place has there
// the fingerprint of its test.
func TestShards(t *testing.T) {
	for _, message := range []string{"no price", "connection refused", `failed on setup with "x"`} {
		a := failed("a", message, fmt.Sprintf(inProgram, 3, "a", 7))
		b := failed("b", message, fmt.Sprintf(inProgram, 4, "b", 9))
		assert.Equal(t, "the fingerprint of "+message, causes(b)[0].Fingerprint, causes(a, b)[0].Fingerprint)
	}
	const stack = "at shop.BasketTest.connect(BasketTest.java:7)"
	a, b := failed("a", "no price", stack), failed("b", "no price", stack)
	together, alone := causes(a, b), causes(b)
	assert.Equal(t, "the scope of a test alone", alone[0].Scope, cause.Alone)
	assert.Equal(t, "the fingerprint of a test alone", alone[0].Fingerprint, together[0].Tests[1].Fingerprint)
}

// TestParents: a test of Go that failed because of its subtests has no cause, and one that failed itself has.
func TestParents(t *testing.T) {
	const stream = `{"Action":"output","Package":"p","Test":"T/a","Output":"    x_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"T/a"}
{"Action":"output","Package":"p","Test":"T","Output":"%s"}
{"Action":"output","Package":"p","Test":"T","Output":"--- FAIL: T (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"T"}
{"Action":"fail","Package":"p"}
`
	for output, want := range map[string]int{"": 1, `    x_test.go:2: two\n`: 2} {
		found := cause.Of(results.Read("go.json", strings.NewReader(fmt.Sprintf(stream, output))))
		assert.Equal(t, "the causes with "+output, len(found), want)
	}
}

// TestTitle: a cause is called by the first line of its message.
func TestTitle(t *testing.T) {
	assert.Equal(t, "the title", causes(failed("a", "no price\nfor a lamp", ""))[0].Title(), "no price")
}

// TestFingerprints: a failure keeps its fingerprint whatever numbers, addresses, times, ports, folders and lines it
// has, and no other test, message or type has it.
func TestFingerprints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := drawn(t, "one"), drawn(t, "two")
		a, b := causes(one)[0], causes(two)[0]
		if a.Fingerprint != b.Fingerprint {
			t.Fatalf("%s\nand %s\nare normal as %q\nand %q", one, two,
				cause.Normal(a.Failure.Message), cause.Normal(b.Failure.Message))
		}
		for _, other := range []string{
			strings.Replace(one, "name='pays'", "name='orders'", 1), strings.Replace(one, "is missing", "is empty", 1),
			strings.Replace(one, "<failure ", "<failure type='IOError' ", 1), strings.Replace(one, "total(", "sum(", 1),
		} {
			if causes(other)[0].Fingerprint == a.Fingerprint {
				t.Fatalf("%s has the fingerprint of %s", other, one)
			}
		}
	})
}

// drawn returns one failure as some run may write it.
func drawn(t *rapid.T, label string) string {
	number := func(what string, low, high int) int { return rapid.IntRange(low, high).Draw(t, label+" "+what) }
	folders := []string{"/home/runner/work/shop", "/builds/42/shop", "/tmp/x1/shop-7", `C:\ci\shop`, "/root/shop"}
	folder := rapid.SampledFrom(folders).Draw(t, label+" folder")
	separator := "/"
	if strings.HasPrefix(folder, "C:") {
		separator = `\`
	}
	message := fmt.Sprintf("expected order %d of %s%sorders.json, but it is missing after %d.%ds at 0x%x on "+
		"10.0.0.%d:%d",
		number("order", 0, 1e9), folder, separator, number("seconds", 0, 999), number("tenths", 0, 9),
		number("address", 1<<20, 1<<40), number("host", 0, 255), number("port", 1024, 65535))
	message += fmt.Sprintf(" (%08x-1111-4222-8333-%012x, %04d-%02d-%02dT%02d:00:00Z)",
		number("id", 0, 1<<31), number("node", 0, 1<<40),
		number("year", 1990, 2099), number("month", 1, 12), number("day", 1, 28), number("hour", 0, 23))
	stack := fmt.Sprintf("at shop.Basket.total(Basket.java:%d)\nat java.base/java.lang.Thread.run(Thread.java:%d)\n"+
		"at shop.BasketTest.pays(BasketTest.java:%d)",
		number("line", 1, 5000), number("library line", 1, 5000), number("test line", 1, 5000))
	return failed("pays", message, stack)
}
