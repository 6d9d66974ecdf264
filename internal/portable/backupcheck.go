package portable

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"bugslice/internal/evidence"
)

// backupCheck finds what a backup lacks, and what in it is other than it was written.
type backupCheck struct {
	z        *zip.ReadCloser
	entries  map[string]*zip.File
	contents map[string]content // of format 2
	faults   map[string]string  // by the names of entries
	named    map[string]bool    // keys that records name
	losses   []string           // files of slices that are lost
	lost     map[string]bool    // their keys
}

const isTwice = "is there twice"

// checkBackup reads all of a backup, and changes nothing.
func checkBackup(z *zip.ReadCloser, format int) (*backupCheck, error) {
	c := &backupCheck{z: z, entries: map[string]*zip.File{}, faults: map[string]string{}, lost: map[string]bool{},
		named: map[string]bool{}}
	for _, f := range z.File {
		if c.entries[f.Name] != nil {
			c.faults[f.Name] = isTwice
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
			c.addFault(name, c.checkEntry(f))
		}
	}
	if c.faults[attachmentsTable] != "" || c.entries[attachmentsTable] == nil {
		return c, nil
	}
	return c, c.checkFiles()
}

func (c *backupCheck) addFault(name string, err error) {
	if err != nil {
		c.faults[name] = err.Error()
	}
}

var errMissing = errors.New("is missing")

// readContents reads what the backup must hold.
func (c *backupCheck) readContents() error {
	c.contents = map[string]content{}
	return c.eachLine(contentsName, func(line []byte) error {
		var one content
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		if c.contents[one.Name] = one; c.entries[one.Name] == nil {
			c.addFault(one.Name, errMissing)
		}
		return nil
	})
}

func (c *backupCheck) eachLine(name string, fn func(line []byte) error) error {
	if c.entries[name] == nil {
		return errMissing
	}
	return eachLine(c.z, name, fn)
}

// earlyTables are the tables of backups of format 1, to which tables were added twice. A backup with a later table
// has all earlier ones.
var earlyTables = [][]string{
	{"organizations", "users", "workspaces", "memberships", "spaces", "slices", "api_keys", "key_tokens", "events"},
	{"webhooks", "webhook_secrets", "deliveries", "delivery_attempts"},
	{"comments", "attachments"},
}

// expectTables reports the tables that a backup of format 1 lacks. It has no list of its contents: its newest table
// tells which version wrote it, and that version wrote all earlier tables.
func (c *backupCheck) expectTables() {
	newest := 0 // group of tables that the backup has
	for name := range c.entries {
		table := strings.TrimSuffix(strings.TrimPrefix(name, tablesDir), ".ndjson")
		if strings.HasPrefix(name, filesDir) {
			table = "attachments"
		}
		newest = max(newest, slices.IndexFunc(earlyTables,
			func(group []string) bool { return slices.Contains(group, table) }))
	}
	for _, table := range slices.Concat(earlyTables[:newest+1]...) {
		if name := tablesDir + table + ".ndjson"; c.entries[name] == nil {
			c.addFault(name, errMissing)
		}
	}
}

// checkEntry reads an entry, and compares it with its checksum and with the list of contents where there is one.
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

// checkFiles compares the bytes of files with their records.
func (c *backupCheck) checkFiles() error {
	err := c.eachLine(attachmentsTable, func(line []byte) error {
		var r fileRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		if name := filesDir + r.Blob; c.faults[name] == "" {
			c.addFault(name, c.checkFile(name, r))
		}
		lost := fmt.Sprintf("%s of slice %s", Printable(r.Name), Printable(r.SliceID))
		c.nameFile(r.Blob, lost)
		if r.Thumbnail == nil {
			return nil
		}
		if name := filesDir + *r.Thumbnail; c.entries[name] == nil {
			c.addFault(name, errMissing)
		}
		c.nameFile(*r.Thumbnail, "the thumbnail of "+lost)
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", attachmentsTable, err)
	}
	if c.entries[submissionFilesTable] == nil {
		return nil
	}
	err = c.eachLine(submissionFilesTable, func(line []byte) error {
		var r fileRecord
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		c.nameWaiting(r.Blob)
		if r.Thumbnail != nil {
			c.nameWaiting(*r.Thumbnail)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", submissionFilesTable, err)
	}
	return nil
}

// nameWaiting notes that a report of a visitor that is not decided names a file.
func (c *backupCheck) nameWaiting(key string) {
	if name := filesDir + key; c.entries[name] == nil {
		c.addFault(name, errMissing)
	}
	c.nameFile(key, "a file of a report that waits")
}

// nameFile notes that a record names a file, and what is lost if anything is wrong with it.
func (c *backupCheck) nameFile(key, what string) {
	c.named[key] = true
	if fault := c.faults[filesDir+key]; fault != "" {
		c.lost[key] = true
		c.losses = append(c.losses, fmt.Sprintf("%s (%s%s %s)", what, filesDir, Printable(key), fault))
	}
}

// checkFile compares the size and the digest of a file with its record. The record of evidence has those of the
// unpacked lines.
func (c *backupCheck) checkFile(name string, r fileRecord) error {
	if c.entries[name] == nil {
		return errMissing
	}
	f, err := c.entries[name].Open()
	if err != nil {
		return err
	}
	defer f.Close()
	size, sum := int64(0), sha256.New()
	if r.Packed == 1 {
		err = evidence.EachLine(f, 0, func(line []byte) (bool, error) {
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

// err returns an error that lists the faults of a backup, at most maxListed; nil without faults. With acceptMissing
// it ignores faults of files.
func (c *backupCheck) err(acceptMissing bool) error {
	var files, others []string
	for name, fault := range c.faults {
		if strings.HasPrefix(name, filesDir) && fault != isTwice {
			files = append(files, Printable(name)+" "+fault)
		} else {
			others = append(others, Printable(name)+" "+fault)
		}
	}
	if len(others) == 0 && (acceptMissing || len(files) == 0) {
		return nil
	}
	slices.Sort(files)
	slices.Sort(others)
	all := slices.Concat(others, files)
	text := "it is damaged, and nothing was restored:"
	for _, fault := range all[:min(len(all), maxListed)] {
		text += "\n  " + fault
	}
	if more := len(all) - maxListed; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	if len(others) == 0 {
		text += "\n--accept-missing restores the rest, and lists what is lost."
	}
	return errors.New(text)
}
