package tracker

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bugslice/api"
	"bugslice/internal/access"
	"bugslice/internal/id"
	"bugslice/internal/input"
	"bugslice/internal/store/sources"
	"bugslice/internal/token"
)

const (
	maxSources = 50 // of a workspace

	sourceDaysKept = 90 // of counts

	defaultSourceReportBytes = 25 << 20
	defaultSourceDailyBytes  = 1 << 30
)

var defaultSourceLimits = api.SourceLimits{PerMinute: 60, PerHour: 600, PerDay: 2000, PerAddressHour: 10}

// ListSources lists the sources of the workspaces the caller administers, oldest first.
func (t *Tracker) ListSources(ctx context.Context, c access.Caller, v input.Valid[api.ListSources]) (api.Page[api.Source], error) {
	in, err := v.Value(c.Allow(api.OpListSources))
	if err != nil {
		return api.Page[api.Source]{}, err
	}
	l := listing[api.Source]{operation: api.OpListSources, parameters: in, paging: in.Paging}
	return listPage(t, c, l.byID(func(s api.Source) string { return s.ID },
		func(afterID string, limit int) ([]api.Source, error) {
			q := t.access.Read(ctx)
			workspaces, err := administered(q, c, in.WorkspaceID)
			if err != nil {
				return nil, err
			}
			rows, err := q.Sources().Sources(workspaces, afterID, limit)
			return convert(rows, func(s sources.Source) api.Source { return s.Source }), err
		}))
}

// administered returns the workspace, or all that the caller administers when it is empty. It refuses one that the caller does
// not administer.
func administered(q access.Queries, c access.Caller, workspaceID string) ([]string, error) {
	if workspaceID == "" {
		return c.AdministeredWorkspaces(q)
	}
	return []string{workspaceID}, c.RequireAdmin(q, workspaceID)
}

// GetSource returns a source of a workspace the caller administers.
func (t *Tracker) GetSource(ctx context.Context, c access.Caller, v input.Valid[api.GetSource]) (api.Source, error) {
	in, err := v.Value(c.Allow(api.OpGetSource))
	if err != nil {
		return api.Source{}, err
	}
	s, err := c.Source(t.access.Read(ctx), in.SourceID)
	return s.Source, err
}

// CreateSource creates a source with a new public key.
func (t *Tracker) CreateSource(ctx context.Context, c access.Caller, v input.Valid[api.CreateSource]) (api.Source, error) {
	in, err := v.Value(c.Allow(api.OpCreateSource))
	if err != nil {
		return api.Source{}, err
	}
	workspaceID, err := c.WorkspaceOrOwn(t.access.Read(ctx), in.Body.WorkspaceID)
	if err != nil {
		return api.Source{}, err
	}
	r, err := t.redactorForMember(ctx, c, workspaceID)
	if err != nil {
		return api.Source{}, err
	}
	fields := in.Body.SourceFields
	if err := redactFields(r, &fields, nil); err != nil {
		return api.Source{}, err
	}
	return access.Write(ctx, t.access, c, api.OpCreateSource, func(tx *access.Tx, c access.Caller) (api.Source, error) {
		if err := c.RequireAdmin(tx.Queries, workspaceID); err != nil {
			return api.Source{}, err
		}
		return idempotent(t, tx, c, in, func() (api.Source, error) {
			s := sources.Source{OrgID: c.Organization.ID}
			s.ID, s.WorkspaceID, s.SourceFields, s.Creator = id.New(id.Source), workspaceID, fields, creator(c)
			s.Key, s.CreatedAt = token.New(token.Public), api.At(id.Time(s.ID))
			s.UpdatedAt = s.CreatedAt
			if err := completeSource(tx.Queries, &s); err != nil {
				return api.Source{}, err
			}
			if _, err := tx.LockWorkspaceCounters(workspaceID); err != nil { // so that creations run one after another
				return api.Source{}, err
			}
			n, err := tx.Queries.Sources().CountSources(workspaceID)
			if err != nil {
				return api.Source{}, err
			}
			if n >= maxSources {
				return api.Source{}, api.NewProblem(api.CodeTooManySources,
					fmt.Sprintf("A workspace may have %d sources. Delete one first.", maxSources))
			}
			if err := tx.Sources().InsertSource(&s); err != nil {
				return api.Source{}, err
			}
			return s.Source, t.recordSource(tx, c, s, api.EventSourceCreated, nil)
		})
	})
}

func (t *Tracker) recordSource(tx *access.Tx, c access.Caller, s sources.Source, kind api.EventType, previous map[string]any) error {
	return t.recordWorkspaceAudit(tx, c, s.WorkspaceID, event{Type: kind, ID: s.ID, Subject: s.Source, Previous: previous})
}

