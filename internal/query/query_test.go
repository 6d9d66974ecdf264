package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"bugslice/api"
	"bugslice/internal/assert"
)

// withoutPositions returns a query without the positions of its terms and values.
func withoutPositions(q Query) Query {
	all := make([]Term, len(q.Terms))
	for i, t := range q.Terms {
		values := slices.Clone(t.Values)
		for n := range values {
			values[n].At = Span{}
		}
		all[i] = Term{Word: t.Word, Values: values, Negated: t.Negated}
	}
	return Query{all}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                          "",
		"  slow   network ":                         "slow network",
		`"slow  network"`:                           `"slow  network"`,
		`"slow" "a:b"`:                              `"slow" "a:b"`,
		"status:open,in_progress":                   "status:open,in_progress",
		"Status:OPEN":                               "status:open",
		`label:"sign in",checkout`:                  `label:"sign in",checkout`,
		`label:"checkout"`:                          "label:checkout",
		`label:none label2`:                         "label:none label2",
		`label:"none"`:                              `label:"none"`,
		`assignee:"me",none`:                        `assignee:"me",none`,
		`label:"a\"b\\c"`:                           `label:"a\"b\\c"`,
		`label:a\b`:                                 `label:a\b`,
		`label:"a,b"`:                               `label:"a,b"`,
		"created:>2026-11-01":                       "created:>2026-11-01",
		`created:"2026-11-01..2026-11-08"`:          "created:2026-11-01..2026-11-08",
		"updated:<=2026-11-01T10:00:00Z crash":      "updated:<=2026-11-01T10:00:00Z crash",
		"number:161 sort:priority-asc":              "number:161 sort:priority-asc",
		"priority:none has:replay":                  "priority:none has:replay",
		"a,b c-d é😀":                                "a,b c-d é😀",
		`metadata.orderId:4711,"a b" x`:             `metadata.orderId:4711,"a b" x`,
		`"none"`:                                    `"none"`,
		"-timeout -check* a -":                      "-timeout -check* a -",
		`-"timeout" -"a b" "-a" -"-a" -"->"`:        `-timeout -"a b" "-a" -"-a" -"->"`,
		"--verbose -> -- -- - -=":                   "--verbose -> -- -- - -=",
		`-label:a,"b c" -label:none,"none" label:a`: `-label:a,"b c" -label:none,"none" label:a`,
		"-Status:OPEN -METADATA.orderId:1 -é":       "-status:open -metadata.orderId:1 -é",
		"a OR b":                                    "(a OR b)",
		"x (a OR b  OR \"c d\") y":                  `x (a OR b OR "c d") y`,
		"x a OR b":                                  "x (a OR b)",
		"(a b) or c":                                `"(a" b) or c`,
		"-(a OR b)":                                 "-a -b",
		`"OR" ("(a" OR "b)")`:                       `"OR" ("(a" OR "b)")`,
		"label:a OR label:b,c":                      "label:a,b,c",
		"(status:open OR status:closed) x":          "status:open,closed x",
		"-(label:a OR label:b)":                     "-label:a -label:b",
		"TypeError: x http://a.test/b:c 1.2:3":      `"TypeError:" x "http://a.test/b:c" "1.2:3"`,
		"ECONNREFUSED:443 qqq:x":                    `"ECONNREFUSED:443" "qqq:x"`,
		"is:open":                                   "status:open",
		"is:active,resolved":                        "status:open,in_progress,resolved",
		"is:in-progress -is:Mine is:fixed":          "status:in_progress -assignee:me resolution:fixed",
		"no:assignee,label -no:space no:replay":     "assignee:none label:none -space:none -has:replay",
		"is:assigned -is:assigned":                  "-assignee:none assignee:none",
		"sort:Newest created:7D":                    "sort:created created:7d",
		`created:last week updated:"this Month"`:    "created:last-week updated:this-month",
		"created:>30d updated:yesterday..today":     "created:>30d updated:yesterday..today",
		"created:2026-11-01.. updated:..7d":         "created:2026-11-01.. updated:..7d",
		`browser:Chrome os:"Windows"`:               `browser:Chrome os:"Windows"`,
	} {
		q, err := Parse(text)
		if got := q.String(); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
		again, err := Parse(q.String())
		assert.Equal(t, text, withoutPositions(again), withoutPositions(q))
		if err != nil {
			t.Error(err)
		}
		for _, term := range q.Terms {
			at := strings.Trim(text[term.At.From:term.At.To], "-()")
			_, _, isAliased := strings.Cut(text, "s:")
			if !strings.HasPrefix(strings.ToLower(at), strings.ToLower(term.Word)) && !isAliased &&
				!strings.Contains(text, "no:") || strings.TrimSpace(at) != at {
				t.Errorf("%s: the term %s is at %q", text, term, at)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	noMinus := func(word string) string {
		return "a minus cannot stand before " + word + "; it stands before words without a colon, and before " +
			strings.Join(excluding, ", ") + " and metadata"
	}
	const asDate = "malformed a date is written as 2026-11-01, >2026-11-01, <2026-11-01, 2026-11-01..2026-11-08, 7d, >7d, today, " +
		"yesterday or last week"
	const misplaced = "misplaced_or OR stands between two words, or between two values of one filter: timeout OR crash, label:a,b; " +
		"in quotes it is searched for"
	const brackets = "misplaced_brackets brackets hold words with OR between each two of them, such as (timeout OR crash), and no " +
		"other brackets; in quotes they are searched for"
	for text, want := range map[string]string{
		"staus:open":             "0-6 unknown_word there is no filter “staus”; did you mean status?",
		"crash -labl:x":          "6-12 unknown_word there is no filter “labl”; did you mean label?",
		"--label:x":              "0-8 unknown_word there is no filter “--label”; did you mean label?",
		"-sort:created":          "0-6 not_excluding " + noMinus("sort"),
		"a -created:>2026-01-01": "2-11 not_excluding " + noMinus("created"),
		"-number:7":              "0-8 not_excluding " + noMinus("number"),
		"-workspace:web":         "0-11 not_excluding " + noMinus("workspace"),
		"-status:opn":            "8-11 unknown_value “opn” is not a value of status; did you mean open?",
		`-"a`:                    "1-3 unclosed_quote the quotes are not closed",
		`-""`:                    "1-3 empty the quotes are empty",
		`-"a"b`:                  "0-5 misplaced_quote quotes stand around a whole value",
		`-a"b"`:                  "0-5 misplaced_quote quotes stand around a whole value",
		"status:opn":             "7-10 unknown_value “opn” is not a value of status; did you mean open?",
		"status:opne":            "7-11 unknown_value “opne” is not a value of status; did you mean open?",
		"status:open,xx": "12-14 unknown_value “xx” is not a value of status; there are open, in_progress, resolved, " +
			"closed",
		"has:video": "4-9 unknown_value “video” is not a value of has; there are replay, screenshot, " +
			"console_error, failed_request, unreviewed",
		"status:":                         "7-7 empty status needs a value after the colon",
		"status:open,":                    "12-12 empty status needs a value after the colon",
		`label:""`:                        "6-8 empty label needs a value after the colon",
		`""`:                              "0-2 empty the quotes are empty",
		`"slow`:                           "0-5 unclosed_quote the quotes are not closed",
		`label:"x`:                        "6-8 unclosed_quote the quotes are not closed",
		`label:a"b"`:                      "6-10 misplaced_quote quotes stand around a whole value",
		`a"b" c`:                          "0-4 misplaced_quote quotes stand around a whole value",
		`"a"b c`:                          "0-4 misplaced_quote quotes stand around a whole value",
		"created:soon":                    "8-12 " + asDate,
		"created:0d":                      "8-10 " + asDate,
		"created:1000000d":                "8-16 " + asDate,
		"updated:last time":               "8-12 " + asDate,
		"created:..":                      "8-10 " + asDate,
		"OR a":                            "0-2 " + misplaced,
		"a OR":                            "2-4 " + misplaced,
		"a OR OR b":                       "5-7 " + misplaced,
		"a OR -b":                         "2-4 " + misplaced,
		"-a OR b":                         "3-5 " + misplaced,
		"label:a OR b":                    "8-10 " + misplaced,
		"label:a OR status:open":          "8-10 " + misplaced,
		"created:7d OR created:8d":        "14-24 repeated created is there twice; separate several values by commas",
		"(a OR b c)":                      "0-10 " + brackets,
		"x (a OR b":                       "2-9 " + brackets,
		"(a OR b)c":                       "0-8 " + brackets,
		"(a OR (b OR c))":                 "6-13 " + brackets,
		"-(number:1 OR number:2)":         "14-22 repeated number is there twice; separate several values by commas",
		strings.Repeat("a OR ", 30) + "a": "0-151 too_many a search has at most 30 words with OR between them",
		strings.Repeat("a ", 101):         "200-201 too_many a search has at most 100 words and filters",
		"is:opne":                         "3-7 unknown_value “opne” is not a value of is; did you mean open?",
		"no:milestone": "3-12 unknown_value “milestone” is not a value of no; there are assignee, label, space, priority, severity, " +
			"replay, screenshot, console_error, failed_request",
		"created:2026-11-31":             "8-18 " + asDate,
		"created:2026-2..2026-3":         "8-22 " + asDate,
		"updated:2026-02-02..2026-01-01": "8-30 malformed a range begins with its earlier date",
		"number:0":                       "7-8 malformed a number is written in digits, such as 161",
		"number:1,2":                     "0-10 too_many number has one value",
		"label:a label:b":                "8-15 repeated label is there twice; separate several values by commas",
		"label:none,a":                   "0-12 not_alone label:none cannot be combined with labels",
		"a\x00b":                         "0-3 malformed the search is no text",
		strings.Repeat("ü", 2001):        "4000-4002 too_long the search has at most 2,000 characters",
		strings.Repeat("x", 2001):        "2000-2001 too_long the search has at most 2,000 characters",
	} {
		_, err := Parse(text)
		var faults Faults
		if !errors.As(err, &faults) || len(faults) != 1 {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := fmt.Sprintf("%d-%d %s %s", faults[0].At.From, faults[0].At.To, faults[0].Code,
			faults[0].Detail); got != want {
			t.Errorf("%.40s: %s\n want %s", text, got, want)
		}
	}
	q, err := Parse("crash staus:open prioritt:high label:a")
	if faults := (Faults)(nil); !errors.As(err, &faults) || len(faults) != 2 || q.String() != "crash label:a" {
		t.Errorf("%v, %s", err, q)
	}
}

// generated draws a query of any words and values.
func generated(t *rapid.T) Query {
	var q Query
	for range rapid.IntRange(0, 3).Draw(t, "free") {
		text := rapid.StringMatching(`[^\x00]+`).Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).
			Draw(t, "text")
		q.Terms = append(q.Terms, Term{Values: []Value{Name("", text)}, Negated: rapid.Bool().Draw(t, "negated")})
	}
	for _, word := range rapid.SliceOfDistinct(rapid.SampledFrom(Words()), rapid.ID).Draw(t, "words") {
		n := 1
		if !isSingle(word) {
			n = rapid.IntRange(1, 3).Draw(t, "n")
		}
		term := Term{Word: word, Negated: Excludes(word) && rapid.Bool().Draw(t, "negated")}
		for range n {
			var v Value
			switch {
			case Allowed(word) != nil:
				v = Bare(rapid.SampledFrom(Allowed(word)).Draw(t, "value"))
				v.Quoted = isKeyword(v.Text) && rapid.Bool().Draw(t, "quoted")
			case word == Number:
				v = Bare("17")
			case word == Created || word == Updated || word == Resolved:
				v = Bare(rapid.SampledFrom([]string{">2026-01-01", "2026-01-01..2026-01-02", "2026-01-01"}).
					Draw(t, "date"))
			default:
				v = Name(word, rapid.StringMatching(`[^\x00]+`).Draw(t, "name"))
			}
			term.Values = append(term.Values, v)
		}
		q.Terms = append(q.Terms, term)
	}
	return q
}

// TestRoundTrip: a query that is formatted and parsed is the same.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := generated(t)
		parsed, err := Parse(q.String())
		if utf8.RuneCountInString(q.String()) > MaxLength {
			return // Parse refuses a longer text
		}
		if err != nil || fmt.Sprint(withoutPositions(parsed)) != fmt.Sprint(withoutPositions(q)) {
			t.Fatalf("%s: %#v, %v, want %#v", q, parsed, err, q)
		}
	})
}

