-- +goose Up

-- What an organisation requires of its sessions, keys and invitations: 0 and empty texts for no limit. Scopes, networks and domains are
-- words. policy_version grows with each change.
ALTER TABLE organizations ADD COLUMN policy_version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN session_hours BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN session_idle_hours BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN personal_key_days BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN service_key_days BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN personal_key_makers TEXT NOT NULL DEFAULT 'everybody';
ALTER TABLE organizations ADD COLUMN personal_key_scopes TEXT NOT NULL DEFAULT '';
ALTER TABLE organizations ADD COLUMN key_networks TEXT NOT NULL DEFAULT '';
ALTER TABLE organizations ADD COLUMN filing_anywhere BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN invitation_domains TEXT NOT NULL DEFAULT '';
