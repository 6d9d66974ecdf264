package store

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// mentionPattern matches a mention of a user in a text, by id or by e-mail address.
var mentionPattern = regexp.MustCompile(`(?:^|[^\w.@])@(usr_[0-9a-hjkmnp-tv-z]{26}\b|[\w.+-]+@\w[\w-]*(?:\.\w[\w-]*)+)`)

const maxMentions = 50 // in one text

// Mentioned returns the ids and the e-mail addresses that a text mentions, in small letters and in their order.
func Mentioned(text string) (names []string) {
	if !strings.Contains(text, "@") {
		return nil
	}
	for _, m := range mentionPattern.FindAllStringSubmatch(text, maxMentions) {
		if name := strings.ToLower(m[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ReplaceMentions returns a text in which each mention is replaced. replacement takes the id or the e-mail address in small letters.
func ReplaceMentions(text string, replacement func(name string) string) string {
	var b strings.Builder
	end := 0
	for _, m := range mentionPattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[end:m[2]])
		b.WriteString(replacement(strings.ToLower(text[m[2]:m[3]])))
		end = m[3]
	}
	b.WriteString(text[end:])
	return b.String()
}

// addMentions stores the mentions in a text of a slice: of a comment, or of the description when commentID is empty.
func (tx *Tx) addMentions(sliceID, commentID string, text *string) error {
	for _, name := range Mentioned(textOrEmpty(text)) {
		if err := tx.db.exec(`INSERT INTO mentions (workspace_id, name, slice_id, comment_id)
				SELECT s.workspace_id, $3, s.id, $2 FROM slices s WHERE s.id = $1`, sliceID, commentID, name); err != nil {
			return err
		}
	}
	return nil
}

// replaceMentions replaces the stored mentions in a text of a slice.
func (tx *Tx) replaceMentions(sliceID, commentID string, text *string) error {
	if err := tx.db.exec("DELETE FROM mentions WHERE slice_id = $1 AND comment_id = $2", sliceID, commentID); err != nil {
		return err
	}
	return tx.addMentions(sliceID, commentID, text)
}

// writtenText is a text of a slice: a comment, or the description when CommentID is empty.
type writtenText struct {
	sliceID, commentID string
	text               *string
}

func scanWrittenText(r row) (w writtenText, err error) {
	return w, r.Scan(&w.sliceID, &w.commentID, &w.text)
}

// addText stores the mentions in a text of a slice, and the files that it contains.
func (tx *Tx) addText(sliceID, commentID string, text *string) error {
	return errors.Join(tx.addMentions(sliceID, commentID, text), tx.addTextFiles(sliceID, commentID, text))
}

// replaceText replaces the stored mentions in a text of a slice, and the files that it contains.
func (tx *Tx) replaceText(sliceID, commentID string, text *string) error {
	return errors.Join(tx.replaceMentions(sliceID, commentID, text), tx.replaceTextFiles(sliceID, commentID, text))
}

// addAllMentions stores the mentions in all texts. The table must be empty.
func (tx *Tx) addAllMentions() error { return tx.forEachText(tx.addMentions) }

// addAllTextFiles stores the files that all texts contain.
func (tx *Tx) addAllTextFiles() error { return tx.forEachText(tx.addTextFiles) }

func (tx *Tx) forEachText(do func(sliceID, commentID string, text *string) error) error {
	const page = 1000
	for _, text := range []string{
		"SELECT id, '', description FROM slices WHERE id > $1 ORDER BY id LIMIT $2",
		"SELECT slice_id, id, body FROM comments WHERE id > $1 ORDER BY id LIMIT $2",
	} {
		for after := ""; ; {
			all, err := list(tx.db, scanWrittenText, text, after, page)
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
