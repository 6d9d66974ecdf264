package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"bugslice/api"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/portable"
	"bugslice/internal/tracker"
)

// credentials are what the demo prints. They are kept beside its database, so that a second
// start prints them again.
type credentials struct {
	Email, Password, PAT, WST, Workspace, Captured string
}

const credentialsFile = "demo.json"

// Fill fills an empty instance, and prints how to reach it. An instance with data is left as it is.
func Fill(ctx context.Context, t *tracker.Tracker, instance operator.Operator, dir, base string, out io.Writer) error {
	path := filepath.Join(dir, credentialsFile)
	all, err := instance.Organizations(ctx)
	if err != nil {
		return err
	}
	var c credentials
	if len(all) == 0 {
		if c, err = fill(ctx, t, instance); err != nil {
			return fmt.Errorf("fill with demo data: %w", err)
		}
		b, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
	} else {
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(out, "Bugslice is at %s. It has data of its own, so no demo data was added.\n", base)
			return nil
		}
		if err = errors.Join(err, json.Unmarshal(b, &c)); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return c.print(out, base)
}

func (c credentials) print(out io.Writer, base string) error {
	_, err := fmt.Fprintf(out, `
Bugslice is at   %[1]s
API reference    %[1]s/docs
Login            %[2]s  password %[3]s

Personal access token, all workspaces of %[2]s:
  %[4]s
  curl -s -H "Authorization: Bearer %[4]s" "%[1]s/v1/slices?limit=3&status=open"

A report with its evidence, as an agent reads it:
  curl -s -H "Authorization: Bearer %[4]s" -H "Accept: text/markdown" "%[1]s/v1/slices/%[7]s"

Workspace service token, the workspace %[6]s alone:
  %[5]s
  curl -s -H "Authorization: Bearer %[5]s" -H "Content-Type: application/json" -d '{"summary":"Filed with curl"}' %[1]s/v1/slices

`, base, c.Email, c.Password, c.PAT, c.WST, Teams[0].Name, c.Captured)
	return err
}

func fill(ctx context.Context, t *tracker.Tracker, instance operator.Operator) (credentials, error) {
	owner := People[0]
	f, err := instance.Bootstrap(ctx, operator.Bootstrap{Organization: Organization, Workspace: Teams[0].Name,
		Owner: operator.NewUser{Email: owner.Email, Name: owner.Name}, First: true})
	if err != nil {
		return credentials{}, err
	}
	c := credentials{Email: owner.Email, Password: f.Password, PAT: f.Token, Workspace: f.WorkspaceID}
	people := map[string]string{owner.Key: f.UserID}
	op := instance.In(api.OrganizationRef{ID: f.OrganizationID, Name: Organization})
	for i, p := range People[1:] {
		role := api.RoleMember
		if i == 0 {
			role = api.RoleAdmin
		}
		u, err := op.AddUser(ctx, operator.NewUser{Email: p.Email, Name: p.Name, Role: role})
		if err != nil {
			return c, err
		}
		people[p.Key] = u.UserID
	}
	now := time.Now()
	for i, team := range Teams {
		id := f.WorkspaceID
		if i > 0 {
			w, err := op.AddWorkspace(ctx, api.WorkspaceFields{Name: team.Name}, people[team.Members[0]])
			if err != nil {
				return c, err
			}
			id = w.ID
		}
		wst, err := fillTeam(ctx, t, op, team, id, people, now)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c.WST = wst
		}
	}
	c.Captured, err = fillEvidence(ctx, t, c.PAT, c.Workspace)
	return c, err
}

// fillTeam fills one workspace and returns a WST of it.
func fillTeam(ctx context.Context, t *tracker.Tracker, op operator.Organization, team Team, workspaceID string, people map[string]string, now time.Time) (string, error) {
	if _, err := call(ctx, op.Caller(), t.UpdateWorkspace, api.UpdateWorkspace{WorkspaceID: workspaceID, Patch: api.Patch[api.WorkspaceFields]{"description": team.Description}}); err != nil {
		return "", err
	}
	for i, m := range team.Members {
		role := api.RoleMember
		if i == 0 {
			role = api.RoleAdmin
		}
		if err := op.PutMember(ctx, workspaceID, people[m], role); err != nil {
			return "", err
		}
	}
	spaces := map[string]string{}
	for _, f := range team.Spaces {
		s, err := call(ctx, op.Caller(), t.CreateSpace, api.CreateSpace{WorkspaceID: workspaceID, Body: f})
		if err != nil {
			return "", err
		}
		spaces[f.Name] = s.ID
	}
	key, err := call(ctx, op.Caller(), t.CreateKey, api.CreateKey{Body: api.KeyFields{Name: "CI pipeline", Type: api.WST, WorkspaceID: &workspaceID,
		Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}}})
	if err != nil {
		return "", err
	}
	return key.Token, fillReports(ctx, op, team, workspaceID, key.ID, people, spaces, now)
}

func fillReports(ctx context.Context, op operator.Organization, team Team, workspaceID, keyID string, people, spaces map[string]string, now time.Time) error {
	var ids []string
	for _, r := range team.Reports() {
		p := portable.HistoricalSlice{Fields: r.Fields, FiledAt: now.Add(-r.Age), Reporter: reporter(r, people, keyID)}
		p.Fields.SpaceID = text(spaces[r.Space])
		if r.Assignee != "" {
			p.Fields.AssigneeID = text(people[r.Assignee])
		}
		if r.DuplicateOf >= 0 {
			p.Fields.DuplicateOfID = &ids[r.DuplicateOf]
		}
		if r.ResolvedAfter > 0 {
			at := p.FiledAt.Add(r.ResolvedAfter)
			p.ResolvedAt = &at
		}
		filed, err := portable.Backfill(ctx, op.OrganizationOperator, workspaceID, []portable.HistoricalSlice{p})
		if err != nil {
			return err
		}
		ids = append(ids, filed[0].ID)
	}
	return nil
}

func reporter(r Report, people map[string]string, keyID string) api.Reporter {
	if r.Reporter == "ci" {
		return api.Reporter{Type: "service", ID: &keyID, Name: "CI pipeline"}
	}
	for _, p := range People {
		if p.Key == r.Reporter {
			return api.Reporter{Type: "user", ID: text(people[p.Key]), Name: p.Name}
		}
	}
	panic("demo: nobody is called " + r.Reporter)
}

// call validates an input and carries out the operation with it.
func call[In, Out any](ctx context.Context, c tracker.Caller,
	operation func(context.Context, tracker.Caller, input.Valid[In]) (Out, error), in In,
) (Out, error) {
	v, err := input.Check(in)
	if err != nil {
		return *new(Out), err
	}
	return operation(ctx, c, v)
}
