// Command mutants switches off each check of a right in internal/access and internal/tracker, one at a time, and
// expects that a test of the tracker fails. It compiles all mutants into one test binary; the variable
// BUGSLICE_MUTANT activates one.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// targets are the packages whose checks are switched off. The tests are those of tested.
var targets = []string{"internal/access", tested}

const (
	tested = "internal/tracker"
	// prompt are the tests that kill most mutants, those that take less than two seconds. patient are the others that
	// kill mutants: they wait for rights to end. The survivors are tried against every test of the package.
	prompt = "^Test(EveryOperationAsksForItsRight|ListsShowWhatTheCallerMaySee|RightsSuffice|RightsArePassedOnWithin|CredentialsEnd|" +
		"OperatorsStayInTheirOrganisation|QueuedWritesEndWithTheirRights|" +
		"QueuedWritesEndWithTheirRole|StrangersAreRefusedBeforeTheirFaults|ServicesHaveAWorkspace|" +
		"RolesAreLockedForWhatOutlives|WaitingForASlotEndsWithTheRight|EventsNeedTheScopeOfTheirSubject|" +
		"WebhooksActForTheirMaker|RevocationWaitsForWhatOutlives|CallersWithoutCredentials|ResponsesOfAKey|LostRolesEndWrites|" +
		"SessionsEnd|SessionsExpire|Proof|SignIn)"
	patient = "^Test(LongAnswersEndWithTheirRights|QueuedWritesEndWithTheirSession)"
	limit   = 20 * time.Minute
)

// equivalent are the mutants that no test can distinguish from the program, and why.
var equivalent = map[string]string{
	"cursorOwner: c.Type == access.ServiceCaller": "the keys of one workspace share cursors by it; without it they share none, " +
		"and no right is gained",
	"RevokeSelf: c.Allow(api.OpRevokeSelf)": "write refuses a caller without a key, too, and with the same code; " +
		"the operation has no scope, and superseded tokens may do it",
	"DefaultWorkspace: c.Type != ServiceCaller": "a user who names no workspace is refused either way, without it as not_found; " +
		"the code of the input is tested over HTTP",
}

func main() {
	output := flag.String("output", "docs/mutants.md", "file of the report")
	only := flag.String("only", "", "run only the mutants whose description contains this, and write no report")
	flag.Parse()
	if err := run(*output, *only); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run tests every mutant and writes the report to a file. When only is not empty, it tests the mutants whose
// description contains it, and writes no report. It returns an error when a mutant survives without a reason.
func run(output, only string) error {
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	mutants, err := instrument(dir)
	if err != nil {
		return err
	}
	binary := filepath.Join(dir, "tracker.test")
	overlay := filepath.Join(dir, "overlay.json")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, "./"+tested)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	for _, tests := range []string{prompt, patient} {
		if killed, out := test(ctx, binary, 0, tests); killed {
			return fmt.Errorf("the tests fail without any mutant:\n%s", out)
		}
	}
	fmt.Printf("%d mutants, built after %s\n", len(mutants), time.Since(begin).Round(time.Second))
	killAll(ctx, binary, mutants, only)
	if ctx.Err() != nil {
		return fmt.Errorf("not done within %s", limit)
	}
	survivors, unexplained := surviving(mutants)
	if only == "" {
		if err := os.WriteFile(output, []byte(report(mutants, survivors, time.Since(begin))), 0o644); err != nil {
			return err
		}
	}
	took := time.Since(begin).Round(time.Second)
	fmt.Printf("%d of %d survive, %d of them without a reason, after %s\n", len(survivors), len(mutants), unexplained,
		took)
	if unexplained > 0 {
		return errors.New("no test covers some of the rights")
	}
	return nil
}

// killAll tries to kill each mutant. A mutant whose description does not contain only counts as killed.
func killAll(ctx context.Context, binary string, mutants []*mutant, only string) {
	var work sync.WaitGroup
	var done atomic.Int64
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0)) // tests wait for half of their time
	for _, m := range mutants {
		if !strings.Contains(m.String(), only) {
			m.killed = true
			done.Add(1)
			continue
		}
		slots <- struct{}{}
		work.Go(func() {
			defer func() { <-slots }()
			m.killed = kill(ctx, binary, m)
			outcome := "killed"
			if !m.killed {
				outcome = "SURVIVES"
			}
			fmt.Printf("%d of %d: %s: %s\n", done.Add(1), len(mutants), outcome, m)
		})
	}
	work.Wait()
}

// kill runs the tests against a mutant until one fails, and reports whether one did: the prompt ones on SQLite, then
// on both databases, then the patient ones, then every test.
func kill(ctx context.Context, binary string, m *mutant) bool {
	for _, tests := range []string{prompt + "/^sqlite$", prompt, patient + "/^sqlite$", patient, "."} {
		if killed, _ := test(ctx, binary, m.number, tests); killed {
			return true
		}
	}
	return false
}

// test runs tests against a mutant and reports whether they failed.
func test(ctx context.Context, binary string, number int, tests string) (killed bool, output []byte) {
	cmd := exec.CommandContext(ctx, binary, "-test.run", tests, "-test.failfast", "-test.timeout", "3m")
	cmd.Dir = tested
	cmd.Env = append(os.Environ(), fmt.Sprintf("BUGSLICE_MUTANT=%d", number))
	output, err := cmd.CombinedOutput()
	return err != nil, output
}

func surviving(mutants []*mutant) (all []*mutant, unexplained int) {
	for _, m := range mutants {
		if m.killed {
			continue
		}
		if all = append(all, m); equivalent[m.key()] == "" {
			unexplained++
		}
	}
	return all, unexplained
}

const introduction = "# Mutants\n\n" +
	"`make mutants` switches off each check of a right in `internal/access` and `" + tested +
	"`, one at a time, and expects\n" +
	"that a test of the second fails.\n" +
	"A check is a call of `Allow`, `RequireAdmin`, `RoleIn`, `checkGrantable`, `isAuthor`, `verifyRights`, `Reauthorize` and\n" +
	"the like, or a condition about a role, a scope, a credential or an organisation. The program writes this page.\n\n" +
	"Run on %s, on %d cores, in %s: %d mutants, %d killed, %d survived.\n"

func report(mutants, survivors []*mutant, took time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), took.Round(time.Second),
		len(mutants), len(mutants)-len(survivors), len(survivors))
	if len(survivors) > 0 {
		b.WriteString("\n| survivor | why no test can tell it |\n|---|---|\n")
	}
	for _, m := range survivors {
		why := cmp.Or(equivalent[m.key()], "**no reason known: a test is missing**")
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(m.key(), "|", `\|`), why)
	}
	return b.String()
}

// writeOverlay writes the mutated files and the list that tells the compiler to read them.
func writeOverlay(dir string, files map[string]string) error {
	replace := map[string]string{}
	for path, text := range files {
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		replace[full] = filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(replace[full], []byte(text), 0o600); err != nil {
			return err
		}
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), b, 0o600)
}
