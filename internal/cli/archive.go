package cli

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"bugslice/internal/store"
)

// archive is an export that is read. Whatever stands in it, little of it is in memory at once.
type archive struct {
	z         *zip.ReadCloser
	manifest  exportManifest
	workspace store.Record
	files     map[string]*zip.File
}

// Bounds of an export. A record of a version of this program has less than half of a line.
const (
	maxDescription = 1 << 20 // bytes of export.json
	maxRecord      = 4 << 20 // bytes of a line
	maxColumns     = 100
)

// Bounds of one transaction. Files are stored just before the records that name them, so that
// nobody takes them for orphans.
const (
	importBatch = 100
	fileBatch   = 10
	batchBytes  = 4 << 20
)

// openArchive opens an export that holds as much as it says.
func openArchive(file string) (*archive, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s is no export: %w; issues of GitHub come with --github OWNER/REPOSITORY", file, err)
	}
	a := &archive{z: z, files: map[string]*zip.File{}}
	if err := a.begin(file); err != nil {
		return nil, errors.Join(err, z.Close())
	}
	if err := a.complete(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is damaged: %w; nothing was imported", file, err), z.Close())
	}
	return a, nil
}

// begin reads what an export is of.
func (a *archive) begin(file string) error {
	err := readDescription(a.z, exportName, &a.manifest)
	if errors.Is(err, fs.ErrNotExist) {
		if readDescription(a.z, manifestName, &manifest{}) == nil {
			return fmt.Errorf("%s is a backup, and no export of a workspace: bugslice restore takes it", file)
		}
		return fmt.Errorf("%s is no export: it has no %s", file, exportName)
	}
	if err != nil {
		return fmt.Errorf("%s is no export: %s: %w", file, exportName, err)
	}
	if a.manifest.Format != exportFormat || a.manifest.ID == "" {
		return fmt.Errorf("%s is an export of format %d, which this version does not read", file, a.manifest.Format)
	}
	return nil
}

