package tracker

import (
	"context"
	"regexp"
	"strings"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/store"
)

// SharedSlice is a slice as a share shows it. It has no member of the slice that is for the members of the workspace
// alone.
type SharedSlice struct {
	ID                 string
	Reference          string
	Summary            string
	Description        *string
	Status             api.Status
	SourceURL          *string
	CreatedAt          api.Time
	SharedBy           string   // the name of the creator of the share
	ExpiresAt          api.Time // of the share
	Files              []SharedFile
	SharedConversation // when it is shared
	ShowConsole        bool
	ShowNetwork        bool
	ShowComments       bool
}

// SharedConversation is a part of the comments of a SharedSlice, the oldest first.
type SharedConversation struct {
	Comments []SharedComment
	After    string // the id of the comment before the part; empty for the first part
	Later    int64  // how many comments there are after the part
}

// SharedFile is a file of a SharedSlice.
type SharedFile struct {
	ID           string
	Kind         api.AttachmentKind
	Name         string
	ContentType  string
	Size         int64
	Width        *int64
	Height       *int64
	HasThumbnail bool
	Occurrence   int64
}

// SharedComment is a comment of a SharedSlice.
type SharedComment struct {
	ID        string
	Author    string
	Body      string
	CreatedAt api.Time
	Edited    bool
	Reactions []api.Reaction // without who has reacted
}

// maxSharedFiles is the maximum number of files of a SharedSlice.
const maxSharedFiles = 200

// SharedSlice returns the slice of a share. It refuses a caller with another credential. Mentions are replaced by
// names.
func (t *Tracker) SharedSlice(ctx context.Context, c access.Caller) (SharedSlice, error) {
	return t.SharedSliceAfter(ctx, c, "")
}

