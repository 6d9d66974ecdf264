package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// The sizes of a workspace that is filled beside its slices.
const (
	filledMembers  = 50
	filledSpaces   = 20
	filledReleases = 40
	filledLabels   = 30
	filledWords    = 30_000
	filledPeriod   = 2 * 365 * 24 * time.Hour
	manyReports    = 5000 // occurrences of one slice
)

// filled names what is in a workspace that was filled. The members are samples, in the order of creation.
type filled struct {
	organization, workspace, key string
	members, spaces              []string
	labels, words                []string // the most frequent first
	releases                     []string
	slices                       []string // that are not deleted
	numbers                      []int    // of these
	fingerprints                 []string
	manyReports                  string // the slice with the most occurrences
	open                         string // the fingerprint of an open slice
	begin                        time.Time
}

// fill writes n slices into the workspace of a new instance that is not served: with the rows and the counters that the server
// would have written, and with the indexes of the present schema, which are created after the rows.
func fill(ctx context.Context, o options, in instance, first bootstrapped, n int) (w filled, err error) {
	f, err := in.filler(ctx, o)
	if err != nil {
		return w, err
	}
	w.workspace = first.WorkspaceID
	names, err := f.query("SELECT org_id || ' ' || key FROM workspaces")
	if err != nil || len(names) != 1 {
		return w, errors.Join(err, errors.New("a new instance has one workspace"))
	}
	w.organization, w.key, _ = strings.Cut(names[0], " ")
	indexes, err := dropIndexes(f)
	if err != nil {
		return w, err
	}
	progress("%s: write %d slices", in.name, n)
	g := newGenerator(n, &w)
	if err := errors.Join(g.fillMembers(f), g.fillSlices(f, n), f.restart()); err != nil {
		return w, err
	}
	for _, statement := range derivedRows {
		if err := f.exec(strings.ReplaceAll(statement, "$workspace", "'"+w.workspace+"'")); err != nil {
			return w, fmt.Errorf("%s: %w", statement, err)
		}
	}
	progress("%s: create %d indexes", in.name, len(indexes))
	for _, statement := range indexes {
		if err := f.exec(statement); err != nil {
			return w, err
		}
	}
	return w, f.close()
}

// filledTables are the tables with many rows.
var filledTables = []string{"slices", "occurrences", "attachments", "comments", "events"}

// dropIndexes drops the indexes of the filled tables and returns the statements that create them.
func dropIndexes(f filler) (statements []string, err error) {
	for _, table := range filledTables {
		all, err := f.query(f.indexes() + "'" + table + "'")
		if err != nil {
			return nil, err
		}
		for _, index := range all {
			name, statement, _ := strings.Cut(index, " ")
			if err := f.exec("DROP INDEX " + name); err != nil {
				return nil, err
			}
			statements = append(statements, statement)
		}
	}
	return statements, nil
}

// derivedRows write what follows from the slices: rows of other tables, and the counters of the workspace. The statistics are
// left to a migration.
var derivedRows = []string{
	`INSERT INTO occurrences (slice_id, number, reporter_type, reporter_id, reporter_name, environment, external_id, metadata, created_at)
		SELECT id, 1, reporter_type, reporter_id, reporter_name, environment, external_id, metadata, created_at FROM slices ORDER BY id`,
	filledAttachments("1", "console", "evidence_console", "evidence_console_errors"),
	filledAttachments("2", "network", "evidence_network", "evidence_failed_requests"),
	filledAttachments("3", "actions", "evidence_actions", "0"),
	filledAttachments("4", "replay", "evidence_replays", "0"),
	filledAttachments("5", "screenshot", "evidence_screenshots", "0"),
	filledAttachments("6", "video", "evidence_videos", "0"),
	`INSERT INTO comments (id, slice_id, body, author_type, author_name, created_at, updated_at)
		SELECT 'cmt_' || substr(id, 5), id, 'It happens to me as well, with the same basket.', 'user', 'Member', created_at, created_at
		FROM slices WHERE comment_count > 0 ORDER BY id`,
	`INSERT INTO events (id, org_id, workspace_id, sequence, type, actor_type, actor_id, subject_kind, subject_id, data, created_at)
		SELECT 'evt_' || substr(s.id, 5), w.org_id, w.id, w.last_sequence + s.number, 'slice.created', 'user', s.reporter_id, 'slice', s.id,
			'{"id":"' || s.id || '"}', s.created_at FROM slices s JOIN workspaces w ON w.id = s.workspace_id ORDER BY s.id`,
	`UPDATE workspaces SET last_number = (SELECT max(number) FROM slices), last_sequence = (SELECT max(sequence) FROM events)
		WHERE id = $workspace`,
	`UPDATE workspaces SET stored = (SELECT CAST(sum(bytes) AS BIGINT) FROM (
		SELECT 256 + octet_length(summary) + COALESCE(octet_length(description), 0) + octet_length(labels)
			+ octet_length(environment) + octet_length(metadata) + octet_length(redaction) + octet_length(last_occurrence)
			+ octet_length(symptoms) + COALESCE(octet_length(source_url), 0) + COALESCE(octet_length(external_id), 0)
			+ COALESCE(octet_length(fingerprint), 0) AS bytes FROM slices
		UNION ALL SELECT 256 + octet_length(body) FROM comments
		UNION ALL SELECT 256 + stored FROM attachments
		UNION ALL SELECT 256 + octet_length(environment) + octet_length(metadata) + COALESCE(octet_length(external_id), 0) FROM occurrences
		UNION ALL SELECT 256 + octet_length(data) FROM events WHERE workspace_id = $workspace) AS r)
		WHERE id = $workspace`,
	"INSERT INTO pending_backfills (name) VALUES ('statistics')",
	"INSERT INTO slice_terms_build (after_row, until_row) SELECT 0, max(row) FROM slices",
}