// FuzzParse: every text is parsed or refused with positions within it, and a parsed one is formatted to a text with
// the same meaning.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`status:open,in_progress "a b" c`, `label:"none",x created:>2026-11-01`,
		`assignee:"a\"b`, "sort:", `x"y`, "a:b:c", "number:1,2",
		`-a -"b c" -label:none,x --d -> -"->"`, `x (a OR "b)" OR -c) OR d -(a OR b)`, "is:open,mine no:label -is:fixed",
		"created:last week label:a OR label:b", "((( OR ))) OR", `OR "OR" (`, "a:// b: c:d", "created:7d..1d updated:<2w",
		strings.Repeat("\xff", MaxLength+1)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		var faults Faults
		if err != nil && !errors.As(err, &faults) {
			t.Fatal(err)
		}
		for _, fault := range faults {
			if fault.At.From < 0 || fault.At.From > fault.At.To || fault.At.To > len(text) || fault.Code == "" ||
				fault.Detail == "" {
				t.Fatalf("%q: %+v", text, fault)
			}
		}
		formatted := q.String()
		if utf8.RuneCountInString(formatted) > MaxLength { // quotes may make it longer
			return
		}
		again, err := Parse(formatted)
		if err != nil || again.String() != formatted ||
			fmt.Sprint(withoutPositions(again)) != fmt.Sprint(withoutPositions(q)) {
			t.Fatalf("%q: %q, %v, %q", text, formatted, err, again)
		}
	})
}