// completeSource gives a source the defaults of members that were left out, and its origins and labels one form. It refuses
// what no browser sends as an origin, and a space of another workspace.
func completeSource(q access.Queries, s *sources.Source) error {
	f := &s.SourceFields
	if f.Reporters == "" {
		f.Reporters = api.ReportersAnyone
	}
	if f.MaxReportBytes == 0 {
		f.MaxReportBytes = defaultSourceReportBytes
	}
	if f.MaxDailyBytes == 0 {
		f.MaxDailyBytes = defaultSourceDailyBytes
	}
	for _, l := range []struct{ value, fallback *int64 }{
		{&f.Limits.PerMinute, &defaultSourceLimits.PerMinute}, {&f.Limits.PerHour, &defaultSourceLimits.PerHour},
		{&f.Limits.PerDay, &defaultSourceLimits.PerDay}, {&f.Limits.PerAddressHour, &defaultSourceLimits.PerAddressHour}} {
		if *l.value == 0 {
			*l.value = *l.fallback
		}
	}
	if f.Captures == nil {
		for _, part := range api.CapturePart("").Values() {
			f.Captures = append(f.Captures, api.CapturePart(part))
		}
	}
	f.Labels = withNormalLabels(f.Labels)
	if f.Labels == nil {
		f.Labels = []string{}
	}
	origins := make([]string, 0, len(f.Origins))
	for i, o := range f.Origins {
		normal, detail := normalOrigin(o)
		if detail != "" {
			return api.InvalidMember("/origins/"+strconv.Itoa(i), "not_an_origin", detail)
		}
		if !slices.Contains(origins, normal) {
			origins = append(origins, normal)
		}
	}
	f.Origins = origins
	if f.SpaceID == nil {
		return nil
	}
	exists, err := spaceExists(q, s.WorkspaceID, f.SpaceID)
	if err == nil && !exists {
		err = api.InvalidMember("/spaceId", "unknown", "is no space of the workspace")
	}
	return err
}

// spaceExists reports whether a workspace has a space; none exists without an id.
func spaceExists(q access.Queries, workspaceID string, spaceID *string) (bool, error) {
	if spaceID == nil {
		return false, nil
	}
	_, err := q.Space(workspaceID, *spaceID)
	return err == nil, ignoreMissing(err)
}

// normalOrigin returns an origin, or the pattern of the hosts below a domain, as browsers write it: in small letters, without
// the port of its scheme and without a path. detail says why it is none.
func normalOrigin(text string) (origin, detail string) {
	const form = "must be an origin such as https://shop.example.com, https://*.example.com or http://localhost:3000"
	text = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), "/")
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme != "https" && scheme != "http" {
		return "", form
	}
	host, isPattern := strings.CutPrefix(rest, "*.")
	u, err := url.Parse(scheme + "://" + host)
	switch {
	case err != nil || u.Host != host || u.Hostname() == "" || strings.Contains(host, "*"):
		return "", form
	case isPattern && !strings.Contains(u.Hostname(), "."):
		return "", "a pattern such as https://*.example.com has a domain with a dot"
	}
	if _, err := netip.ParseAddr(u.Hostname()); isPattern && err == nil {
		return "", "an address has no hosts below it"
	}
	port := u.Port()
	if port == "" && strings.HasSuffix(host, ":") || port == "443" && scheme == "https" || port == "80" && scheme == "http" {
		host = strings.TrimSuffix(strings.TrimSuffix(host, port), ":")
	}
	if isPattern {
		host = "*." + host
	}
	return scheme + "://" + host, ""
}

// UpdateSource changes a source by a merge patch. It takes effect at once: a transaction of a visitor reads its source again.
func (t *Tracker) UpdateSource(ctx context.Context, c access.Caller, v input.Valid[api.UpdateSource]) (api.Source, error) {
	in, err := v.Value(c.Allow(api.OpUpdateSource))
	if err != nil {
		return api.Source{}, err
	}
	of, err := c.Source(t.access.Read(ctx), in.SourceID)
	if err != nil {
		return api.Source{}, err
	}
	r, err := t.redactorForMember(ctx, c, of.WorkspaceID)
	if err != nil {
		return api.Source{}, err
	}
	patch, err := redactPatch[api.SourceFields](r, in.Patch, nil)
	if err != nil {
		return api.Source{}, err
	}
	defer t.sourceCache.remove(of.Key)
	return access.Write(ctx, t.access, c, api.OpUpdateSource, func(tx *access.Tx, c access.Caller) (api.Source, error) {
		s, err := c.LockSource(tx, in.SourceID)
		if err == nil {
			err = checkIfMatch("source", in.IfMatch, s.Version)
		}
		if err != nil {
			return api.Source{}, err
		}
		before := s.SourceFields
		if _, err := applyPatch(&s.SourceFields, patch); err != nil {
			return api.Source{}, err
		}
		if exists, err := spaceExists(tx.Queries, s.WorkspaceID, before.SpaceID); err != nil {
			return api.Source{}, err
		} else if !exists && text(s.SpaceID) == text(before.SpaceID) { // it was deleted since
			s.SpaceID = nil
		}
		if err := completeSource(tx.Queries, &s); err != nil {
			return api.Source{}, err
		}
		previous, err := changedMembers(before, s.SourceFields)
		if err != nil || len(previous) == 0 {
			return s.Source, err
		}
		s.UpdatedAt = maxTime(t.clock(), s.UpdatedAt)
		if err := tx.Sources().UpdateSource(&s); err != nil {
			return api.Source{}, err
		}
		return s.Source, t.recordSource(tx, c, s, api.EventSourceUpdated, previous)
	})
}