// filledAttachments returns the statement that writes an attachment of a kind to each slice with evidence of it. The digit makes
// the ids distinct.
func filledAttachments(digit, kind, count, faults string) string {
	return fmt.Sprintf(`INSERT INTO attachments (id, slice_id, workspace_id, kind, name, content_type, size, sha256, blob, packed, stored,
			entries, faults, creator_type, creator_id, creator_name, created_at, occurrence)
		SELECT 'att_' || substr(id, 5, 25) || '%s', id, workspace_id, '%s', '%[2]s', 'application/octet-stream', 100, '',
			'blb_' || substr(id, 5, 25) || '%[1]s', 1, 100, CASE WHEN '%[2]s' IN ('screenshot', 'video') THEN NULL ELSE %s END, %s,
			reporter_type, reporter_id, reporter_name, created_at, 1
		FROM slices WHERE %[3]s > 0 ORDER BY id`, digit, kind, count, faults)
}

// generator creates the same rows on each run, apart from the day on which they end.
type generator struct {
	*rand.Rand
	*filled
	step time.Duration // between two slices
	zipf struct{ words, labels, fingerprints *rand.Zipf }
}

func newGenerator(n int, w *filled) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(13, 2026)), filled: w, step: filledPeriod / time.Duration(n)}
	g.begin = time.Now().UTC().Truncate(24 * time.Hour).Add(-filledPeriod)
	g.zipf.words = rand.NewZipf(g.Rand, 1.1, 8, filledWords-1)
	g.zipf.labels = rand.NewZipf(g.Rand, 1.4, 2, filledLabels-1)
	g.zipf.fingerprints = rand.NewZipf(g.Rand, 1.2, 3, 4999)
	for i := range filledWords {
		w.words = append(w.words, word(i))
	}
	for i := range filledLabels {
		w.labels = append(w.labels, fmt.Sprintf("%s-%d", word(i*7), i))
	}
	for i := range filledReleases {
		w.releases = append(w.releases, fmt.Sprintf("%d.%d.%d", 2024+i/20, i%20, g.IntN(5)))
	}
	for range filledMembers {
		w.members = append(w.members, g.id("usr", g.begin))
	}
	for range filledSpaces {
		w.spaces = append(w.spaces, g.id("spc", g.begin))
	}
	return g
}

// word returns the word of a rank. Frequent words are short.
func word(rank int) string {
	syllables := []string{"ka", "lo", "mi", "ter", "su", "ban", "del", "fi", "ron", "ge", "pa", "vix", "ne", "qua", "zo", "hul"}
	text := ""
	for n := rank + 16; n > 0; n /= 16 {
		text += syllables[n%16]
	}
	return text
}

