package cli

import (
	"archive/zip"
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"bugslice/internal/evidence"
)

// content is a line of contents.ndjson: what an entry of a backup must be.
type content struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// backupWriter writes the entries of a backup, and at last the list of them.
type backupWriter struct {
	z    *zip.Writer
	all  []content
	size int64
	sum  hash.Hash // of the newest entry

	missing []string // keys of files that records name and that the storage lacks
}

func (b *backupWriter) create(name string) (io.Writer, error) {
	b.end()
	w, err := b.z.Create(name)
	b.all, b.size, b.sum = append(b.all, content{Name: name}), 0, sha256.New()
	return io.MultiWriter(w, b), err
}

// Write counts what is written to the newest entry.
func (b *backupWriter) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	return b.sum.Write(p)
}

func (b *backupWriter) end() {
	if n := len(b.all); n > 0 {
		b.all[n-1].Size, b.all[n-1].SHA256 = b.size, hex.EncodeToString(b.sum.Sum(nil))
	}
}

// finish writes the list of the entries.
func (b *backupWriter) finish() error {
	b.end()
	w, err := b.z.Create(contentsName)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	for _, c := range b.all {
		if err := enc.Encode(c); err != nil {
			return err
		}
	}
	return nil
}

// backupCheck finds what is missing in a backup, or other than it was written.
type backupCheck struct {
	entries  map[string]*zip.File
	contents map[string]content // of format 2
	faults   map[string]string  // what is wrong, by the names of entries
	named    map[string]bool    // keys that records name
	losses   []string           // files of slices that are lost by it
	lost     map[string]bool    // and their keys
	instance string             // whose backup it is
}

// checkBackup reads all of a backup, and changes nothing.
func checkBackup(z *zip.ReadCloser, format int) (*backupCheck, error) {
	c := &backupCheck{entries: map[string]*zip.File{}, faults: map[string]string{}, lost: map[string]bool{}, named: map[string]bool{}}
	for _, f := range z.File {
		if c.entries[f.Name] != nil {
			c.faults[f.Name] = "is there twice"
		}
		c.entries[f.Name] = f
	}
	if format >= backupFormat {
		if err := c.readContents(); err != nil {
			return nil, fmt.Errorf("%s: %w", contentsName, err)
		}
	} else {
		c.expectTables()
	}
	for name, f := range c.entries {
		if name != contentsName && c.faults[name] == "" {
			c.fault(name, c.checkEntry(f))
		}
	}
	if c.faults[attachmentsTable] != "" || c.entries[attachmentsTable] == nil {
		return c, nil
	}
	return c, c.checkFiles()
}

func (c *backupCheck) fault(name string, err error) {
	if err != nil {
		c.faults[name] = err.Error()
	}
}

// readContents reads what the backup must hold. What it lacks is missing.
func (c *backupCheck) readContents() error {
	c.contents = map[string]content{}
	err := eachLine(c.entries[contentsName], func(line []byte) error {
		var one content
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		if c.contents[one.Name] = one; c.entries[one.Name] == nil {
			c.faults[one.Name] = "is missing"
		}
		return nil
	})
	return err
}

// earlyTables are the tables of backups of format 1, which grew twice: one that has a later table has
// all of the earlier ones.
var earlyTables = [][]string{
	{"organizations", "users", "workspaces", "memberships", "spaces", "slices", "slice_labels", "api_keys", "key_tokens", "events"},
	{"webhooks", "webhook_secrets", "deliveries", "delivery_attempts"},
	{"comments", "attachments"},
}

// expectTables finds out which tables a backup of format 1 lacks, which has no list of its contents.
func (c *backupCheck) expectTables() {
	last := 0
	for name := range c.entries {
		table := strings.TrimSuffix(strings.TrimPrefix(name, tablesDir), ".ndjson")
		if strings.HasPrefix(name, filesDir+"/") {
			table = "attachments"
		}
		last = max(last, slices.IndexFunc(earlyTables, func(group []string) bool { return slices.Contains(group, table) }))
	}
	for _, group := range earlyTables[:last+1] {
		for _, table := range group {
			if name := tablesDir + table + ".ndjson"; c.entries[name] == nil {
				c.faults[name] = "is missing"
			}
		}
	}
}