// TestLongTexts: the longest texts of signs with a meaning are parsed or refused at once.
func TestLongTexts(t *testing.T) {
	for _, part := range []string{"(", "(a OR ", "(a OR (", "a OR ", "-(", "a:", "(OR ", `"`, `\"`,
		"a:b OR ", "stauts:y,", ") OR (", "OR "} {
		text := strings.Repeat(part, MaxLength/len(part))
		from := time.Now()
		if _, err := Parse(text); err == nil && len(part) > 2 {
			t.Errorf("%.20s… is no fault", text)
		}
		if d := time.Since(from); d > 500*time.Millisecond {
			t.Errorf("%.20s… takes %s", text, d)
		}
	}
}

// people is a directory of a few records.
type people map[string][]Match

func (p people) Find(word, name string) ([]Match, error) { return p[word+" "+name], nil }

func TestList(t *testing.T) {
	const user = "usr_01ja8m2c9tf3qb6h0v5r4x7kyz"
	directory := people{"assignee Jonas": {{user, ""}}, "assignee me": {{"usr_me", ""}},
		"mentions Jonas": {{user, ""}}, "space Checkout": {{"spc_1", ""}},
		"workspace web": {{"wsp_1", ""}}, "duplicate WEB-1": {{"slc_1", ""}},
		"assignee Ann": {{"usr_1", "ann@a.example"}, {"usr_2", "ann@b.example"}}}
	stockholm, err := time.LoadLocation("Europe/Stockholm")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) *api.Time {
		v := new(api.Time)
		if err := v.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for text, want := range map[string]api.ListSlices{
		"":                   {},
		`slow "the network"`: {SliceFilters: api.SliceFilters{Q: `slow "the network"`}},
		"status:open,closed priority:high,none severity:none has:replay": {SliceFilters: api.SliceFilters{Status: []api.Status{"open",
			"closed"},
			Priority: []api.PriorityFilter{"high", "none"}, Severity: []api.SeverityFilter{"none"},
			Has: []api.EvidenceFilter{"replay"}}},
		"label:none":               {SliceFilters: api.SliceFilters{WithoutLabels: true}},
		`label:"none",x`:           {SliceFilters: api.SliceFilters{Label: []string{"none", "x"}}},
		"assignee:me,none," + user: {SliceFilters: api.SliceFilters{AssigneeID: []string{"me", "none", user}}},
		`assignee:"me",Jonas reporter:me`: {SliceFilters: api.SliceFilters{AssigneeID: []string{"usr_me", user},
			ReporterID: []string{"me"}}},
		"duplicate:WEB-1":   {SliceFilters: api.SliceFilters{DuplicateOfID: []string{"slc_1"}}},
		"mentions:me,Jonas": {SliceFilters: api.SliceFilters{Mentions: []string{"me", user}}},
		"space:Checkout,none workspace:web": {SliceFilters: api.SliceFilters{SpaceID: []string{"spc_1", "none"},
			WorkspaceID: "wsp_1"}},
		"external:ci-1 fingerprint:f number:7": {SliceFilters: api.SliceFilters{ExternalID: []string{"ci-1"},
			Fingerprint: []string{"f"}, Number: 7}},
		"sort:priority":    {Sort: "priority"},
		"sort:created-asc": {Sort: "createdAt", Order: "asc"},
		"sort:updated":     {Sort: "updatedAt"},
		"created:2026-11-01": {SliceFilters: api.SliceFilters{CreatedAfter: at("2026-11-01T00:00:00+01:00"),
			CreatedBefore: at("2026-11-02T00:00:00+01:00")}},
		"created:>2026-10-24": {SliceFilters: api.SliceFilters{CreatedAfter: at("2026-10-25T00:00:00+02:00")}},
		// The day with 25 hours.
		"created:<=2026-10-25":          {SliceFilters: api.SliceFilters{CreatedBefore: at("2026-10-26T00:00:00+01:00")}},
		"updated:<2026-11-01T10:00:00Z": {SliceFilters: api.SliceFilters{UpdatedBefore: at("2026-11-01T10:00:00Z")}},
		`browser:"Chrome 156" os:Windows viewport:1280x800`: {SliceFilters: api.SliceFilters{Browser: []string{"Chrome 156"},
			OS:       []string{"Windows*"},
			Viewport: []string{"1280x800"}}},
		"metadata.orderId:4711,none METADATA.a.b:x": {SliceFilters: api.SliceFilters{
			Metadata: map[string][]string{"orderId": {"4711", "none"}, "a.b": {"x"}}}},
		"release:2.7,none resolved:<2026-11-01T10:00:00Z": {SliceFilters: api.SliceFilters{Release: []string{"2.7",
			"none"},
			ResolvedBefore: at("2026-11-01T10:00:00Z")}},
		`ab* "cd* e" -b -"cd*" -label:none,x -label:"none" label:y -assignee:me,Jonas -status:closed status:open`: {
			SliceFilters: api.SliceFilters{
				Q: `ab* "cd* e"`, Status: []api.Status{"open"}, Label: []string{"y"},
				Not: api.Exclusions{Q: "b cd*", Status: []api.Status{"closed"},
					Label: []string{"x", "none"}, WithoutLabels: true, AssigneeID: []string{"me", user}}}},
		"-space:Checkout,none -priority:low -severity:none -reporter:me -mentions:Jonas -release:1 -browser:b -os:o -viewport:v " +
			"-has:replay": {
			SliceFilters: api.SliceFilters{Not: api.Exclusions{SpaceID: []string{"spc_1", "none"},
				Priority: []api.PriorityFilter{"low"},
				Severity: []api.SeverityFilter{"none"}, ReporterID: []string{"me"}, Mentions: []string{user},
				Release: []string{"1"},
				Browser: []string{"b*"}, OS: []string{"o*"}, Viewport: []string{"v"},
				Has: []api.EvidenceFilter{"replay"}}}},
		"-metadata.a:1,2 -metadata.a:3 metadata.a:4 -metadata.b:5": {
			SliceFilters: api.SliceFilters{Metadata: map[string][]string{"a": {"4"}},
				Not: api.Exclusions{Metadata: map[string][]string{"a": {"1", "2", "3"}, "b": {"5"}}}}},
		"updated:>2026-11-01T10:00:00Z": {SliceFilters: api.SliceFilters{UpdatedAfter: at("2026-11-01T10:00:00.001Z")}},
		"created:2026-11-01..2026-11-08": {SliceFilters: api.SliceFilters{CreatedAfter: at("2026-11-01T00:00:00+01:00"),
			CreatedBefore: at("2026-11-09T00:00:00+01:00")}},
	} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := q.List(directory, stockholm)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		assert.Equal(t, text, got, want)
	}
	for text, want := range map[string]string{
		"assignee:Bo":     "unknown_name there is no member “Bo”",
		"assignee:Ann":    "ambiguous_name there are several members “Ann”; write ann@a.example or ann@b.example",
		"space:me":        "unknown_name there is no space “me”",
		"duplicate:WEB-9": "unknown_name there is no report “WEB-9”",
		"workspace:none":  "unknown_name there is no workspace “none”",
		"assignee:usr_zz": "unknown_name there is no member “usr_zz”",
		"-assignee:Bo":    "unknown_name there is no member “Bo”",
	} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = q.List(directory, time.UTC)
		var faults Faults
		if !errors.As(err, &faults) || faults[0].Code+" "+faults[0].Detail != want ||
			text[faults[0].At.From:faults[0].At.To] != strings.SplitN(text, ":", 2)[1] {
			t.Errorf("%s: %#v", text, err)
		}
	}
}

