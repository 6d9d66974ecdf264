package cause

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"bugslice/internal/ci/results"
)

// Scope says why a failure is not of its test alone.
type Scope string

// The scopes. All but Place follow from the failure itself, so that each shard and each run finds the same; those
// failures have the fingerprint of their cause even when only one test has it.
const (
	Alone       Scope = ""
	Setup       Scope = "setup"       // it was raised in a setup or a teardown
	Environment Scope = "environment" // a service, a disk, a module or a right is missing
	Program     Scope = "program"     // the program raised it, and no assertion of a test
	Place       Scope = "place"       // several tests of a run failed alike at one line
)

// Test is a test that failed.
type Test struct {
	Suite *results.Suite
	Case  *results.Case
	// Fingerprint is that of the test alone. A failure of scope Place may have it in a run in which only one test
	// fails, so a report with this fingerprint is of the same cause.
	Fingerprint string
}

// Cause is a failure with the tests that have it.
type Cause struct {
	Fingerprint string // at most 40 bytes
	Scope       Scope
	Failure     results.Failure // of its first test
	Tests       []Test
}

// Title returns the first line of the failure.
func (c *Cause) Title() string {
	line, _, _ := strings.Cut(c.Failure.Message, "\n")
	return line
}

// Of returns the causes of the failures of some runs, in the order of their first tests. A test of Go that failed
// because of its subtests has no cause of its own.
func Of(runs ...*results.Run) []Cause {
	var failures []failure
	known := newMemo()
	for _, run := range runs {
		for _, s := range run.Suites {
			for _, c := range s.Cases {
				if c.Outcome.Broken() && len(c.Failures) > 0 && (!c.Parent || c.Failures[0].Message != "") {
					failures = append(failures, known.describe(s, c))
				}
			}
		}
	}
	places := map[string]int{}
	for _, f := range failures {
		places[f.place]++
	}
	var causes []Cause
	byFingerprint := map[string]int{}
	for _, f := range failures {
		if f.scope == Alone && f.place != "" && places[f.place] > 1 {
			f.scope = Place
		}
		fingerprint := f.fingerprint()
		i, ok := byFingerprint[fingerprint]
		if !ok {
			i = len(causes)
			byFingerprint[fingerprint] = i
			causes = append(causes, Cause{Fingerprint: fingerprint, Scope: f.scope, Failure: f.test.Case.Failures[0]})
		}
		causes[i].Tests = append(causes[i].Tests, f.test)
	}
	return causes
}

// failure is a test that failed, as it is compared with others.
type failure struct {
	test   Test
	scope  Scope
	shared string // the fingerprint of its cause without its test
	place  string // where it was raised, with its message; empty where that is unknown
}

func (f *failure) fingerprint() string {
	if f.scope == Alone {
		return f.test.Fingerprint
	}
	return f.shared
}

func (m *memo) describe(s *results.Suite, c *results.Case) failure {
	first := c.Failures[0]
	message, kind, stack := m.normal(first.Message), m.normal(first.Type), m.frames(first.Stack)
	own := append([]string{"test", name(s.Name), name(c.Class), name(c.Name), kind, message}, functions(stack)...)
	f := failure{test: Test{s, c, hash(own...)}, scope: scopeOf(c, message, stack)}
	switch {
	case f.scope == Environment:
		f.shared = hash("cause", message)
	case len(stack) == 0:
		f.shared = hash("cause", kind, message, name(s.Name))
	default:
		f.shared = hash("cause", kind, message, stack[0].file, stack[0].function)
		f.place = strings.Join([]string{s.Name, message, stack[0].file, stack[0].line}, "\x00")
	}
	return f
}

// hash returns a fingerprint of some texts.
func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "ci:" + hex.EncodeToString(sum[:16])
}

// The texts by which a failure shows its scope.
var (
	hook = regexp.MustCompile(`(?i)^failed on (?:setup|teardown) with|^(?:OneTime)?(?:SetUp|TearDown)\s*:|` +
		`^test did not finish before its parent`)
	hookName = regexp.MustCompile(`(?:^|\s)"(?:before|after) (?:each|all)" hook\b|` +
		`^(?:setUp|tearDown)(?:Class|Module) \(|^\[(?:Before|After|Synchronized|Report)\w+\]`)
	hookFunction = regexp.MustCompile(`\bIn \[(?:Before|After|Just|Defer)\w+\] at:|\b_callCircusHook\b`)
	environment  = regexp.MustCompile(`(?i)\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EADDRINUSE)\b|` +
		`\b(?:ENOSPC|ENOMEM|EMFILE|EACCES)\b|connection (?:was |has been )?(?:refused|reset)|` +
		`(?:cannot|can't|could not|unable to|failed to) connect|no such host|name resolution|` +
		`no space left|out of memory|too many open files|address already in use|permission denied|` +
		`cannot find module|No module named|ModuleNotFoundError|ImportError|` +
		`ClassNotFoundException|NoClassDefFoundError|` +
		`Executable doesn't exist|Failed to launch the browser|command not found|` +
		`\b50[234] (?:Bad Gateway|Service Unavailable|Gateway Time-?out)`)
	assertion = regexp.MustCompile(`(?i)assert|expect|ComparisonFailure|ShouldBe|\bCHECK\b|\bREQUIRE\b|` +
		`\bwant\b|\bgot\b|not equal|is not true|differs?\b`)
	testFile = regexp.MustCompile(`(?i)^test_|^tests?\.|[_.-](?:test|tests|spec)\.\w+$|(?:Tests?|Spec|IT)\.\w+$|` +
		`\.(?:feature|bats|t)$`)
)

// scopeOf returns the scope of a failure that follows from itself.
func scopeOf(c *results.Case, message string, stack []frame) Scope {
	f := c.Failures[0]
	switch {
	case environment.MatchString(f.Message):
		return Environment
	case hook.MatchString(message), hookName.MatchString(c.Name), hookFunction.MatchString(f.Stack):
		return Setup
	case assertion.MatchString(f.Type + " " + message):
		return Alone
	}
	if len(stack) > 0 && !testFile.MatchString(stack[0].file) && stack[0].file != base(c.File) {
		return Program
	}
	return Alone
}

// TestID identifies a test of a suite in every run, whatever it did, by 12 hexadecimal digits. A case that IsOfSuite has
// the identity of its suite.
func TestID(s *results.Suite, c *results.Case) string {
	if IsOfSuite(c) {
		return SuiteID(s)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{name(s.Name), name(c.Class), name(c.Name)}, "\x00")))
	return hex.EncodeToString(sum[:6])
}

// SuiteID identifies what a suite needs before its tests: its build, its setup.
func SuiteID(s *results.Suite) string {
	sum := sha256.Sum256([]byte("suite\x00" + name(s.Name)))
	return hex.EncodeToString(sum[:6])
}

// IsOfSuite reports whether a case is no test but the suite itself, or a hook of it. Results have such a case only when
// it fails.
func IsOfSuite(c *results.Case) bool { return c.OfSuite || hookName.MatchString(c.Name) }