// id returns an id of Bugslice with a time.
func (g *generator) id(prefix string, at time.Time) string {
	const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
	high, low := uint64(at.UnixMilli())<<16|0x7000|g.Uint64N(1<<12), g.Uint64()>>2|1<<63
	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = alphabet[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return prefix + "_" + string(out[:])
}

func (g *generator) fillMembers(f filler) error {
	at := g.begin.UnixMilli()
	users, err := f.table("users", "id", "org_id", "email", "name", "role", "password_hash", "created_at")
	if err != nil {
		return err
	}
	for i, id := range g.members {
		name := capital(word(i*31)) + " " + capital(word(i*57))
		if err := users.add(id, g.organization, fmt.Sprintf("m%d@example.com", i), name, "member", "", at); err != nil {
			return err
		}
	}
	if err := users.close(); err != nil {
		return err
	}
	members, err := f.table("memberships", "workspace_id", "user_id", "role", "created_at")
	if err != nil {
		return err
	}
	for _, id := range g.members {
		if err := members.add(g.workspace, id, "member", at); err != nil {
			return err
		}
	}
	if err := members.close(); err != nil {
		return err
	}
	spaces, err := f.table("spaces", "id", "workspace_id", "name", "created_at", "updated_at")
	if err != nil {
		return err
	}
	for i, id := range g.spaces {
		if err := spaces.add(id, g.workspace, fmt.Sprintf("Space %d", i), at, at); err != nil {
			return err
		}
	}
	return spaces.close()
}

// writers are the tables that fillSlices writes.
type writers struct{ slices, occurrences rows }

func (g *generator) fillSlices(f filler, n int) error {
	var w writers
	var errs [2]error
	w.slices, errs[0] = f.table("slices", strings.Fields(`row id workspace_id number space_id summary description status resolution priority
		severity labels reporter_type reporter_id reporter_name assignee_id source_url environment metadata fingerprint occurrence_count
		last_seen_at last_occurrence comment_count version created_at updated_at resolved_at deleted_at attachment_count evidence_console
		evidence_console_errors evidence_network evidence_failed_requests evidence_actions evidence_replays evidence_screenshots
		evidence_videos`)...)
	w.occurrences, errs[1] = f.table("occurrences", "slice_id", "number", "reporter_type", "reporter_id", "reporter_name", "environment",
		"metadata", "created_at")
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for i := range n {
		if err := g.writeSlice(w, i, n); err != nil {
			return err
		}
	}
	err := errors.Join(w.slices.close(), w.occurrences.close())
	if reset, ok := f.(postgresFiller); ok && err == nil {
		err = reset.exec("SELECT setval(pg_get_serial_sequence('slices', 'row'), (SELECT max(row) FROM slices))")
	}
	return err
}

// sentence returns words by their frequency.
func (g *generator) sentence(least, most int) string {
	all := make([]string, least+g.IntN(most-least+1))
	for i := range all {
		all[i] = g.words[g.zipf.words.Uint64()]
	}
	return strings.Join(all, " ")
}

// pick returns one of several values by their shares, and nil for the rest of 1,000.
func (g *generator) pick(shares ...any) any {
	at := g.IntN(1000)
	for i := 0; i < len(shares); i += 2 {
		if at -= shares[i+1].(int); at < 0 {
			return shares[i]
		}
	}
	return nil
}

func (g *generator) writeSlice(w writers, i, n int) error {
	created := g.begin.Add(time.Duration(i)*g.step + time.Duration(g.Int64N(int64(g.step))))
	id, createdAt := g.id("slc", created), created.UnixMilli()
	left := g.begin.Add(filledPeriod).Sub(created)
	updatedAt := createdAt + int64(float64(left.Milliseconds())*g.Float64()*g.Float64())
	status := g.pick("open", 60, "in_progress", 20, "resolved", 120, "closed", 800).(string)
	var resolution, resolvedAt, deletedAt, assignee, space, fingerprint any
	finished := status == "resolved" || status == "closed"
	if finished {
		resolution, resolvedAt = g.pick("fixed", 700, "wont_fix", 150, "duplicate", 100, "not_a_bug", 50), updatedAt
	}
	if g.IntN(2) == 0 {
		assignee = g.members[g.IntN(filledMembers)]
	}
	if g.IntN(10) < 7 {
		space = g.spaces[min(g.IntN(filledSpaces), g.IntN(filledSpaces))]
	}
	switch share := g.IntN(20); {
	case share < 2 && finished:
		fingerprint = fmt.Sprintf("regression-%d", g.zipf.fingerprints.Uint64())
	case share < 16:
		fingerprint = fmt.Sprintf("fp-%d", i)
	}
	if g.IntN(20) == 0 && i != n-1 {
		deletedAt = updatedAt
	}
	occurrences := g.occurrences(i, n)
	if i == n-1 { // the slice with the most reports
		status, resolution, resolvedAt, fingerprint = "open", nil, nil, "fp-many"
		g.manyReports, g.open = id, "fp-many"
	}
	releaseJSON := "null"
	if g.IntN(10) > 0 {
		name := g.releases[min(max(i*filledReleases/n-g.IntN(3), 0), filledReleases-1)]
		releaseJSON = `"` + name + `"`
	}
	const browser, os, viewport = "Firefox 144", "Windows 11", "1440x812"
	environment := `{"browser":"` + browser + `","os":"` + os + `","device":null,"viewport":"` + viewport + `","screen":null,` +
		`"devicePixelRatio":null,"locale":"sv-SE","timezone":null,"appVersion":null,"release":` + releaseJSON +
		`,"commit":null,"branch":null,"buildUrl":null}`
	reporter := g.members[g.IntN(filledMembers)]
	lastSeen, lastOccurrence := createdAt, ""
	if occurrences > 1 {
		const format = `{"at":"%s","reporterName":"Member","environment":%s,"externalId":null,"metadata":{}}`
		at := time.UnixMilli(updatedAt).UTC().Format("2006-01-02T15:04:05.000Z")
		lastSeen, lastOccurrence = updatedAt, fmt.Sprintf(format, at, environment)
	}
	for number := 2; number <= occurrences; number++ {
		at := createdAt + (updatedAt-createdAt)*int64(number)/int64(occurrences)
		if err := w.occurrences.add(id, number, "user", reporter, "Member", environment, "", at); err != nil {
			return err
		}
	}
	labels := g.labelsOfSlice()
	summary, description := g.sentence(4, 9), g.sentence(10, 30)
	if deletedAt == nil && i%(n/1000) == 0 {
		g.slices, g.numbers = append(g.slices, id), append(g.numbers, i+1)
		if text, ok := fingerprint.(string); ok {
			g.fingerprints = append(g.fingerprints, text)
		}
	}
	comments := 0
	if g.IntN(10) == 0 {
		comments = 1
	}
	priority := g.pick("urgent", 5, "high", 40, "medium", 150, "low", 100)
	severity := g.pick("critical", 5, "major", 95, "minor", 200, "trivial", 50)
	row := []any{i + 1, id, g.workspace, i + 1, space, summary, description, status, resolution, priority, severity, labels,
		"user", reporter, "Member", assignee, "https://shop.example.com/" + g.words[g.zipf.words.Uint64()], environment, "",
		fingerprint, occurrences, lastSeen, lastOccurrence, comments, 1, createdAt, updatedAt, resolvedAt, deletedAt}
	return w.slices.add(append(row, g.evidence()...)...)
}

// occurrences returns how often a slice was reported.
func (g *generator) occurrences(i, n int) int {
	switch {
	case i == n-1:
		return manyReports
	case i%(n/20) == n/40: // 20 slices
		return 1000 + g.IntN(3000)
	case g.IntN(100) == 0:
		return 2 + g.IntN(19)
	}
	return 1
}

// labelsOfSlice returns the column of the labels of a slice.
func (g *generator) labelsOfSlice() string {
	var all []string
	for range g.IntN(5) {
		if l := g.labels[g.zipf.labels.Uint64()]; !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return ""
	}
	return `["` + strings.Join(all, `","`) + `"]`
}

// evidence returns the count of the attachments of a slice, and of its evidence. Two thirds of the slices have none.
func (g *generator) evidence() []any {
	some := func(percent, most int) int {
		if g.IntN(100) < percent {
			return 1 + g.IntN(most)
		}
		return 0
	}
	if g.IntN(3) > 0 {
		return []any{0, 0, 0, 0, 0, 0, 0, 0, 0}
	}
	errors, failed := some(40, 5), some(15, 3)
	counts := []any{0, errors + some(80, 200), errors, failed + some(50, 100), failed, some(30, 40), some(15, 1), some(50, 1), some(3, 1)}
	for _, i := range []int{1, 3, 5, 6, 7, 8} { // those of kinds
		if counts[i] != 0 {
			counts[0] = counts[0].(int) + 1
		}
	}
	return counts
}

// capital returns a word of ASCII letters with a capital.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
