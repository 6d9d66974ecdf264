package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
	"bugslice/internal/store/termindex"
)

// member is a column of slices.
//
// Unless the member says otherwise, its text is charged to the workspace, an erasure replaces the names and addresses
// of the user in it, and UpdateSlice stores it when it has changed.
type member struct {
	column  string
	cell    cell
	facets  []facet // by which lists find slices
	fixed   bool    // UpdateSlice leaves it as it is
	bounded bool    // it is short, and not charged
	kept    bool    // an erasure leaves it as it is
}

// facet is a part of a member of slices by whose values lists find them: one or several values of each slice, the
// empty one for none.
type facet struct {
	kind     byte                        // of its terms
	values   func(*Slice) []string       // by default the text of the member
	selected func(*SliceFilter) []string // the values of which a filter selects one
	none     bool                        // NoneValue selects the empty one
	by       string                      // the member by which slices are counted; empty when they are not
	begins   byte                        // the kind of the terms by whose beginnings it is found; 0 for none

	member *member
}

// The kinds of further terms.
const (
	anyKind      = 'x' // each slice has this facet, without a value
	finishedKind = 'z' // each slice that is resolved or closed has this facet, without a value
	mentionKind  = termindex.MentionKind
	metadataKind = 'd'
	evidenceKind = 'h'
	labelKind    = 'l'
	numberKind   = 'n' // it is searched for like a word, but a reference names one slice by it, and no text

	reporterKind = 'r'
	sourceKind   = '1' // of the sources of visitors, by id and by name

	releaseBegin     = 'i' // of the beginnings of values
	lastReleaseBegin = 'u'
	browserBegin     = 'k'
	systemBegin      = 'y'

	createdKind  = 'c' // of periods
	updatedKind  = 'u'
	resolvedKind = 'r'
)

