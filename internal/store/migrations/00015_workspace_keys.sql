-- +goose Up

-- The key with which references of slices begin. Migrate assigns the keys of workspaces that have none.
ALTER TABLE workspaces ADD COLUMN key {{key}} NOT NULL DEFAULT '';

-- Every key that a workspace has or had. A key never passes to another workspace, so a reference always means the same slice.
CREATE TABLE workspace_keys (
    org_id       {{key}} NOT NULL REFERENCES organizations (id),
    key          {{key}} NOT NULL,
    workspace_id {{key}} NOT NULL REFERENCES workspaces (id) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (org_id, key)
);
CREATE INDEX workspace_keys_by_workspace ON workspace_keys (workspace_id);