// TestSearches: the last word is a beginning, where a beginning finds more than the word and not nearly everything.
func TestSearches(t *testing.T) {
	for text, want := range map[string]string{
		"": "[]", "discou": "[[discou*]]", `"discou"`: "[[discou]]", "discou*": "[[discou*]]", "a": "[[a]]",
		"slow discou": "[[slow] [discou*]]", "discou status:open -x": "[[discou*]]", "WEB-16": "[[WEB-16]]", "16": "[[16]]",
		"e-mail": "[[e-mail*]]", "run-16": "[[run-16]]", "slow!": "[[slow!]]", "支払": "[[支払]]", "a OR bc": "[[a bc*]]",
		"(ab OR cd) e": "[[ab cd] [e]]",
	} {
		q, err := Parse(text)
		if got := fmt.Sprint(q.Searches()); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"web-16 status:open": "web-16", "163": "163", "163 x": "", "x": "", "-163": "",
		"1 OR 2": "", "number:163": "", "007": ""} {
		q, err := Parse(text)
		if got, ok := q.Named(); err != nil || ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v, %v", text, got, ok, err)
		}
	}
}

// TestBetter: the suggestion of a fault, in place of its part of the text, is no fault.
func TestBetter(t *testing.T) {
	for text, want := range map[string]string{"crash staus:open": "crash status:open", "-labl:x a": "-label:x a",
		"status:opn": "status:open", "created:yesterda": "created:yesterday", "is:actve": "is:active"} {
		_, err := Parse(text)
		var faults Faults
		if !errors.As(err, &faults) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		at, got := faults[0].At, ""
		if faults[0].Better != "" {
			got = text[:at.From] + faults[0].Better + text[at.To:]
		}
		if _, err := Parse(got); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// TestPeriods: a period is of the zone, and weeks begin on Monday.
func TestPeriods(t *testing.T) {
	stockholm, err := time.LoadLocation("Europe/Stockholm")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 29, 23, 30, 0, 0, stockholm) // a Sunday; its clocks were put forward
	for text, want := range map[string]string{
		"today": "29 Mar 00:00 – 30 Mar 00:00", "yesterday": "28 Mar 00:00 – 29 Mar 00:00",
		"this-week": "23 Mar 00:00 – 30 Mar 00:00", "last-week": "16 Mar 00:00 – 23 Mar 00:00",
		"this-month": "1 Mar 00:00 – 1 Apr 00:00", "last-month": "1 Feb 00:00 – 1 Mar 00:00",
		"this-year": "1 Jan 00:00 – 1 Jan 00:00", "7d": "22 Mar 00:00 – 23 Mar 00:00", "2w": "15 Mar 00:00 – 16 Mar 00:00",
		"24h": "28 Mar 22:00 – 28 Mar 23:00", "1y": "29 Mar 00:00 – 30 Mar 00:00",
	} {
		first, end, ok := spanOf(text, now)
		got := first.In(stockholm).Format("2 Jan 15:04") + " – " + end.In(stockholm).Format("2 Jan 15:04")
		if !ok || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, ok, want)
		}
	}
	today := api.At(startOf(time.Now().In(stockholm), stockholm))
	for text, want := range map[string][2]bool{"7d": {true, false}, "<7d": {true, false}, ">7d": {false, true},
		"today": {true, true}, "7d..1d": {true, true}, ">yesterday": {true, false}, "2026-11-01..": {true, false},
		"..today": {false, true}} {
		r, ok := parseRange(text)
		from, before := r.bounds(stockholm)
		if !ok || (from != nil) != want[0] || (before != nil) != want[1] {
			t.Errorf("%s: %v, %v, %v", text, from, before, ok)
		}
		if text == ">yesterday" && *from != today {
			t.Errorf("after yesterday is %v, want %v", from, today)
		}
	}
}