// members are all columns of slices but row, which the database assigns. The statements that read, insert and update
// slices, their sizes and their erasure come from them, and the terms and the filters of facets.
var members = memberList{
	{column: "id", cell: keyword(func(s *Slice) *string { return &s.ID }), fixed: true},
	{column: "workspace_id", cell: keyword(func(s *Slice) *string { return &s.WorkspaceID }), fixed: true},
	{column: "number", cell: number(func(s *Slice) *int64 { return &s.Number }), fixed: true},
	{column: "space_id", cell: storedSpace(),
		facets: []facet{{kind: 'c', by: BySpace, none: true,
			selected: func(f *SliceFilter) []string { return f.Spaces }}}},
	{column: "summary", cell: freeText(func(s *Slice) *string { return &s.Summary })},
	{column: "description", cell: nullableFreeText(func(s *Slice) **string { return &s.Description })},
	{column: "status", cell: keyword(func(s *Slice) *api.Status { return &s.Status }),
		facets: []facet{{kind: 's', by: ByStatus,
			selected: func(f *SliceFilter) []string { return texts(f.Statuses) }}}},
	{column: "resolution", cell: nullableKeyword(func(s *Slice) **api.Resolution { return &s.Resolution }),
		facets: []facet{{kind: 'q', by: byResolution, values: func(s *Slice) []string { return someOf(s.Resolution) },
			selected: func(f *SliceFilter) []string { return texts(f.Resolutions) }}}},
	{column: "fixed_in_release", cell: nullableFreeText(func(s *Slice) **string { return &s.FixedInRelease }),
		facets: []facet{{kind: 'g', values: func(s *Slice) []string { return someOf(s.FixedInRelease) },
			selected: textsOf("fixed-in")}}},
	{column: "priority", cell: nullableKeyword(func(s *Slice) **api.Priority { return &s.Priority }),
		facets: []facet{{kind: 'p', by: ByPriority, none: true,
			selected: func(f *SliceFilter) []string { return texts(f.Priorities) }}}},
	{column: "severity", cell: nullableKeyword(func(s *Slice) **api.Severity { return &s.Severity }),
		facets: []facet{{kind: 'v', by: BySeverity, none: true,
			selected: func(f *SliceFilter) []string { return texts(f.Severities) }}}},
	{column: "labels", cell: document(func(s *Slice) *[]string { return &s.Labels },
		func(v []string) bool { return len(v) == 0 }),
		facets: []facet{{kind: labelKind, by: ByLabel, values: func(s *Slice) []string { return orEmpty(s.Labels) },
			selected: func(f *SliceFilter) []string { return f.Labels }}}},
	{column: "reporter_type", cell: keyword(func(s *Slice) *string { return &s.Reporter.Type }), fixed: true},
	{column: "reporter_id", cell: nullableKeyword(func(s *Slice) **string { return &s.Reporter.ID }), fixed: true,
		facets: []facet{{kind: reporterKind, by: byReporter, selected: func(f *SliceFilter) []string { return f.Reporters }}}},
	// The name goes with the reporter, and not by what it contains.
	{column: "reporter_name", cell: freeText(func(s *Slice) *string { return &s.Reporter.Name }), fixed: true,
		bounded: true, kept: true},
	{column: "via", cell: document(func(s *Slice) **api.Via { return &s.Via }, isNil), fixed: true},
	{column: "visitor", cell: document(func(s *Slice) **api.Visitor { return &s.Visitor }, isNil), fixed: true,
		facets: []facet{
			// reporter_id has the facet, and this value of it
			{kind: reporterKind, values: func(s *Slice) []string { return visitorMarks(s.Visitor) }, selected: noFilter},
			{kind: sourceKind, values: func(s *Slice) []string { return sourceOf(s.Visitor) },
				selected: textsOf("source")},
		}},
	{column: "assignee_id", cell: nullableKeyword(func(s *Slice) **string { return &s.AssigneeID }),
		facets: []facet{{kind: 'a', by: ByAssignee, none: true,
			selected: func(f *SliceFilter) []string { return f.Assignees }}}},
	{column: "source_url", cell: nullableFreeText(func(s *Slice) **string { return &s.SourceURL })},
	{column: "environment", cell: document(func(s *Slice) *api.Environment { return &s.Environment },
		func(v api.Environment) bool { return v == api.Environment{} }),
		facets: []facet{
			{kind: 'e', values: func(s *Slice) []string { return oneOf(s.Environment.Release) },
				selected: textsOf("release"), begins: releaseBegin,
				by: ByRelease},
			{kind: 'e', values: noValues, selected: textsOf("first-release"), begins: releaseBegin},
			{kind: 'j', values: func(s *Slice) []string { return someOf(s.LastRelease()) },
				selected: textsOf("last-release"), begins: lastReleaseBegin},
			{kind: 'b', values: func(s *Slice) []string { return oneOf(s.Environment.Browser) },
				selected: textsOf("browser"), begins: browserBegin, by: byBrowser},
			{kind: 'o', values: func(s *Slice) []string { return oneOf(s.Environment.OS) }, selected: textsOf("os"),
				begins: systemBegin, by: bySystem},
			{kind: 't', values: func(s *Slice) []string { return oneOf(s.Environment.Viewport) },
				selected: textsOf("viewport")},
		}},
	{column: "metadata", cell: document(func(s *Slice) *map[string]string { return &s.Metadata },
		func(v map[string]string) bool { return len(v) == 0 })},
	// Clients find their records by these identifiers, which they gave.
	{column: "external_id", cell: nullableFreeText(func(s *Slice) **string { return &s.ExternalID }), kept: true},
	{column: "fingerprint", cell: nullableFreeText(func(s *Slice) **string { return &s.Fingerprint }), fixed: true,
		kept:   true,
		facets: []facet{{kind: 'f', selected: textsOf("fingerprint")}}},
	{column: "duplicate_of_id", cell: nullableKeyword(func(s *Slice) **string { return &s.DuplicateOfID })},
	{column: "occurrence_count", cell: number(func(s *Slice) *int64 { return &s.OccurrenceCount })},
	{column: "last_seen_at", cell: moment(func(s *Slice) *api.Time { return &s.LastSeenAt })},
	{column: "last_occurrence", cell: document(func(s *Slice) **api.Occurrence { return &s.LastOccurrence }, isNil)},
	// The service writes the summary of what it redacted.
	{column: "redaction", cell: document(func(s *Slice) **api.Redaction { return &s.Redaction }, isNil), kept: true},
	{column: "removed", cell: document(func(s *Slice) *[]string { return &s.Removed },
		func(v []string) bool { return len(v) == 0 }), kept: true},
	{column: "symptoms", cell: freeText(func(s *Slice) *string { return &s.Symptoms }), fixed: true},
	{column: "releases", cell: document(func(s *Slice) *[]SeenRelease { return &s.Releases },
		func(v []SeenRelease) bool { return len(v) == 0 })},
	{column: "attachment_count", cell: number(func(s *Slice) *int64 { return &s.AttachmentCount })},
	{column: "comment_count", cell: number(func(s *Slice) *int64 { return &s.CommentCount })},
	{column: "evidence_console", cell: number(func(s *Slice) *int64 { return &s.Evidence.Console })},
	{column: "evidence_console_errors", cell: number(func(s *Slice) *int64 { return &s.Evidence.ConsoleErrors })},
	{column: "evidence_network", cell: number(func(s *Slice) *int64 { return &s.Evidence.Network })},
	{column: "evidence_failed_requests", cell: number(func(s *Slice) *int64 { return &s.Evidence.FailedRequests })},
	{column: "evidence_actions", cell: number(func(s *Slice) *int64 { return &s.Evidence.Actions })},
	{column: "evidence_replays", cell: number(func(s *Slice) *int64 { return &s.Evidence.Replays })},
	{column: "evidence_screenshots", cell: number(func(s *Slice) *int64 { return &s.Evidence.Screenshots })},
	{column: "evidence_videos", cell: number(func(s *Slice) *int64 { return &s.Evidence.Videos })},
	{column: "evidence_unreviewed", cell: number(func(s *Slice) *int64 { return &s.Evidence.Unreviewed })},
	{column: "version", cell: number(func(s *Slice) *int64 { return &s.Version }), fixed: true},
	{column: "created_at", cell: moment(func(s *Slice) *api.Time { return &s.CreatedAt }), fixed: true},
	{column: "updated_at", cell: moment(func(s *Slice) *api.Time { return &s.UpdatedAt })},
	{column: "resolved_at", cell: nullableMoment(func(s *Slice) **api.Time { return &s.ResolvedAt })},
	{column: "deleted_at", cell: nullableMoment(func(s *Slice) **api.Time { return &s.DeletedAt })},
}