// checkEntry reads an entry, which is held against its checksum, and the list of contents where there is one.
func (c *backupCheck) checkEntry(f *zip.File) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, r)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	want, known := c.contents[f.Name]
	switch {
	case c.contents == nil:
		return nil
	case !known:
		return errors.New("is no part of this backup")
	case size != want.Size:
		return fmt.Errorf("has %d bytes, and had %d", size, want.Size)
	case hex.EncodeToString(sum.Sum(nil)) != want.SHA256:
		return errors.New("has another SHA-256 than it had")
	}
	return nil
}

// fileRecord is what the record of a file says of its bytes.
type fileRecord struct {
	SliceID   string  `json:"slice_id"`
	Name      string  `json:"name"`
	Blob      string  `json:"blob"`
	Thumbnail *string `json:"thumbnail"`
	Packed    int     `json:"packed"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256"`
}

// checkFiles holds the bytes of files against their records.
func (c *backupCheck) checkFiles() error {
	err := eachLine(c.entries[attachmentsTable], func(line []byte) error {
		var r fileRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if name := filesDir + "/" + r.Blob; c.faults[name] == "" {
			c.fault(name, c.checkFile(name, r))
		}
		c.lose(r.Blob, fmt.Sprintf("%s of slice %s", shortened(r.Name), shortened(r.SliceID)))
		if r.Thumbnail != nil {
			if name := filesDir + "/" + *r.Thumbnail; c.entries[name] == nil {
				c.faults[name] = "is missing"
			}
			c.lose(*r.Thumbnail, fmt.Sprintf("the thumbnail of %s of slice %s", shortened(r.Name), shortened(r.SliceID)))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", attachmentsTable, err)
	}
	return nil
}

// lose notes that a record names a file, and what is lost with it if anything is wrong with it.
func (c *backupCheck) lose(key, what string) {
	c.named[key] = true
	if why := c.faults[filesDir+"/"+key]; why != "" {
		c.lost[key] = true
		c.losses = append(c.losses, fmt.Sprintf("%s (%s/%s %s)", what, filesDir, shortened(key), why))
	}
}

func (c *backupCheck) checkFile(name string, r fileRecord) error {
	if c.entries[name] == nil {
		return errors.New("is missing")
	}
	f, err := c.entries[name].Open()
	if err != nil {
		return err
	}
	defer f.Close()
	size, sum := int64(0), sha256.New()
	if r.Packed == 1 {
		err = evidence.EachLine(f, func(line []byte) (bool, error) {
			size += int64(len(line)) + 1
			_, _ = sum.Write(append(line, '\n'))
			return true, nil
		})
	} else {
		size, err = io.Copy(sum, f)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot be read: %w", err)
	case size != r.Size:
		return fmt.Errorf("has %d bytes, and its record says %d", size, r.Size)
	case hex.EncodeToString(sum.Sum(nil)) != r.SHA256:
		return errors.New("has another SHA-256 than its record says")
	}
	return nil
}

// refused says what is wrong with a backup. With acceptMissing that is no fault of a file.
func (c *backupCheck) refused(acceptMissing bool) error {
	var files, others []string
	for name, why := range c.faults {
		if strings.HasPrefix(name, filesDir+"/") && why != "is there twice" {
			files = append(files, shortened(name)+" "+why)
		} else {
			others = append(others, shortened(name)+" "+why)
		}
	}
	if len(others) == 0 && (acceptMissing || len(files) == 0) {
		return nil
	}
	slices.Sort(files)
	slices.Sort(others)
	all := slices.Concat(others, files)
	text := "it is damaged, and nothing was restored:"
	for _, one := range all[:min(len(all), mostListed)] {
		text += "\n  " + one
	}
	if more := len(all) - mostListed; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	if len(others) == 0 {
		text += "\n--accept-missing restores the rest, and lists what is lost."
	}
	return errors.New(text)
}

// eachLine shows the lines of an entry.
func eachLine(f *zip.File, fn func([]byte) error) error {
	if f == nil {
		return errors.New("is missing")
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), maxRecord)
	for in.Scan() {
		if err := fn(in.Bytes()); err != nil {
			return err
		}
	}
	return cmp.Or(in.Err(), r.Close())
}