// TestRefusedWords: a beginning that most texts have, and an exclusion that is not one word, are faults of their term.
func TestRefusedWords(t *testing.T) {
	for text, want := range map[string]string{
		"ab* C* d":       "4-6 too_short “c*” is too short: two letters or digits stand before *",
		"a -é*":          "3-6 too_short “e*” is too short: two letters or digits stand before *",
		"-e-mail -web-7": "1-7 several_words “e-mail” is several words; only one can be left out by a minus",
		"a -e-mail":      "3-9 several_words “e-mail” is several words; only one can be left out by a minus",
		`a -"slow car"`:  "3-13 several_words “slow car” is several words; only one can be left out by a minus",
		`-"!"`:           "1-4 no_words “!” has no letters or digits to leave out",
	} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = q.List(people{}, time.UTC)
		var faults Faults
		if !errors.As(err, &faults) || len(faults) != 1 {
			t.Errorf("%s: %v", text, err)
			continue
		}
		assert.Equal(t, text, fmt.Sprintf("%d-%d %s %s", faults[0].At.From, faults[0].At.To, faults[0].Code,
			faults[0].Detail), want)
	}
}

// TestCompletions: each completion is a term of its word.
func TestCompletions(t *testing.T) {
	for _, c := range Completions([]string{"orderId"}) {
		for _, v := range c.Values {
			if q, err := Parse(c.Word + ":" + v); err != nil || q.Terms[0].Values[0].Quoted {
				t.Errorf("%s:%s: %v", c.Word, v, err)
			} else if _, err := q.List(people{}, time.UTC); err != nil {
				t.Errorf("%s:%s: %v", c.Word, v, err)
			}
		}
	}
}

