-- +goose Up

-- The audit log of an organisation, the newest events first.
CREATE INDEX events_by_organization ON events (org_id, id);
