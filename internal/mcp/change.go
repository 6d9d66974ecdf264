package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bugslice/api"
)

type updateArguments struct {
	Ref            string   `json:"ref"`
	Comment        string   `json:"comment,omitempty"`
	Assignee       string   `json:"assignee,omitempty"`
	Status         string   `json:"status,omitempty"`
	Resolution     string   `json:"resolution,omitempty"`
	FixedInRelease string   `json:"fixed_in_release,omitempty"`
	Priority       string   `json:"priority,omitempty"`
	Severity       string   `json:"severity,omitempty"`
	DuplicateOf    string   `json:"duplicate_of,omitempty"`
	Duplicates     []string `json:"duplicates,omitempty"`
	IfVersion      int64    `json:"if_version,omitempty"`
	DryRun         bool     `json:"dry_run,omitempty"`
}

// updateReport changes a report, comments on it and marks duplicates, or refuses all of it with every fault.
func updateReport(ctx context.Context, s *session, in updateArguments) (*sdk.CallToolResult, error) {
	r, err := s.report(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	key, err := callKey(in)
	if err != nil {
		return nil, err
	}
	change, faults := s.changeOf(ctx, r, in)
	change.IdempotencyKey = key
	if len(faults) > 0 {
		change.Body.DryRun = true // finds the other faults
	}
	out, err := s.Client.ChangeSlice(ctx, change)
	if len(faults) > 0 {
		return nil, withFaults(err, faults)
	}
	if err != nil {
		return nil, err
	}
	return s.changed(ctx, r, out)
}

// callKey returns the Idempotency-Key of a call: the same for the same arguments.
func callKey(arguments any) (string, error) {
	text, err := json.Marshal(arguments)
	sum := sha256.Sum256(text)
	return "mcp " + base64.RawURLEncoding.EncodeToString(sum[:]), err
}

// withFaults returns the problem of a call with the faults of its names, and those that the API has found.
func withFaults(err error, faults []api.Fault) error {
	if found, ok := errors.AsType[*api.Problem](err); ok {
		if found.Status >= 500 || found.Code == api.CodeRateLimited {
			return err
		}
		if faults = append(faults, found.Errors...); len(found.Errors) == 0 {
			faults = append(faults, api.Fault{Code: found.Code, Detail: found.Detail})
		}
	}
	return api.NewProblem(api.CodeInvalidParameter, "Nothing is changed.", faults...)
}

// patchMaker makes the patch of a report from names, and collects the faults of those that it does not find.
type patchMaker struct {
	*session

	report api.Slice
	patch  api.SlicePatch
	faults []api.Fault
}

// set sets a member to what find returns, unless the argument is empty.
func (m *patchMaker) set(argument, value, member string, find func() (any, error)) {
	if value == "" {
		return
	}
	found, err := find()
	if err == nil {
		m.patch[member] = found
		return
	}
	detail := err.Error()
	if p, ok := errors.AsType[*api.Problem](err); ok {
		detail = strings.TrimPrefix(p.Detail, argument+": ")
	}
	m.faults = append(m.faults, api.Fault{Parameter: argument, Code: "wrong_value", Detail: detail})
}

// setWords sets the members whose values are words.
func (m *patchMaker) setWords(in updateArguments) {
	for name, value := range map[string]string{"status": in.Status, "resolution": in.Resolution, "priority": in.Priority,
		"severity": in.Severity} {
		m.set(name, value, name, func() (any, error) {
			if value == "none" {
				return nil, nil
			}
			return value, nil
		})
	}
	if in.DuplicateOf != "" && in.Resolution == "" {
		m.patch["resolution"], in.Resolution = string(api.Duplicate), string(api.Duplicate)
	}
	if in.Resolution != "" && in.Status == "" && m.report.Resolution == nil {
		m.patch["status"] = string(api.Resolved)
	}
}

// changeOf returns the change of a report that the arguments describe, with the faults of the names in them.
func (s *session) changeOf(ctx context.Context, r api.Slice, in updateArguments) (api.ChangeSlice, []api.Fault) {
	m := &patchMaker{session: s, report: r, patch: api.SlicePatch{}}
	m.setWords(in)
	m.set("assignee", in.Assignee, "assigneeId", func() (any, error) { return s.assignee(ctx, r, in.Assignee) })
	m.set("fixed_in_release", in.FixedInRelease, "fixedInRelease", func() (any, error) {
		return s.releaseOfFix(ctx, r.WorkspaceID, in.FixedInRelease)
	})
	m.set("duplicate_of", in.DuplicateOf, "duplicateOfId", func() (any, error) {
		original, err := s.report(ctx, in.DuplicateOf)
		return original.ID, err
	})
	out := api.ChangeSlice{SliceID: r.ID}
	for _, ref := range in.Duplicates {
		out.Body.Duplicates = append(out.Body.Duplicates, referenceOf(ref))
	}
	if out.Body.Comment = given(in.Comment); in.IfVersion != 0 {
		out.Body.IfMatch = strconv.FormatInt(in.IfVersion, 10)
	}
	if out.Body.DryRun = in.DryRun; len(m.patch) > 0 {
		out.Body.Patch = m.patch
	}
	return out, m.faults
}

// assignee returns the id of the user whom a name means, nil for nobody.
func (s *session) assignee(ctx context.Context, r api.Slice, name string) (any, error) {
	switch strings.ToLower(name) {
	case "nobody", "none":
		return nil, nil
	case "reporter":
		if r.Reporter.Type != "user" || r.Reporter.ID == nil {
			return nil, problemOf("assignee", "the reporter has no account")
		}
		return *r.Reporter.ID, nil
	}
	return s.member(ctx, r.WorkspaceID, name)
}

// changed returns what a change has changed.
func (s *session) changed(ctx context.Context, before api.Slice, out api.SliceChange) (*sdk.CallToolResult, error) {
	changes := []string{}
	for _, c := range out.Changes {
		from, err := s.shown(ctx, before.WorkspaceID, c.Field, c.From)
		if err != nil {
			return nil, err
		}
		to, err := s.shown(ctx, before.WorkspaceID, c.Field, c.To)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c.Field+": "+from+" → "+to)
	}
	data := map[string]any{"reference": out.Slice.Reference, "version": out.Slice.Version, "dryRun": out.DryRun,
		"changes": changes, "duplicates": out.Duplicates}
	if out.NewestRelease != nil {
		data["newestRelease"] = s.howChosen(out.NewestRelease)
	}
	if len(out.Warnings) > 0 {
		var details []string
		for _, w := range out.Warnings {
			details = append(details, w.Detail)
		}
		data["warnings"] = details
	}
	if out.Comment != nil && !out.DryRun {
		data["commentId"] = out.Comment.ID
	}
	if !out.DryRun && out.Slice.Version <= before.Version && len(changes)+len(out.Duplicates) > 0 {
		data["note"] = fmt.Sprintf("This very call was carried out before, and is not repeated; the report has version %d now. "+
			"With if_version %d it is another call.", before.Version, before.Version)
	}
	return dataResult(data)
}