// TestRefusedByTheOperation: a fault of a parameter is a fault of the term that has set it.
func TestRefusedByTheOperation(t *testing.T) {
	q, err := Parse("-ant zebra -label:b label:a sort:priority external:x -metadata.orderId:8 metadata.orderId:7")
	if err != nil {
		t.Fatal(err)
	}
	for parameter, want := range map[string]string{"q": "zebra", "label": "label:a",
		"workspaceId": "sort:priority", "externalId": "external:x",
		"metadata[orderId]": "metadata.orderId:7", "not[q]": "-ant", "not[label]": "-label:b",
		"not[metadata][orderId]": "-metadata.orderId:8"} {
		faults, ok := q.FaultsOf(api.InvalidParameter(parameter, "required", "a sentence"))
		if !ok {
			t.Errorf("%s: no fault of the query", parameter)
			continue
		}
		if at := faults[0].At; q.String()[at.From:at.To] != want {
			t.Errorf("%s: the fault is at %q, want %q", parameter, q.String()[at.From:at.To], want)
		}
		// The detail of a required workspace names the order: the search box has no workspaceId.
		if parameter != "workspaceId" && faults[0].Detail != "a sentence" {
			t.Errorf("%s: the detail is %q", parameter, faults[0].Detail)
		}
	}
	for parameter, code := range map[string]string{"q": "no_words", "workspaceId": "required"} {
		faults, ok := q.FaultsOf(api.InvalidParameter(parameter, code, parameter))
		if !ok || strings.Contains(faults[0].Detail, parameter) {
			t.Errorf("%s: the detail names the parameter of the API: %+v", parameter, faults)
		}
	}
	newest, err := Parse("zebra release:newest")
	faults, ok := newest.FaultsOf(api.InvalidParameter("workspaceId", "required", "x"))
	if at := faults[0].At; err != nil || !ok || newest.String()[at.From:at.To] != "release:newest" {
		t.Errorf("the newest release of no workspace: %+v, %v", faults, err)
	}
	for _, err := range []error{errors.New("x"), api.InvalidParameter("cursor", "invalid_cursor", "x"),
		api.NewProblem(api.CodeForbidden, "x")} {
		if _, ok := q.FaultsOf(err); ok {
			t.Errorf("%v is no fault of the text", err)
		}
	}
}

