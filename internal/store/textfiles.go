package store

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"bugslice/api"
	"bugslice/internal/store/sqldb"
)

// fileID matches the id of a file in a text.
var fileID = regexp.MustCompile(`att_[0-9a-hjkmnp-tv-z]{26}`)

// FindFiles returns the ids of files in a text, each as often as it is there.
func FindFiles(text string) []string { return fileID.FindAllString(text, -1) }

// onlyInTexts is the comment_id of a file that came for a text or that a comment has contained.
const onlyInTexts = "-"

// addTextFiles stores which files of a slice a text contains: of a comment, or of the description when commentID is
// empty. A file of a comment stays one that is shared only with a text that contains it.
func (tx *Tx) addTextFiles(sliceID, commentID string, text *string) error {
	if !strings.Contains(textOrEmpty(text), "att_") {
		return nil
	}
	ids := fileID.FindAllString(*text, -1)
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil
	}
	in := []string{commentID}
	if commentID != "" {
		in = append(in, onlyInTexts)
	}
	for _, comment := range in {
		if err := tx.insertTextFiles(sliceID, comment, ids); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) insertTextFiles(sliceID, commentID string, ids []string) error {
	var p sqldb.Params
	slice, comment := p.Add(sliceID), p.Add(commentID)
	return tx.db.Exec("INSERT INTO text_files (file_id, slice_id, comment_id) SELECT a.id, a.slice_id, "+comment+
		" FROM attachments a WHERE a.slice_id = "+slice+" AND a.id IN "+sqldb.In(&p, ids)+
		" ORDER BY a.id ON CONFLICT DO NOTHING",
		p.Args...)
}

// replaceTextFiles replaces which files of a slice a text contains.
func (tx *Tx) replaceTextFiles(sliceID, commentID string, text *string) error {
	if err := tx.db.Exec("DELETE FROM text_files WHERE slice_id = $1 AND comment_id = $2", sliceID,
		commentID); err != nil {
		return err
	}
	return tx.addTextFiles(sliceID, commentID, text)
}

// writtenText is a text of a slice: a comment, or the description when CommentID is empty.
type writtenText struct {
	sliceID, commentID string
	text               *string
}

func scanWrittenText(r sqldb.Row) (w writtenText, err error) {
	return w, r.Scan(&w.sliceID, &w.commentID, &w.text)
}

// addAllTextFiles stores the files that all texts contain.
func (tx *Tx) addAllTextFiles() error { return tx.forEachText(tx.addTextFiles) }

func (tx *Tx) forEachText(do func(sliceID, commentID string, text *string) error) error {
	const page = 1000
	for _, text := range []string{
		"SELECT id, '', description FROM slices WHERE id > $1 ORDER BY id LIMIT $2",
		"SELECT slice_id, id, body FROM comments WHERE id > $1 ORDER BY id LIMIT $2",
	} {
		for after := ""; ; {
			all, err := sqldb.List(tx.db, scanWrittenText, text, after, page)
			if err != nil {
				return err
			}
			for _, w := range all {
				if err := do(w.sliceID, w.commentID, w.text); err != nil {
					return err
				}
				if after = w.sliceID; w.commentID != "" {
					after = w.commentID
				}
			}
			if len(all) < page {
				break
			}
		}
	}
	return nil
}

// TextsWithFile are the texts of a slice that contain a file.
type TextsWithFile struct {
	Description bool
	Comments    []string // their ids, in order
	Only        bool     // whether a share shows the file only with such a text
}

// TextsWithFile returns the texts that contain a file.
func (q Queries) TextsWithFile(id string) (t TextsWithFile, err error) {
	all, err := sqldb.List(q.db, sqldb.ScanOne[string],
		"SELECT comment_id FROM text_files WHERE file_id = $1 ORDER BY comment_id", id)
	for _, comment := range all {
		switch comment {
		case "":
			t.Description = true
		case onlyInTexts:
			t.Only = true
		default:
			t.Comments = append(t.Comments, comment)
		}
	}
	return t, err
}

// SharedFiles says which files of a slice a share shows: of its kinds, those that a shared text contains, and those
// of an occurrence that came for no text and that no comment has contained.
type SharedFiles struct {
	SliceID    string
	Kinds      []api.AttachmentKind
	Occurrence int64
	Comments   bool   // whether comments are shared
	FileID     string // one file; empty for all
}

// SharedFiles returns at most limit files that a share shows, those of its occurrence first, by id.
func (q Queries) SharedFiles(f SharedFiles, limit int) ([]Attachment, error) {
	var p sqldb.Params
	where := "a.slice_id = " + p.Add(f.SliceID) + " AND a.kind IN " + sqldb.In(&p, f.Kinds)
	if f.FileID != "" {
		where += " AND a.id = " + p.Add(f.FileID)
	}
	shared := "= ''"
	if f.Comments {
		shared = "<> '" + onlyInTexts + "'"
	}
	occurrence := p.Add(f.Occurrence)
	return sqldb.List(q.db, scanAttachment, "SELECT "+attachmentColumns+" FROM attachments a WHERE "+where+
		" AND (EXISTS (SELECT 1 FROM text_files f WHERE f.file_id = a.id AND f.comment_id "+shared+`)
			OR a.occurrence = `+occurrence+" AND "+ofNoComment+`)
		ORDER BY CASE WHEN a.occurrence = `+occurrence+" THEN 0 ELSE 1 END, a.id LIMIT "+p.Add(limit), p.Args...)
}

const ofNoComment = "NOT EXISTS (SELECT 1 FROM text_files o WHERE o.file_id = a.id AND o.comment_id = '" + onlyInTexts +
	"')"

// NewestSharedOccurrence returns the number of the newest occurrence of a slice with entries of kinds of evidence.
// Without any it returns that of the newest one with a screenshot or a video, then that with another file of the
// kinds, and 0 without files.
func (q Queries) NewestSharedOccurrence(sliceID string, kinds []api.AttachmentKind) (int64, error) {
	for _, having := range []string{"a.entries > 0", "a.kind IN ('screenshot', 'video') AND " + ofNoComment,
		ofNoComment} {
		var p sqldb.Params
		n, err := sqldb.One(q.db, sqldb.ScanOne[int64], "SELECT a.occurrence FROM attachments a WHERE a.slice_id = "+
			p.Add(sliceID)+
			" AND a.kind IN "+sqldb.In(&p, kinds)+" AND "+having+" ORDER BY a.slice_id DESC, a.occurrence DESC LIMIT 1",
			p.Args...)
		if !errors.Is(err, ErrNotFound) {
			return n, err
		}
	}
	return 0, nil
}
