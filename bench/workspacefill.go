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
	filledMembers   = 50
	filledSpaces    = 20
	filledReleases  = 40
	filledLabels    = 30
	filledWords     = 30_000
	filledPeriod    = 2 * 365 * 24 * time.Hour
	filledCustomers = 2000 // values of the metadata
	manyReports     = 5000 // occurrences of one slice

	filledStatistics = 200_000   // slices of an instance that are in the statistics; of more, their labels are counted
	filledJournal    = 1_000_000 // newest slices that have an event, occurrences, comments and files
)

// filled names what is in the workspaces that were filled, and in the first of them, which has half of the slices.
// The members are samples, in the order of creation.
type filled struct {
	Organization, Workspace, Key string
	Workspaces                   []string // the first one is Workspace
	Members                      []string // of each workspace
	Spaces                       [][]string
	Labels, Words                []string // the most frequent first
	Releases                     []string
	Slices                       []string // that are not deleted
	Numbers                      []int    // of these
	Fingerprints                 []string
	ManyReports                  string // the slice with the most occurrences
	Open                         string // the fingerprint of an open slice
	Begin                        time.Time
}

// fill writes n slices into the workspaces of an instance without slices that is not served: with the rows and the
// counters that the server would have written, and with the indexes of the present schema, which are created after
// the rows.
func fill(ctx context.Context, o options, in instance, workspaces []string, n int) (w filled, err error) {
	f, err := in.filler(ctx, o)
	if err != nil {
		return w, err
	}
	w.Workspace, w.Workspaces = workspaces[0], workspaces
	names, err := f.query("SELECT org_id || ' ' || key FROM workspaces WHERE id = '" + w.Workspace + "'")
	if err != nil || len(names) != 1 {
		return w, errors.Join(err, errors.New("the instance has no such workspace"))
	}
	w.Organization, w.Key, _ = strings.Cut(names[0], " ")
	indexes, err := dropIndexes(f, filledTables)
	if err != nil {
		return w, err
	}
	progress("%s: write %d slices", in.name, n)
	g := newGenerator(n, &w)
	if err := errors.Join(g.fillMembers(f), g.fillSlices(f, n), g.fillLabels(f), f.restart()); err != nil {
		return w, err
	}
	progress("%s: write what follows from them", in.name)
	for _, statement := range slices.Concat(derivedRows, g.counters()) {
		statement = strings.ReplaceAll(statement, "$after", fmt.Sprint(max(n-filledJournal, 0)))
		if err := f.exec(statement); err != nil {
			return w, fmt.Errorf("%s: %w", statement, err)
		}
	}
	if n <= filledStatistics {
		if err := f.exec("INSERT INTO pending_backfills (name) VALUES ('statistics')"); err != nil {
			return w, err
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

// dropIndexes drops the indexes of tables and returns the statements that create them.
func dropIndexes(f filler, tables []string) (statements []string, err error) {
	for _, table := range tables {
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

// derivedRows write what follows from the slices behind the row $after: rows of other tables. The index is left to
// the program, and so are the statistics of at most filledStatistics slices.
var derivedRows = []string{
	`INSERT INTO occurrences (slice_id, number, reporter_type, reporter_id, reporter_name, environment, external_id, metadata, created_at)
		SELECT id, 1, reporter_type, reporter_id, reporter_name, environment, external_id, metadata, created_at FROM slices
		WHERE row > $after ORDER BY row`,
	filledAttachments("1", "console", "evidence_console", "evidence_console_errors"),
	filledAttachments("2", "network", "evidence_network", "evidence_failed_requests"),
	filledAttachments("3", "actions", "evidence_actions", "0"),
	filledAttachments("4", "replay", "evidence_replays", "0"),
	filledAttachments("5", "screenshot", "evidence_screenshots", "0"),
	filledAttachments("6", "video", "evidence_videos", "0"),
	`INSERT INTO comments (id, slice_id, body, author_type, author_name, created_at, updated_at)
		SELECT 'cmt_' || substr(id, 5), id, 'It happens to me as well, with the same basket.', 'user', 'Member', created_at, created_at
		FROM slices WHERE row > $after AND comment_count > 0 ORDER BY row`,
	`INSERT INTO events (id, org_id, workspace_id, sequence, type, actor_type, actor_id, subject_kind, subject_id, data, created_at)
		SELECT 'evt_' || substr(s.id, 5), w.org_id, w.id, w.last_sequence + s.number, 'slice.created', 'user', s.reporter_id, 'slice', s.id,
			'{"id":"' || s.id || '"}', s.created_at FROM slices s JOIN workspaces w ON w.id = s.workspace_id WHERE s.row > $after
		ORDER BY s.row`,
}

// counters returns the statements that set the counters of the workspaces. The stored bytes are an estimate.
func (g *generator) counters() (all []string) {
	for i, n := range g.filed {
		all = append(all, fmt.Sprintf("UPDATE workspaces SET last_number = %d, last_sequence = last_sequence + %[1]d, "+
			"stored = stored + CAST(%[1]d AS BIGINT) * 3000 WHERE id = '%s'", n, g.Workspaces[i]))
	}
	return all
}

// filledAttachments returns the statement that writes an attachment of a kind to each slice with evidence of it. The
// digit makes the ids distinct.
func filledAttachments(digit, kind, count, faults string) string {
	return fmt.Sprintf(`INSERT INTO attachments (id, slice_id, workspace_id, kind, name, content_type, size, sha256, blob, packed, stored,
			entries, faults, creator_type, creator_id, creator_name, created_at, occurrence)
		SELECT 'att_' || substr(id, 5, 25) || '%s', id, workspace_id, '%s', '%[2]s', 'application/octet-stream', 100, '',
			'blb_' || substr(id, 5, 25) || '%[1]s', 1, 100, CASE WHEN '%[2]s' IN ('screenshot', 'video') THEN NULL ELSE %s END, %s,
			reporter_type, reporter_id, reporter_name, created_at, 1
		FROM slices WHERE row > $after AND %[3]s > 0 ORDER BY row`, digit, kind, count, faults)
}

// generator creates the same rows on each run, apart from the day on which they end.
type generator struct {
	*rand.Rand
	*filled
	step  time.Duration // between two slices
	filed []int         // slices of each workspace

	labelled map[labelled]int

	sampled int // becomes n when a slice is to be a sample
	zipf    struct{ words, labels, fingerprints, customers, few *rand.Zipf }
}

func newGenerator(n int, w *filled) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(13, 2026)), filled: w, step: filledPeriod / time.Duration(n)}
	g.Begin = time.Now().UTC().Truncate(24 * time.Hour).Add(-filledPeriod)
	g.filed, g.labelled = make([]int, len(w.Workspaces)), map[labelled]int{}
	g.zipf.words = rand.NewZipf(g.Rand, 1.1, 8, filledWords-1)
	g.zipf.labels = rand.NewZipf(g.Rand, 1.4, 2, filledLabels-1)
	g.zipf.fingerprints = rand.NewZipf(g.Rand, 1.2, 3, 4999)
	g.zipf.customers = rand.NewZipf(g.Rand, 1.2, 3, filledCustomers-1)
	g.zipf.few = rand.NewZipf(g.Rand, 1.5, 1, 19)
	for i := range filledWords {
		w.Words = append(w.Words, word(i))
	}
	for i := range filledLabels {
		w.Labels = append(w.Labels, fmt.Sprintf("%s-%d", word(i*7), i))
	}
	for i := range filledReleases {
		w.Releases = append(w.Releases, fmt.Sprintf("%d.%d.%d", 2024+i/20, i%20, g.IntN(5)))
	}
	for range filledMembers {
		w.Members = append(w.Members, g.id("usr", g.Begin))
	}
	for range w.Workspaces {
		var spaces []string
		for range filledSpaces {
			spaces = append(spaces, g.id("spc", g.Begin))
		}
		w.Spaces = append(w.Spaces, spaces)
	}
	return g
}

// word returns the word of a rank. Frequent words are short.
func word(rank int) string {
	syllables := []string{"ka", "lo", "mi", "ter", "su", "ban", "del", "fi", "ron", "ge", "pa", "vix", "ne", "qua",
		"zo", "hul"}
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
	at := g.Begin.UnixMilli()
	users, err := f.table("users", "id", "org_id", "email", "name", "role", "password_hash", "created_at")
	if err != nil {
		return err
	}
	for i, id := range g.Members {
		name := capital(word(i*31)) + " " + capital(word(i*57))
		if err := users.add(id, g.Organization, fmt.Sprintf("m%d@example.com", i), name, "member", "", at); err != nil {
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
	for _, w := range g.Workspaces {
		for _, id := range g.Members {
			if err := members.add(w, id, "member", at); err != nil {
				return err
			}
		}
	}
	if err := members.close(); err != nil {
		return err
	}
	spaces, err := f.table("spaces", "id", "workspace_id", "name", "created_at", "updated_at")
	if err != nil {
		return err
	}
	for i, w := range g.Workspaces {
		for n, id := range g.Spaces[i] {
			if err := spaces.add(id, w, fmt.Sprintf("Space %d", n), at, at); err != nil {
				return err
			}
		}
	}
	return spaces.close()
}