func TestWith(t *testing.T) {
	q, err := Parse(`a -label:y status:open label:x b`)
	if err != nil {
		t.Fatal(err)
	}
	for want, got := range map[string]Query{
		"a -label:y status:closed label:x b":             q.With(Status, Bare("closed")),
		"a -label:y status:open label:x b assignee:none": q.With(Assignee, Bare("none")),
		`a -label:y status:open label:"me" b`:            q.With(Label, Name(Label, "me")),
		"a status:open label:x b":                        q.Without(1),
		"-label:y status:open label:x b":                 q.Without(0),
	} {
		assert.Equal(t, "the query", got.String(), want)
	}
	if q.String() != "a -label:y status:open label:x b" {
		t.Error("the query has changed")
	}
}

// TestDaysOfZones: a day begins with its first instant, also where the clocks skip midnight or pass it twice, and
// where a whole day was skipped.
func TestDaysOfZones(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Stockholm", "Asia/Beirut",
		"America/Havana", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe",
		"America/St_Johns", "Asia/Kathmandu", "Africa/Casablanca", "America/Asuncion"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for day := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2028; day = day.AddDate(0, 0, 1) {
			text := day.Format(time.DateOnly)
			at, ok := point{text: text}.at(zone)
			first, before := at.In(zone).Format(time.DateOnly), at.Add(-time.Millisecond).In(zone).Format(time.DateOnly)
			if !ok || first < text || before >= text {
				t.Errorf("%s of %s begins at %s, after %s", text, name, at.In(zone), before)
			}
		}
	}
}