// SliceDocuments are the columns of slices with JSON.
var SliceDocuments = members.columnsWith(func(m member) bool { return m.cell.content == documentContent })

// memberList is the members that a statement has, in its order.
type memberList []member

// of returns the members with these columns.
func (l memberList) of(columns ...string) memberList {
	some := make(memberList, len(columns))
	for i, column := range columns {
		some[i] = *l.member(column)
	}
	return some
}

// member returns the member with a column, which exists.
func (l memberList) member(column string) *member {
	return &l[slices.IndexFunc(l, func(m member) bool { return m.column == column })]
}

// columns returns the columns of the rows of a table.
func (l memberList) columns(table string) string {
	names := make([]string, len(l))
	for i, m := range l {
		names[i] = table + "." + m.column
	}
	return strings.Join(names, ", ")
}

// memberRow scans rows of members, one after the other.
type memberRow struct {
	members memberList
	values  []any // of the row that was scanned last
	targets []any
}

// row returns the memberRow of rows with the members, and with columns that rest gets.
func (l memberList) row(rest ...any) *memberRow {
	m := &memberRow{members: l, values: make([]any, len(l)), targets: make([]any, 0, len(l)+len(rest))}
	for i := range m.values {
		m.targets = append(m.targets, &m.values[i])
	}
	m.targets = append(m.targets, rest...)
	return m
}