// SharedSliceAfter is SharedSlice with the comments after one, by its id, or with the first ones when there are none
// after it.
func (t *Tracker) SharedSliceAfter(ctx context.Context, c access.Caller, commentID string) (SharedSlice, error) {
	if err := c.Allow(api.OpGetSharedSlice); err != nil {
		return SharedSlice{}, err
	}
	share, ok := c.Credential.(access.ShareCredential)
	if !ok {
		return SharedSlice{}, access.ErrNoShare
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetSharedSlice)
	if err != nil {
		return SharedSlice{}, err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	g := t.access.NewSliceGuard(ctx, c, api.OpGetSharedSlice, share.SliceID)
	s, err := c.Slice(q, share.SliceID)
	if err != nil {
		return SharedSlice{}, err
	}
	out := SharedSlice{ID: s.ID, Reference: api.Reference(s.WorkspaceKey, s.Number), Summary: s.Summary,
		Status:    s.Status,
		SourceURL: s.SourceURL, CreatedAt: s.CreatedAt, SharedBy: share.SharedBy, ExpiresAt: *c.ExpiresAt,
		ShowConsole: share.Shows(api.ShareConsole), ShowNetwork: share.Shows(api.ShareNetwork),
		ShowComments: share.Shows(api.ShareComments), SharedConversation: SharedConversation{After: commentID}}
	if out.Files, err = sharedFiles(q, share); err != nil {
		return SharedSlice{}, err
	}
	if err := addSharedTexts(q, &out, s); err != nil {
		return SharedSlice{}, err
	}
	return out, g.Allow()
}

// mailAddress matches the e-mail addresses of a text.
var mailAddress = regexp.MustCompile(`[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*`)

// hideMailAddresses removes the e-mail addresses from what an action shows of a page and of what was typed: they name
// a person to strangers, and say nothing about the bug.
func hideMailAddresses(row *api.ActionRow) {
	for _, text := range []*string{row.Text, row.Value} {
		if text != nil {
			*text = mailAddress.ReplaceAllString(*text, "[redacted:email]")
		}
	}
}

// sharedEnvironment returns an environment without the members that describe the build.
func sharedEnvironment(e api.Environment) api.Environment {
	e.Commit, e.Branch, e.BuildURL = nil, nil, nil
	return e
}

// SharedEvidence returns what is stored of the evidence of the occurrence that a share shows, of the parts that it
// shows, without other occurrences, which it refuses, and without the members of the occurrence that are for members
// of the workspace.
func (t *Tracker) SharedEvidence(ctx context.Context, c access.Caller, occurrence int64,
) (out CapturedEvidence, err error) {
	if err := c.Allow(api.OpGetSharedSlice); err != nil {
		return out, err
	}
	share, ok := c.Credential.(access.ShareCredential)
	if !ok {
		return out, access.ErrNoShare
	}
	slot, err := t.acquireSlotFor(ctx, c, api.OpGetSharedSlice)
	if err != nil {
		return out, err
	}
	defer slot.Release()
	q := t.access.Read(ctx)
	g := t.access.NewSliceGuard(ctx, c, api.OpGetSharedSlice, share.SliceID)
	s, err := c.Slice(q, share.SliceID)
	if err != nil {
		return out, err
	}
	if occurrence, err = c.Occurrence(q, s, occurrence); err != nil {
		return out, err
	}
	found, err := t.captured(ctx, q, s, occurrence)
	if err != nil {
		return out, err
	}
	of := found.Occurrence
	out = CapturedEvidence{Occurrences: 1, Actions: found.Actions, Replay: found.Replay,
		Occurrence: api.SliceOccurrence{Number: of.Number,
			Environment: sharedEnvironment(of.Environment), HasEvidence: of.HasEvidence, CreatedAt: of.CreatedAt}}
	if share.Shows(api.ShareConsole) {
		out.Console = found.Console
	}
	if share.Shows(api.ShareNetwork) {
		out.Network = found.Network
	}
	return out, g.Allow()
}

func sharedFiles(q access.Queries, share access.ShareCredential) (files []SharedFile, err error) {
	all, err := share.Files(q, "", maxSharedFiles)
	for _, a := range all {
		files = append(files, SharedFile{a.ID, a.Kind, a.Name, a.ContentType, a.Size, a.Width, a.Height,
			a.ThumbnailBlob != nil,
			a.Occurrence})
	}
	return files, err
}

// readSharedComments reads the comments of the part after out.After, and counts those after the part.
func readSharedComments(q access.Queries, out *SharedSlice) (comments []api.Comment, err error) {
	comments, err = q.CommentsWithin(out.ID, out.After, maxComments+1, maxCommentBytes)
	if err == nil && len(comments) == 0 && out.After != "" {
		out.After = ""
		return readSharedComments(q, out)
	}
	if n := countInPart(comments); n < len(comments) {
		comments = comments[:n]
		out.Later, err = q.CountCommentsAfter(out.ID, comments[n-1].ID)
	}
	return comments, err
}

// addSharedTexts adds the description and, when they are shared, the comments.
func addSharedTexts(q access.Queries, out *SharedSlice, s store.Slice) (err error) {
	var comments []api.Comment
	if out.ShowComments {
		if comments, err = readSharedComments(q, out); err != nil {
			return err
		}
		if err := resolveReactions(q, access.Caller{}, s.ID, comments); err != nil {
			return err
		}
	}
	var mentioned []string
	if s.Description != nil {
		mentioned = store.Mentioned(*s.Description)
	}
	for _, m := range comments {
		mentioned = append(mentioned, store.Mentioned(m.Body)...)
	}
	members, err := q.FindMembers(s.WorkspaceID, mentioned)
	if err != nil {
		return err
	}
	named := func(text string) string {
		return store.ReplaceMentions(text, func(name string) string { return plainMarkdown(sharedName(members, name)) })
	}
	if s.Description != nil {
		text := named(*s.Description)
		out.Description = &text
	}
	for _, m := range comments {
		out.Comments = append(out.Comments, SharedComment{m.ID, m.Author.Name, named(m.Body), m.CreatedAt,
			m.UpdatedAt.After(m.CreatedAt.Time), m.Reactions})
	}
	return nil
}

// markdownSigns matches what may mean something in Markdown.
var markdownSigns = regexp.MustCompile("[!-/:-@\\[-`{-~]")

// plainMarkdown returns Markdown that shows a name as it is, without links, styles and comments.
func plainMarkdown(name string) string { return markdownSigns.ReplaceAllString(name, `\$0`) }

// sharedName returns the name of a member whom a text mentions by id or e-mail address. Of an address that is no
// member's, it returns the part before the @.
func sharedName(members map[string]api.Mention, mentioned string) string {
	if m, ok := members[mentioned]; ok {
		return m.Name
	}
	local, _, isAddress := strings.Cut(mentioned, "@")
	if !isAddress {
		return "user"
	}
	return local
}
