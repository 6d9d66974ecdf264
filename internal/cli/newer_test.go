package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"bugslice/internal/assert"
	"bugslice/internal/cli"
	"bugslice/internal/store/storetest"
)

// TestNewerDatabase: a server that is older than its database serves, as while nodes are replaced one by one, and
// warns. A command that would miss tables that it does not know, such as a backup, is refused.
func TestNewerDatabase(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			driver, source, place := "sqlite", filepath.Join(dir, "bugslice.db"), []string{"--data", dir}
			if engine == "postgres" {
				url, err := storetest.Database()
				if err != nil {
					t.Fatal(err)
				}
				driver, source, place = "pgx", url, append(place, "--database-url", url)
			}
			run := func(args ...string) (code int, said string) {
				var out bytes.Buffer
				code = cli.Run(t.Context(), append(args, place...), nil, cli.Streams{Out: &out, Err: &out})
				return code, out.String()
			}
			if code, said := run("bootstrap", "--org", "Acme", "--email", "ada@acme.example", "--workspace",
				"Web"); code != 0 {
				t.Fatal(said)
			}
			db, err := sql.Open(driver, source)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.ExecContext(t.Context(),
				"INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)"); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			for _, command := range [][]string{{"backup", "--output", filepath.Join(dir, "b.zip")},
				{"admin", "user", "erase", "--email", "ada@acme.example"},
				{"admin", "key", "list"}} {
				code, said := run(command...)
				assert.Equal(t, command[0], code, 1)
				assert.Contains(t, command[0], said, "the database is at migration 99999", "use the newer program")
			}
			code, said := run("status")
			assert.Equal(t, "status", code, 0)
			assert.Contains(t, "status", said, "99999, newer than this program")
			log := startUntilServing(t, place)
			assert.Contains(t, "the log", log, `"level":"WARN","msg":"the database is at migration 99999`)
		})
	}
}

// startUntilServing runs serve until it listens, and returns its log of the start.
func startUntilServing(t *testing.T, place []string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, place...), nil,
			cli.Streams{Out: io.Discard, Err: w})
		_ = w.Close()
	}()
	var log strings.Builder
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), `"msg":"serving"`) {
			break
		}
	}
	stop()
	_, _ = io.Copy(io.Discard, r)
	if code := <-ended; code != 0 {
		t.Errorf("serve ends with %d: %s", code, log.String())
	}
	return log.String()
}