func (m *memberRow) scan(r sqldb.Row) (s Slice, err error) {
	if err := r.Scan(m.targets...); err != nil {
		return s, err
	}
	for i, member := range m.members {
		if err := member.cell.set(&s, m.values[i]); err != nil {
			return s, fmt.Errorf("slice %s: %w", s.ID, &MemberError{member.column, err})
		}
	}
	return s, nil
}

// MemberError is a column whose text is no value of its member.
type MemberError struct {
	Column string
	Err    error
}

func (e *MemberError) Error() string { return "the column " + e.Column + ": " + e.Err.Error() }

func (e *MemberError) Unwrap() error { return e.Err }

// SliceOf returns the slice with the values of columns: texts, int64 and nil. A column without a value is empty. The
// error is a MemberError.
func SliceOf(values map[string]any) (s Slice, err error) {
	for _, m := range members {
		value, ok := values[m.column]
		if !ok && m.cell.content == documentContent {
			value, ok = "", true // an empty list or map, and not none
		}
		if ok {
			if err := m.cell.set(&s, value); err != nil {
				return s, &MemberError{m.column, err}
			}
		}
	}
	return s, nil
}

// values returns the values of a slice.
func (l memberList) values(s *Slice) ([]any, error) {
	values := make([]any, len(l))
	for i, m := range l {
		var err error
		if values[i], err = m.cell.value(s); err != nil {
			return nil, fmt.Errorf("slice %s: %w", s.ID, &MemberError{m.column, err})
		}
	}
	return values, nil
}

// insert returns the INSERT of one slice with the values of the members.
func (l memberList) insert() string {
	names, marks := make([]string, len(l)), make([]string, len(l))
	for i, m := range l {
		names[i], marks[i] = m.column, "$"+strconv.Itoa(i+1)
	}
	return "INSERT INTO slices (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")"
}

func (m member) isCharged() bool {
	return (m.cell.content == textContent || m.cell.content == documentContent) && !m.bounded
}

// bytes returns the size of a slice with the values of the members.
func (l memberList) bytes(values []any) int64 {
	n := int64(rowBytes)
	for i, m := range l {
		if text, ok := values[i].(string); ok && m.isCharged() {
			n += int64(len(text))
		}
	}
	return n
}

// size is the size of a slice in SQL, as bytes returns it.
func (l memberList) size() string {
	size := strconv.Itoa(rowBytes)
	for _, m := range l {
		switch {
		case m.isCharged() && m.cell.nullable:
			size += " + COALESCE(octet_length(" + m.column + "), 0)"
		case m.isCharged():
			size += " + octet_length(" + m.column + ")"
		}
	}
	return size
}

// columnsWith returns the columns of the members that are selected.
func (l memberList) columnsWith(selected func(member) bool) (columns []string) {
	for _, m := range l {
		if selected(m) {
			columns = append(columns, m.column)
		}
	}
	return columns
}

// erased returns the columns of a kind in which an erasure replaces what they have of a user.
func (l memberList) erased(kind content) []string {
	return l.columnsWith(func(m member) bool { return m.cell.content == kind && !m.kept })
}

// visitorMarks returns the reporter of slices that a visitor filed.
func visitorMarks(v *api.Visitor) []string {
	if v == nil {
		return nil
	}
	return []string{"visitor"}
}

// sourceOf returns the id and the name of the source by which a visitor filed a slice.
func sourceOf(v *api.Visitor) []string {
	if v == nil {
		return nil
	}
	return append(someOf(v.SourceID), v.SourceName)
}

// noFilter selects no values of a facet that another facet of its kind selects.
func noFilter(*SliceFilter) []string { return nil }

// noValues is the values of a facet that another facet of its kind has.
func noValues(*Slice) []string { return nil }

// LastRelease returns the release that the newest report of a slice names, nil for none.
func (s *Slice) LastRelease() *string {
	if s.LastOccurrence != nil {
		return s.LastOccurrence.Environment.Release
	}
	return s.Environment.Release
}

// textsOf returns the function that selects the values of a filter by texts.
func textsOf(word string) func(*SliceFilter) []string {
	return func(f *SliceFilter) []string { return f.Texts[word] }
}
