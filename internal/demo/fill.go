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
	"bugslice/internal/access"
	"bugslice/internal/input"
	"bugslice/internal/operator"
	"bugslice/internal/portable"
	"bugslice/internal/tracker"
)

// credentials are stored beside the database of the demo, so that each start prints them.
type credentials struct {
	Email, Password, PAT, WST, Workspace, Captured string
}

const credentialsFile = "demo.json"

// Instance is an instance that is filled.
type Instance struct {
	Tracker   *tracker.Tracker
	Operator  operator.Operator
	WithClock func(now func() time.Time) (*tracker.Tracker, operator.Operator) // both with another clock
}

// Fill fills an empty instance, and prints how to reach it. It leaves an instance with other data as it is.
func Fill(ctx context.Context, in Instance, dir, base string, out io.Writer) error {
	path := filepath.Join(dir, credentialsFile)
	organizations, err := in.Operator.Organizations(ctx)
	if err != nil {
		return err
	}
	var c credentials
	if len(organizations) == 0 {
		if c, err = fill(ctx, in); err != nil {
			return fmt.Errorf("fill with demo data: %w", err)
		}
		if err := c.write(path); err != nil {
			return err
		}
		return c.print(out, base)
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(out, "Bugslice is at %s. The instance has data already, so no demo data was added.\n", base)
		return nil
	}
	if err = errors.Join(err, json.Unmarshal(b, &c)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return c.print(out, base)
}

func (c credentials) write(path string) error {
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

// print prints the addresses, the credentials and commands that use them.
func (c credentials) print(out io.Writer, base string) error {
	_, err := fmt.Fprintf(out, `
Bugslice is at   %[1]s
API reference    %[1]s/docs
Login            %[2]s  password %[3]s

Personal access token, for all workspaces of %[2]s:
  %[4]s
  curl -s -H "Authorization: Bearer %[4]s" "%[1]s/v1/slices?limit=3&status=open"

A report with its evidence, as an agent reads it:
  curl -s -H "Authorization: Bearer %[4]s" -H "Accept: text/markdown" "%[1]s/v1/slices/%[7]s"

Workspace service token, for the workspace %[6]s:
  %[5]s
  curl -s -H "Authorization: Bearer %[5]s" -H "Content-Type: application/json" -d '{"summary":"Filed with curl"}' %[1]s/v1/slices

`, base, c.Email, c.Password, c.PAT, c.WST, Teams[0].Name, c.Captured)
	return err
}

// filler creates the data of one organisation.
type filler struct {
	t        *tracker.Tracker
	operator operator.Organization
	past     operator.Organization // at the time of clock
	clock    *clock
	users    map[string]string // ids by keys of people
	now      time.Time
}

// fill makes the organisation with its users and workspaces, and returns the credentials of its owner.
func fill(ctx context.Context, in Instance) (credentials, error) {
	owner := People[0]
	created, err := in.Operator.Bootstrap(ctx, operator.Bootstrap{Organization: Organization, Workspace: Teams[0].Name,
		Owner: operator.NewUser{Email: owner.Email, Name: owner.Name}, First: true})
	if err != nil {
		return credentials{}, err
	}
	c := credentials{Email: owner.Email, Password: created.Password, PAT: created.Token, Workspace: created.WorkspaceID}
	f := filler{t: in.Tracker, now: time.Now(), users: map[string]string{owner.Key: created.UserID},
		clock: &clock{}}
	organization := api.OrganizationRef{ID: created.OrganizationID, Name: Organization}
	_, past := in.WithClock(f.clock.now)
	f.operator, f.past = in.Operator.In(organization), past.In(organization)
	if err := f.addUsers(ctx, People[1:]); err != nil {
		return c, err
	}
	var spaces map[string]string
	for i, team := range Teams {
		id := created.WorkspaceID
		if i > 0 {
			w, err := f.operator.AddWorkspace(ctx, api.WorkspaceFields{Name: team.Name}, f.users[team.Members[0]])
			if err != nil {
				return c, err
			}
			id = w.ID
		}
		w, err := f.fillWorkspace(ctx, team, id)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c.WST, spaces = w.token, w.spaces
		}
	}
	if err := f.fillKeys(ctx, c.PAT, c.Workspace); err != nil {
		return c, err
	}
	c.Captured, err = f.fileCaptured(ctx, in, c, spaces)
	return c, err
}

// fileCaptured files the reports with captured evidence, and returns the id of the first. People file and comment in
// sessions, which end afterwards, and the pipeline with its key.
func (f filler) fileCaptured(ctx context.Context, in Instance, c credentials, spaces map[string]string) (_ string, err error) {
	past := &clock{}
	service, _ := in.WithClock(past.now)
	h := historian{t: service, clock: past, now: f.now, callers: map[string]access.Caller{}, users: f.users,
		spaces:      spaces,
		workspaceID: c.Workspace}
	if h.callers["ci"], err = f.t.Authenticate(ctx, c.WST); err != nil {
		return "", err
	}
	for key, userID := range f.users {
		if h.callers[key], err = f.session(ctx, userID); err != nil {
			return "", err
		}
	}
	ids, err := h.file(ctx, CapturedReports)
	if err != nil {
		return "", err
	}
	for key := range f.users {
		own, _ := h.callers[key].Credential.(access.SessionCredential)
		if _, err := call(ctx, h.callers[key], f.t.EndSession, api.EndSession{SessionID: own.ID}); err != nil {
			return "", err
		}
	}
	return ids[0], countTests(ctx, f.t, h.callers["ci"], ids[0])
}

// session opens a session of a user, and returns its caller.
func (f filler) session(ctx context.Context, userID string) (access.Caller, error) {
	opened, err := f.operator.OpenSession(ctx, userID)
	if err != nil {
		return access.Caller{}, err
	}
	s, err := f.t.Session(ctx, tracker.Client{}, opened.Token)
	return s.Caller, err
}

// addUsers adds users to the organisation; the first is an admin.
func (f filler) addUsers(ctx context.Context, people []Person) error {
	for i, p := range people {
		u, err := f.operator.AddUser(ctx,
			operator.NewUser{Email: p.Email, Name: p.Name, Role: roleOf(i)})
		if err != nil {
			return err
		}
		f.users[p.Key] = u.UserID
	}
	return nil
}

// roleOf returns the role of the i-th member.
func roleOf(i int) api.Role {
	if i == 0 {
		return api.RoleAdmin
	}
	return api.RoleMember
}

// filledWorkspace has the WST of a workspace, and the ids of its spaces by their names.
type filledWorkspace struct {
	token  string
	spaces map[string]string
}

// fillWorkspace fills the workspace of a team.
func (f filler) fillWorkspace(ctx context.Context, team Team, workspaceID string) (w filledWorkspace, err error) {
	caller := f.operator.Caller()
	description := api.UpdateWorkspace{WorkspaceID: workspaceID,
		Patch: api.WorkspacePatch{"description": team.Description}}
	if _, err := call(ctx, caller, f.t.UpdateWorkspace, description); err != nil {
		return w, err
	}
	for i, m := range team.Members {
		if err := f.operator.PutMember(ctx, workspaceID, f.users[m], roleOf(i)); err != nil {
			return w, err
		}
	}
	spaces := map[string]string{}
	for _, name := range team.Spaces {
		s, err := call(ctx, caller, f.t.CreateSpace,
			api.CreateSpace{WorkspaceID: workspaceID, Body: api.SpaceFields{Name: name}})
		if err != nil {
			return w, err
		}
		spaces[name] = s.ID
	}
	key, err := call(ctx, caller, f.t.CreateKey,
		api.CreateKey{Body: api.KeyFields{Name: pipeline, Type: api.WST, WorkspaceID: &workspaceID,
			Scopes: []api.Scope{api.SlicesRead, api.SlicesWrite, api.WorkspacesRead, api.SpacesRead, api.UserRead}}})
	if err != nil {
		return w, err
	}
	if err := f.noteUse(ctx, key.Token, "192.0.2.40", "pipeline/3.2"); err != nil {
		return w, err
	}
	var ids []string
	for _, r := range team.Reports() {
		s := f.historical(r, key.ID, spaces, ids)
		f.clock.at = s.FiledAt
		filed, err := portable.Backfill(ctx, f.past.OrganizationOperator, workspaceID, []portable.HistoricalSlice{s})
		if err != nil {
			return w, err
		}
		ids = append(ids, filed[0].ID)
	}
	return filledWorkspace{key.Token, spaces}, nil
}

// pipeline is the name of the key that files the reports of "ci".
const pipeline = "CI pipeline"

// historical returns a report as it is stored: with the ids of its space, its users and the report that it duplicates.
func (f filler) historical(r Report, keyID string, spaces map[string]string, older []string) portable.HistoricalSlice {
	p := portable.HistoricalSlice{Fields: r.Fields, FiledAt: f.now.Add(-r.Age), Reporter: f.reporter(r.Reporter, keyID)}
	p.Fields.SpaceID = new(spaces[r.Space])
	if r.Assignee != "" {
		p.Fields.AssigneeID = new(f.users[r.Assignee])
	}
	if r.DuplicateOf >= 0 {
		p.Fields.DuplicateOfID = &older[r.DuplicateOf]
	}
	if r.ResolvedAfter > 0 {
		p.ResolvedAt = new(p.FiledAt.Add(r.ResolvedAfter))
	}
	return p
}

func (f filler) reporter(key, keyID string) api.Reporter {
	if key == "ci" {
		return api.Reporter{Type: "service", ID: &keyID, Name: pipeline}
	}
	for _, p := range People {
		if p.Key == key {
			return api.Reporter{Type: "user", ID: new(f.users[key]), Name: p.Name}
		}
	}
	panic("demo: nobody has the key " + key)
}

// call validates an input and carries out the operation with it.
func call[In, Out any](ctx context.Context, c access.Caller,
	operation func(context.Context, access.Caller, input.Valid[In]) (Out, error), in In,
) (Out, error) {
	v, err := input.Check(in)
	if err != nil {
		return *new(Out), err
	}
	return operation(ctx, c, v)
}