// TestIn: a query with the instants of a zone selects what its days select there, read in any zone.
func TestIn(t *testing.T) {
	here, err := time.LoadLocation("America/Havana")
	if err != nil {
		t.Fatal(err)
	}
	there, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"created:2027-11-07", "created:2027-11-04..2027-11-09",
		"updated:>=2027-11-07", "updated:>2027-11-07", "resolved:<2027-11-07",
		"resolved:<=2027-11-07 created:2027-11-07T12:30:00.001+01:00",
		"created:2028-02-29..2028-03-01T00:00:00Z", "status:open checkout label:2027-11-07"} {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(q.In(here).String())
		if err != nil {
			t.Fatal(err)
		}
		want, err := q.List(people{}, here)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.List(people{}, there)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, text+" as "+again.String(), got, want)
	}
	apia, err := time.LoadLocation("Pacific/Apia")
	if err != nil {
		t.Fatal(err)
	}
	q, err := Parse("created:2011-12-30") // a day that the zone has skipped
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(q.In(apia).String()); err != nil {
		t.Error(q.In(apia), err)
	}
}

// TestParseText: an error that somebody pastes is words, and a mistyped search is refused.
func TestParseText(t *testing.T) {
	for _, text := range []string{`Cannot read properties of null (reading "percent")`, `{"a":1}`, `"unclosed`, "status: 500", "is:"} {
		q, err := ParseText(text)
		if got := q.Searches(); err != nil || len(got) != 1 || got[0][0] != text {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{`stauts:open "x`, "status:opn", "a OR", "(a OR"} {
		if _, err := ParseText(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
