package results_test

import (
	"testing"
	"time"

	"bugslice/internal/assert"
	"bugslice/internal/ci/results"
)

// documented are forms of runners that cannot be had here, written as their documentation says.
var documented = []struct {
	name, text string
	format     results.Format
	want       results.Totals
	last       results.Case // of the file
}{
	{"NUnit 3", `<?xml version="1.0" encoding="utf-8"?>
<test-run id="0" name="Shop.dll" testcasecount="5" result="Failed" total="5" passed="1" failed="3" inconclusive="0" skipped="1">
 <test-suite type="Assembly" id="0-1" name="Shop.dll" fullname="C:\shop\Shop.dll" result="Failed" site="Child" duration="0.1">
  <failure><message><![CDATA[One or more child tests had errors]]></message></failure>
  <test-suite type="TestFixture" id="0-2" name="Basket" fullname="Shop.Basket" result="Failed" site="SetUp">
   <failure><message>OneTimeSetUp: System.IO.IOException : no disk</message><stack-trace>at Shop.Basket.Open()</stack-trace></failure>
   <test-case id="1" name="Passes" fullname="Shop.Basket.Passes" methodname="Passes" classname="Shop.Basket" result="Passed" duration="0.5"/>
   <test-case id="2" name="Ignored" methodname="Ignored" classname="Shop.Basket" result="Skipped" label="Ignored">
    <reason><message>needs a printer</message></reason></test-case>
   <test-case id="3" name="Fails" methodname="Fails" classname="Shop.Basket" result="Failed">
    <failure><message>Expected: 3
 But was: 2</message><stack-trace>at Shop.Basket.Fails() in Basket.cs:line 12</stack-trace></failure></test-case>
   <test-case id="4" name="Raises" methodname="Raises" classname="Shop.Basket" result="Failed" label="Error" duration="0.25">
    <failure><message>System.IO.IOException : no disk</message><stack-trace>at Shop.Basket.Raises()</stack-trace></failure>
    <output>opened the basket</output>
    <attachments><attachment><filePath>C:\shop\screen.png</filePath><description>the shop</description></attachment></attachments>
   </test-case></test-suite></test-suite></test-run>`,
		results.NUnit, results.Totals{Tests: 5, Failures: 1, Errors: 2, Skipped: 1}, results.Case{
			Name: "Raises", Class: "Shop.Basket", Duration: 250 * time.Millisecond, Outcome: results.Errored, Runs: 1, Output: "opened the basket",
			Failures: []results.Failure{{Message: "System.IO.IOException : no disk", Type: "System.IO.IOException",
				Stack: "System.IO.IOException : no disk\nat Shop.Basket.Raises()"}},
			Attachments: []results.Attachment{{Name: "the shop", Path: `C:\shop\screen.png`}},
		}},
	{"NUnit 2", `<test-results name="Shop.dll" total="2" errors="0" failures="1" not-run="1" inconclusive="0">
<test-suite name="Shop"><results><test-case name="Shop.Basket.Passes" executed="True" success="True" time="0.1"/>
<test-case name="Shop.Basket.Ignored" executed="False"><reason><message>later</message></reason></test-case>
<test-case name="Shop.Basket.Fails(1.5)" executed="True" success="False" time="0.002"><failure><message>wrong</message></failure></test-case>
</results></test-suite></test-results>`,
		results.NUnit, results.Totals{Tests: 3, Failures: 1, Skipped: 1}, results.Case{
			Name: "Fails(1.5)", Class: "Shop.Basket", Duration: 2 * time.Millisecond, Outcome: results.Failed, Runs: 1,
			Failures: []results.Failure{{Message: "wrong", Stack: "wrong"}},
		}},
	{"xUnit.net", `<assemblies><assembly name="Shop.dll" run-date="2026-11-20" run-time="10:00:00" total="3" passed="1" failed="1" skipped="1" time="0.2" errors="1">
<errors><error type="collection-cleanup" name="Orders"><failure exception-type="System.Exception"><message>not closed</message></failure></error></errors>
<collection name="Tests" total="3"><test name="Shop.Basket.Passes" type="Shop.Basket" method="Passes" time="0.1" result="Pass"/>
<test name="Shop.Basket.Skips" type="Shop.Basket" method="Skips" result="Skip"><reason>needs a printer</reason></test>
<test name="Shop.Basket.Fails(n: 1)" type="Shop.Basket" method="Fails" time="0.01" result="Fail">
<traits><trait name="area" value="basket"/></traits>
<failure exception-type="Xunit.Sdk.EqualException"><message>Assert.Equal() Failure</message><stack-trace>at Shop.Basket.Fails</stack-trace></failure></test>
</collection></assembly></assemblies>`,
		results.XUnit, results.Totals{Tests: 4, Failures: 1, Errors: 1, Skipped: 1}, results.Case{
			Name: "Fails(n: 1)", Class: "Shop.Basket", Duration: 10 * time.Millisecond, Outcome: results.Failed, Runs: 1,
			Failures: []results.Failure{{Message: "Assert.Equal() Failure", Type: "Xunit.Sdk.EqualException",
				Stack: "Assert.Equal() Failure\nat Shop.Basket.Fails"}},
			Properties: []results.Property{{Name: "area", Value: "basket"}},
		}},
	{"MSTest", `<TestRun id="1" name="ci"><Results>
<UnitTestResult testId="a" testName="Passes" duration="00:00:00.5000000" outcome="Passed"/>
<UnitTestResult testId="b" testName="Later" outcome="NotExecuted"/>
<UnitTestResult testId="c" testName="Fails" duration="00:01:01.5000000" outcome="Failed"><Output><StdOut>opened the basket</StdOut>
<ErrorInfo><Message>Assert.AreEqual failed.</Message><StackTrace>at Shop.Basket.Fails()</StackTrace></ErrorInfo></Output>
<ResultFiles><ResultFile path="ci\screen.png"/></ResultFiles></UnitTestResult></Results>
<TestDefinitions><UnitTest name="Fails" id="c"><TestMethod className="Shop.Basket, Shop" name="Fails"/></UnitTest></TestDefinitions>
<ResultSummary outcome="Failed"><Counters total="3" executed="2" passed="1" failed="1" error="0" timeout="0" notExecuted="1"/></ResultSummary></TestRun>`,
		results.TRX, results.Totals{Tests: 3, Failures: 1, Skipped: 1}, results.Case{
			Name: "Fails", Class: "Shop.Basket", Duration: 61500 * time.Millisecond, Outcome: results.Failed, Runs: 1, Output: "opened the basket",
			Failures:    []results.Failure{{Message: "Assert.AreEqual failed.", Stack: "Assert.AreEqual failed.\nat Shop.Basket.Fails()"}},
			Attachments: []results.Attachment{{Path: "ci/screen.png"}},
		}},
	{"cargo nextest", `<testsuites name="nextest-run" tests="2" failures="0" errors="0" uuid="0" time="0.2">
<testsuite name="shop" tests="2" disabled="0" errors="0" failures="0"><testcase name="tests::passes" classname="shop" time="0.1"/>
<testcase name="tests::is_flaky" classname="shop" time="0.1">
<flakyFailure time="0.1" message="thread 'tests::is_flaky' panicked at src/lib.rs:9:9: no answer" type="test failure with exit code 101">
thread panicked<system-out>running 1 test</system-out></flakyFailure></testcase></testsuite></testsuites>`,
		results.JUnit, results.Totals{Tests: 2, Flaky: 1}, results.Case{
			Name: "tests::is_flaky", Class: "shop", Duration: 100 * time.Millisecond, Outcome: results.Flaky, Runs: 1,
			Attempts: []results.Attempt{{Output: "running 1 test", Failures: []results.Failure{{
				Message: "thread 'tests::is_flaky' panicked at src/lib.rs:9:9: no answer", Type: "test failure with exit code 101",
				Stack: "thread panicked",
			}}}},
		}},
	{"Bazel", `<testsuites><testsuite name="//shop:test" tests="1" failures="0" errors="1">
<testcase name="//shop:test" status="run" duration="2" time="2"><error message="exited with error code 1"></error></testcase>
<system-out>Generated test.log:<![CDATA[no lamp in stock]]></system-out></testsuite></testsuites>`,
		results.JUnit, results.Totals{Tests: 1, Errors: 1}, results.Case{
			Name: "//shop:test", Duration: 2 * time.Second, Outcome: results.Errored, Runs: 1,
			Output: "Generated test.log:no lamp in stock", Failures: []results.Failure{{Message: "exited with error code 1"}},
		}},
	{"Xcode by trainer", `<testsuites name="ShopTests" tests="2" failures="1"><testsuite name="BasketTests" tests="2" failures="1" time="0.3">
<testcase classname="BasketTests" name="testPasses()" time="0.1"/>
<testcase classname="BasketTests" name="testFails()" time="0.2"><failure message="XCTAssertEqual failed: (&quot;2&quot;) is not equal to (&quot;3&quot;) (BasketTests.swift#EndingLineNumber=12)"/></testcase>
<testcase classname="BasketTests" name="testFails()" time="0.2"/></testsuite></testsuites>`,
		results.JUnit, results.Totals{Tests: 2, Flaky: 1}, results.Case{
			Name: "testFails()", Class: "BasketTests", Duration: 400 * time.Millisecond, Outcome: results.Flaky, Runs: 2,
			Attempts: []results.Attempt{{Failures: []results.Failure{{
				Message: `XCTAssertEqual failed: ("2") is not equal to ("3") (BasketTests.swift#EndingLineNumber=12)`,
			}}}},
		}},
}

// TestDocumented: the forms of other runners are read as their documentation says.
func TestDocumented(t *testing.T) {
	for _, d := range documented {
		t.Run(d.name, func(t *testing.T) {
			run := read(d.text)
			assert.Equal(t, "the format", run.Format, d.format)
			assert.Equal(t, "the faults", len(run.Faults), 0)
			assert.Equal(t, "the totals", run.Totals(), d.want)
			all := cases(run)
			assert.Equal(t, "the last test", *all[len(all)-1], d.last)
		})
	}
}