// shown returns the value of a member for a line: text of others between backticks, a user by name.
func (s *session) shown(ctx context.Context, workspaceID, field string, value *any) (string, error) {
	if value == nil {
		return "none", nil
	}
	text, isText := (*value).(string)
	if !isText {
		raw, err := json.Marshal(*value)
		return code(string(raw), 300), err
	}
	if field == "assigneeId" && s.may(api.OpListMembers) {
		for m, err := range s.members(ctx, workspaceID) {
			if err != nil {
				return "", err
			}
			if m.UserID == text {
				return code(m.Name, 100), nil
			}
		}
	}
	if field == "fixedInRelease" {
		return s.releaseName(text), nil
	}
	return code(text, 100), nil
}

type createArguments struct {
	Summary     string   `json:"summary"`
	Description string   `json:"description,omitempty"`
	Workspace   string   `json:"workspace,omitempty"`
	Priority    string   `json:"priority,omitempty"`
	Severity    string   `json:"severity,omitempty"`
	Labels      []string `json:"labels,omitempty"`
	Release     string   `json:"release,omitempty"`
	URL         string   `json:"url,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	DryRun      bool     `json:"dry_run,omitempty"`
}

// createReport files a report, or only lists similar ones.
func createReport(ctx context.Context, s *session, in createArguments) (*sdk.CallToolResult, error) {
	workspaceID, err := s.workspaceID(ctx, in.Workspace)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		draft := api.ListSimilarToDraft{Body: api.SliceDraft{WorkspaceID: given(workspaceID), Summary: in.Summary,
			Description: given(in.Description), SourceURL: given(in.URL)}, Paging: api.Paging{Limit: similarLines}}
		page, err := s.Client.ListSimilarToDraft(ctx, draft)
		if err != nil {
			return nil, err
		}
		return dataResult(map[string]any{"created": false, "similar": s.similarTexts(ctx, page.Data)})
	}
	key, err := callKey(in)
	if err != nil {
		return nil, err
	}
	body := api.NewSlice{WorkspaceID: given(workspaceID), Fingerprint: given(in.Fingerprint)}
	body.Summary, body.Description, body.SourceURL = in.Summary, given(in.Description), given(in.URL)
	body.Priority, body.Severity = given(api.Priority(in.Priority)), given(api.Severity(in.Severity))
	body.Labels, body.Environment.Release = in.Labels, given(in.Release)
	filed, err := s.Client.CreateSlice(ctx, api.CreateSlice{Idempotency: api.Idempotency{IdempotencyKey: key}, Hints: true,
		Body: body})
	if err != nil {
		return nil, err
	}
	return dataResult(map[string]any{"created": !filed.Existing(), "reference": filed.Reference, "url": filed.URL,
		"similar": s.similarTexts(ctx, filed.Similar)})
}

// given returns a pointer to a value, nil for the zero value.
func given[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

func (s *session) similarTexts(ctx context.Context, similar []api.Similar) []string {
	texts := []string{}
	for _, one := range similar[:min(len(similar), similarLines)] {
		texts = append(texts, strings.TrimSpace(s.similarLine(ctx, one)))
	}
	return texts
}
