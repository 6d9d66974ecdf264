-- +goose Up

-- Saved queries of slices, each of a workspace or of a user alone.
CREATE TABLE views (
    id           {{key}} PRIMARY KEY,
    workspace_id {{key}} REFERENCES workspaces (id),
    user_id      {{key}} REFERENCES users (id),
    name         TEXT    NOT NULL,
    query        TEXT    NOT NULL,
    version      BIGINT  NOT NULL,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL
);
CREATE INDEX views_by_workspace ON views (workspace_id, id) WHERE workspace_id IS NOT NULL;
CREATE INDEX views_by_user ON views (user_id, id) WHERE user_id IS NOT NULL;
