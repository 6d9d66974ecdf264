-- +goose Up

-- The users who are no members of a workspace any more, and are still assigned to slices of it. A job unassigns them in steps.
CREATE TABLE former_assignees (
    workspace_id {{key}} NOT NULL REFERENCES workspaces (id),
    user_id      {{key}} NOT NULL REFERENCES users (id),
    PRIMARY KEY (workspace_id, user_id)
);