// complete refuses an export that holds other than what export.json says, and reads its workspace.
func (a *archive) complete() error {
	seen := map[string]bool{}
	for _, f := range a.z.File {
		if seen[f.Name] {
			return fmt.Errorf("it holds %s twice", shortened(f.Name))
		}
		seen[f.Name] = true
		if key, ok := strings.CutPrefix(f.Name, blobsDir); ok {
			a.files[key] = f
		}
	}
	named := map[string]bool{}
	found := map[string]int{}
	for _, table := range store.ExportTables() {
		err := a.lines(table, func(line []byte) error {
			found[table]++
			if table == "attachments" {
				nameFiles(line, named)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, table := range slices.Sorted(maps.Keys(a.manifest.Records)) {
		if want := a.manifest.Records[table]; found[table] != want {
			return fmt.Errorf("%s says that there are %d %s, and there are %d", exportName, want, shortened(table), found[table])
		}
		delete(found, table)
	}
	for table, n := range found {
		return fmt.Errorf("%s says nothing of %s, and there are %d", exportName, table, n)
	}
	if err := a.sameFiles(named); err != nil {
		return err
	}
	return a.lines(store.ExportTables()[0], func(line []byte) (err error) {
		a.workspace, err = readRecord(line)
		return err
	})
}

// nameFiles adds the files that the record of an attachment names. One that cannot be read is refused
// when it is imported.
func nameFiles(line []byte, named map[string]bool) {
	r, err := readRecord(line)
	for _, column := range []string{"blob", "thumbnail"} {
		if key, ok := r[column].(string); ok && err == nil {
			named[key] = true
		}
	}
}

// sameFiles refuses other files than records name. Files that were deleted while the export was
// written are missing, and were not counted.
func (a *archive) sameFiles(named map[string]bool) error {
	var missing, stray []string
	for key := range named {
		if a.files[key] == nil {
			missing = append(missing, key)
		}
	}
	for key := range a.files {
		if !named[key] {
			stray = append(stray, key)
		}
	}
	switch {
	case len(a.files) < a.manifest.Blobs:
		return fmt.Errorf("%s says that there are %d files, and there are %d; missing are %s",
			exportName, a.manifest.Blobs, len(a.files), listed(missing))
	case len(a.files) > a.manifest.Blobs:
		return fmt.Errorf("%s says that there are %d files, and there are %d", exportName, a.manifest.Blobs, len(a.files))
	case len(stray) > 0:
		return fmt.Errorf("it holds files that no record names: %s", listed(stray))
	}
	return nil
}

// count is how many records there are to import.
func (a *archive) count() (n int) {
	for _, table := range store.ExportTables()[1:] {
		n += a.manifest.Records[table]
	}
	return n
}

// open returns the bytes of a file.
func (a *archive) open(key string) (io.ReadCloser, error) {
	if f, ok := a.files[key]; ok {
		return f.Open()
	}
	return nil, fs.ErrNotExist
}

// each reads the records of a table, some at a time.
func (a *archive) each(table string, fn func([]store.Record) error) error {
	size, held := importBatch, 0
	if table == "attachments" {
		size = fileBatch
	}
	var batch []store.Record
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		all := batch
		batch, held = nil, 0
		return fn(all)
	}
	err := a.lines(table, func(line []byte) error {
		if held += len(line); held > batchBytes || len(batch) >= size {
			if err := flush(); err != nil {
				return err
			}
			held = len(line)
		}
		r, err := readRecord(line)
		if err != nil {
			return fmt.Errorf("%s %s: %w", table, shortened(fmt.Sprint(r["id"])), err)
		}
		batch = append(batch, r)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// lines shows the lines of a table. A line is not kept.
func (a *archive) lines(table string, fn func([]byte) error) error {
	f, err := a.z.Open(recordsDir + table + ".ndjson")
	if errors.Is(err, fs.ErrNotExist) { // an export of before there was this table
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(make([]byte, 64<<10), maxRecord)
	for in.Scan() {
		if line := bytes.TrimSpace(in.Bytes()); len(line) > 0 {
			if err := fn(line); err != nil {
				return err
			}
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s: a record has more than %d MiB", table, maxRecord>>20)
	}
	if in.Err() != nil {
		return fmt.Errorf("%s: %w", table, in.Err())
	}
	return nil
}

// readRecord reads a record: texts, numbers and nulls by their columns. What it read until there was
// a fault is answered, too.
func readRecord(line []byte) (store.Record, error) {
	r := store.Record{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return r, errors.New("a record must be a JSON object")
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return r, err
		}
		value, err := d.Token()
		if err != nil {
			return r, err
		}
		column, _ := name.(string)
		if _, nested := value.(json.Delim); nested {
			return r, fmt.Errorf("/%s must be text, a whole number or null", shortened(column))
		}
		if _, twice := r[column]; twice || len(r) == maxColumns {
			return r, fmt.Errorf("a record must have at most %d members of different names", maxColumns)
		}
		r[column] = value
	}
	if _, err := d.Token(); err != nil {
		return r, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("a record must end with its line")
	}
	return r, nil
}

// readDescription reads what a zip file is of.
func readDescription(z *zip.ReadCloser, name string, v any) error {
	f, err := z.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxDescription+1))
	if err == nil && len(text) > maxDescription {
		err = fmt.Errorf("it has more than %d MiB", maxDescription>>20)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// mostListed is how many things one message names.
const mostListed = 20

// listed names things in a sentence.
func listed(all []string) string {
	slices.Sort(all)
	short := make([]string, min(len(all), mostListed))
	for i := range short {
		short[i] = shortened(all[i])
	}
	text := strings.Join(short, ", ")
	if more := len(all) - len(short); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shortened cuts a value of a file for a message. What a terminal would obey, and what is no text, is replaced.
func shortened(text string) string {
	const most = 100
	cut := text
	if len(text) > most {
		cut = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, cut)
}
