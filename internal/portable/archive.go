package portable

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"bugslice/internal/store"
	"bugslice/internal/tracker"
)

// Archive reads an export. Only a small part of it is in memory at once.
type Archive struct {
	z         *zip.ReadCloser
	manifest  Manifest
	workspace []byte // its record
	files     map[string]*zip.File
}

// Bounds of one transaction.
const (
	recordBatch = 100
	fileBatch   = 10
	batchBytes  = 4 << 20
)

// OpenArchive opens an export that holds as much as it says.
func OpenArchive(file string) (*Archive, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s is no export: %w; issues of GitHub come with --github OWNER/REPOSITORY", file, err)
	}
	a := &Archive{z: z, files: map[string]*zip.File{}}
	if err := a.readManifest(file); err != nil {
		return nil, errors.Join(err, z.Close())
	}
	if err := a.checkContents(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is damaged: %w; nothing was imported", file, err), z.Close())
	}
	return a, nil
}

// Close closes the file.
func (a *Archive) Close() error { return a.z.Close() }

// readManifest reads the manifest of an export. It refuses a backup, and an export of another format.
func (a *Archive) readManifest(file string) error {
	err := readDescription(a.z, exportManifestName, &a.manifest)
	if isMissing(err) {
		if hasEntry(a.z, backupManifestName) {
			return fmt.Errorf("%s is a backup, and no export of a workspace: bugslice restore takes it", file)
		}
		return fmt.Errorf("%s is no export: it has no %s", file, exportManifestName)
	}
	if err != nil {
		return fmt.Errorf("%s is no export: %s: %w", file, exportManifestName, err)
	}
	if a.manifest.Format != exportFormat || a.manifest.ID == "" {
		return fmt.Errorf("%s is an export of format %d, which this version does not read", file, a.manifest.Format)
	}
	return nil
}

// formerTable has the labels of slices, in exports of versions without the index of terms. They are in the rows of
// the slices, too.
const formerTable = "slice_labels"

// checkContents refuses an export whose records and files differ from the counts in export.json, and reads its
// workspace.
func (a *Archive) checkContents() error {
	seen := map[string]bool{}
	for _, f := range a.z.File {
		if seen[f.Name] {
			return fmt.Errorf("it holds %s twice", Printable(f.Name))
		}
		seen[f.Name] = true
		if key, ok := strings.CutPrefix(f.Name, blobsDir); ok {
			a.files[key] = f
		}
	}
	named, rowCounts := map[string]bool{}, map[string]int{} // the files that records name, and the rows of each table
	for _, table := range append(store.ExportTables(), formerTable) {
		err := a.lines(table, func(line []byte) error {
			rowCounts[table]++
			switch table {
			case "workspaces":
				a.workspace = bytes.Clone(line)
				_, err := readRow[workspaceRow](line)
				return wrapRecord(table, rowID(line), err)
			case "attachments":
				nameFiles(line, named)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := a.checkCounts(rowCounts); err != nil {
		return err
	}
	return a.checkFiles(named)
}

func (a *Archive) checkCounts(found map[string]int) error {
	for _, table := range slices.Sorted(maps.Keys(a.manifest.Records)) {
		if want := a.manifest.Records[table]; found[table] != want {
			return fmt.Errorf("%s says that there are %d %s, and there are %d", exportManifestName, want,
				Printable(table), found[table])
		}
		delete(found, table)
	}
	for table, n := range found {
		return fmt.Errorf("%s says nothing of %s, and there are %d", exportManifestName, table, n)
	}
	return nil
}

// nameFiles adds the files that the record of an attachment names. The import refuses a record that cannot be read.
func nameFiles(line []byte, named map[string]bool) {
	var row struct{ Blob, Thumbnail *string }
	if json.Unmarshal(line, &row) != nil {
		return
	}
	for _, key := range []*string{row.Blob, row.Thumbnail} {
		if key != nil {
			named[*key] = true
		}
	}
}

// checkFiles refuses an archive with more or fewer files than its manifest counts, or with a file that no record names.
// A record may name a missing file: one that was deleted while the export was written, which the manifest does not
// count.
func (a *Archive) checkFiles(named map[string]bool) error {
	var missing, unnamed []string
	for key := range named {
		if a.files[key] == nil {
			missing = append(missing, key)
		}
	}
	for key := range a.files {
		if !named[key] {
			unnamed = append(unnamed, key)
		}
	}
	switch want := a.manifest.Blobs; {
	case len(a.files) < want:
		return fmt.Errorf("%s says that there are %d files, and there are %d; missing are %s",
			exportManifestName, want, len(a.files), List(missing))
	case len(a.files) > want:
		return fmt.Errorf("%s says that there are %d files, and there are %d", exportManifestName, want, len(a.files))
	case len(unnamed) > 0:
		return fmt.Errorf("it holds files that no record names: %s", List(unnamed))
	}
	return nil
}

// Count is how many records there are to import.
func (a *Archive) Count() (n int) {
	for _, table := range store.ExportTables()[1:] {
		n += a.manifest.Records[table]
	}
	return n
}

// Begin begins to import the export, as the function Begin does.
func (a *Archive) Begin(ctx context.Context, o tracker.OrganizationOperator, options ImportOptions) (*Import, error) {
	options.ArchiveID = a.manifest.ID
	return Begin(ctx, o, options, a.workspace)
}

// ImportAll imports all records by an import that was begun. progress is called with the number of records after
// each batch.
func (a *Archive) ImportAll(ctx context.Context, im *Import, progress func(n int)) (ImportReport, error) {
	for _, table := range store.ExportTables()[1:] {
		err := a.batches(table, func(lines [][]byte) error {
			defer progress(len(lines))
			return im.Records(ctx, table, lines, a.open)
		})
		if err != nil {
			return ImportReport{}, err
		}
	}
	return im.Finish(ctx)
}

// open returns the bytes of a file.
func (a *Archive) open(key string) (io.ReadCloser, error) {
	if f, ok := a.files[key]; ok {
		return f.Open()
	}
	return nil, fs.ErrNotExist
}

// batches calls fn for each batch of the rows of a table, in order. A batch has at most recordBatch rows, of
// attachments fileBatch, and at most batchBytes bytes unless it has only one row.
func (a *Archive) batches(table string, fn func(lines [][]byte) error) error {
	maxRows, size := recordBatch, 0
	if table == "attachments" {
		maxRows = fileBatch
	}
	var lines [][]byte
	flush := func() error {
		if len(lines) == 0 {
			return nil
		}
		all := lines
		lines, size = nil, 0
		return fn(all)
	}
	err := a.lines(table, func(line []byte) error {
		if size+len(line) > batchBytes || len(lines) >= maxRows {
			if err := flush(); err != nil {
				return err
			}
		}
		lines, size = append(lines, bytes.Clone(line)), size+len(line)
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// lines calls fn for the lines of a table that are not empty, and returns its error unchanged.
func (a *Archive) lines(table string, fn func(line []byte) error) error {
	var fnErr error // unlike an error of reading, it does not name the table
	err := eachLine(a.z, recordsDir+table+".ndjson", func(line []byte) error {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			fnErr = fn(line)
		}
		return fnErr
	})
	switch {
	case fnErr != nil:
		return fnErr
	case isMissing(err): // an export of before there was this table
		return nil
	case err != nil:
		return fmt.Errorf("%s: %w", table, err)
	}
	return nil
}
