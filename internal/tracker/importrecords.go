package tracker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"

	"bugslice/internal/id"
	"bugslice/internal/redact"
	"bugslice/internal/store"
)

// prefixes are those of the ids of records that have one.
var prefixes = map[string]string{"spaces": id.Space, "slices": id.Slice, "comments": id.Comment, "attachments": id.Attachment, "events": id.Event}

// preparedRecord is a record as it is stored here, with how many texts were cut and how many secrets
// were removed for that.
type preparedRecord struct {
	store.Record
	cut, redacted int
}

// prepare does what needs no transaction: it stores the bytes of files, removes secrets, and gives
// records the ids that they have here.
func (im *Importing) prepare(ctx context.Context, table string, records []store.Record, open Opener) ([]preparedRecord, error) {
	all := make([]preparedRecord, len(records))
	for i, r := range records {
		all[i].Record = maps.Clone(r)
	}
	if table == "attachments" {
		var err error
		if all, err = im.files(ctx, all, open); err != nil {
			return nil, err
		}
	}
	for i := range all {
		original := maps.Clone(all[i].Record)
		if err := im.prepareRecord(table, &all[i]); err != nil {
			return nil, about(table, original, err)
		}
	}
	return all, ctx.Err()
}

func (im *Importing) prepareRecord(table string, r *preparedRecord) (err error) {
	if old, _ := r.Record["id"].(string); prefixes[table] != "" && !id.Valid(prefixes[table], old) {
		return errors.New("/id is not one")
	}
	if err := im.refers(table, r.Record); err != nil {
		return err
	}
	if r.cut, err = im.fit(table, r.Record); err != nil {
		return err
	}
	counts := redact.Counts{}
	if err := im.redact(table, r.Record, counts); err != nil {
		return err
	}
	if im.rules != nil {
		if err := im.rules.problem(); err != nil { // what was redacted must not be used
			return err
		}
	}
	for _, n := range counts {
		r.redacted += n
	}
	if table == "events" {
		if err := im.localizeEvent(r.Record); err != nil {
			return err
		}
	}
	im.localize(r.Record)
	return nil
}

// localize gives a record the ids that it and what it names have here.
func (im *Importing) localize(r store.Record) {
	for column, v := range r {
		text, ok := v.(string)
		if ok && strings.HasSuffix(column, "id") && column != "external_id" {
			r[column] = im.derive(text)
		}
	}
	if body, ok := r["body"].(string); ok {
		r["body"] = im.mention(body)
	}
	for _, column := range []string{"reporter_id", "author_id", "creator_id", "actor_id"} { // who is nobody here keeps the name
		if who, ok := r[column].(string); ok && !im.here(who) {
			r[column] = nil
		}
	}
	for _, column := range []string{"actor_key_id", "request_id", "client_address"} { // they say nothing here
		if _, ok := r[column]; ok {
			r[column] = nil
		}
	}
	if _, ok := r["org_id"]; ok {
		r["org_id"] = im.c.Organization.ID
	}
	if _, ok := r["workspace_id"]; ok {
		r["workspace_id"] = im.WorkspaceID
	}
}

// mention names the members of here in a comment.
func (im *Importing) mention(body string) string {
	return mentioned.ReplaceAllStringFunc(body, func(m string) string { return "@" + cmp.Or(im.users[m[1:]], m[1:]) })
}

// insert stores a record that is not there yet.
func (im *Importing) insert(tx *store.Tx, table string, r preparedRecord, report *ImportReport) error {
	switch table {
	case "slices":
		if err := im.slice(tx, r.Record, report); err != nil {
			return err
		}
	case "events": // activity, not news: no reader of the log sees it
		r.Record["sequence"] = nil
	}
	isNew, err := tx.Import(table, im.WorkspaceID, r.Record)
	if err != nil {
		return err
	}
	if !isNew {
		report.AlreadyThere++
		return nil
	}
	if err := im.check(tx.Queries, table, r.Record); err != nil {
		return err
	}
	report.TextsCut += r.cut
	report.Redacted += r.redacted
	switch table {
	case "slices":
		report.Slices++
	case "comments":
		report.Comments++
	case "attachments":
		report.Attachments++
	}
	return err
}