// DeleteSource deletes a source. The reports of its visitors stay, also those that wait.
func (t *Tracker) DeleteSource(ctx context.Context, c access.Caller, v input.Valid[api.DeleteSource]) (api.Nothing, error) {
	in, err := v.Value(c.Allow(api.OpDeleteSource))
	if err != nil {
		return api.Nothing{}, err
	}
	return access.Write(ctx, t.access, c, api.OpDeleteSource, func(tx *access.Tx, c access.Caller) (api.Nothing, error) {
		s, err := c.LockSource(tx, in.SourceID)
		if err == nil {
			err = checkIfMatch("source", in.IfMatch, s.Version)
		}
		if err == nil {
			err = tx.Sources().DeleteSource(s.ID, t.clock())
		}
		if err != nil {
			return api.Nothing{}, err
		}
		t.sourceCache.remove(s.Key)
		return api.Nothing{}, t.recordSource(tx, c, s, api.EventSourceDeleted, nil)
	})
}

// RotateSourceSecret gives a source a new secret. Identities that the former one has signed are good, too, until its grace
// period ends.
func (t *Tracker) RotateSourceSecret(ctx context.Context, c access.Caller, v input.Valid[api.RotateSourceSecret]) (
	api.SourceSecret, error,
) {
	var none api.SourceSecret
	in, err := v.Value(c.Allow(api.OpRotateSourceSecret))
	if err != nil {
		return none, err
	}
	grace := int64(api.SecretGrace)
	if in.Body != nil {
		grace = in.Body.GracePeriodSeconds
	}
	return access.Write(ctx, t.access, c, api.OpRotateSourceSecret, func(tx *access.Tx, c access.Caller) (api.SourceSecret, error) {
		s, err := c.LockSource(tx, in.SourceID)
		if err != nil {
			return none, err
		}
		return idempotent(t, tx, c, in, func() (api.SourceSecret, error) {
			now, secret := t.clock(), token.New(token.Signing)
			last4 := secret[len(secret)-4:]
			s.SecretLast4, s.UpdatedAt = &last4, maxTime(now, s.UpdatedAt)
			if err := tx.Sources().UpdateSource(&s); err != nil {
				return none, err
			}
			sealed := sources.Secret{ID: id.New(id.Secret), Sealed: t.seal(sourcePurpose, s.ID, secret)}
			if err := tx.Sources().InsertSecret(s.ID, sealed, now, api.At(now.Add(time.Duration(grace)*time.Second))); err != nil {
				return none, err
			}
			return api.SourceSecret{Source: s.Source, Secret: secret}, t.recordSource(tx, c, s, api.EventSourceSecretRotated, nil)
		})
	})
}

// GetSourceUsage returns what became of the reports of a source of a workspace the caller administers.
func (t *Tracker) GetSourceUsage(ctx context.Context, c access.Caller, v input.Valid[api.GetSourceUsage]) (api.SourceUsage, error) {
	in, err := v.Value(c.Allow(api.OpGetSourceUsage))
	if err != nil {
		return api.SourceUsage{}, err
	}
	q := t.access.Read(ctx)
	s, err := c.Source(q, in.SourceID)
	if err != nil {
		return api.SourceUsage{}, err
	}
	today := sources.DayOf(t.now())
	rows, err := q.Sources().Days(s.ID, today-int64(in.Days)+1)
	if err != nil {
		return api.SourceUsage{}, err
	}
	days := map[int64]*api.SourceDay{}
	for day := today - int64(in.Days) + 1; day <= today; day++ {
		days[day] = &api.SourceDay{Day: time.Unix(day*secondsPerDay, 0).UTC().Format(time.DateOnly), Refused: []api.RefusedReports{}}
	}
	for _, row := range rows {
		d := days[row.Day]
		switch reason := row.Reason(); {
		case d == nil: // of a node whose clock is ahead
		case reason != "":
			d.Refused = append(d.Refused, api.RefusedReports{Reason: reason, Count: row.Reports})
		case row.Outcome == sources.Taken:
			d.Bytes = row.Bytes
		case row.Outcome == sources.Filed:
			d.Accepted = max(row.Reports, 0)
		case row.Outcome == sources.Waiting:
			d.Waiting = max(row.Reports, 0)
		case row.Outcome == sources.Spam:
			d.Spam = max(row.Reports, 0)
		}
	}
	var out api.SourceUsage
	for _, day := range slices.Sorted(maps.Keys(days)) {
		out.Days = append(out.Days, *days[day])
	}
	return out, nil
}
