-- +goose Up

-- The templates of the form of a new report, as JSON; empty for none.
ALTER TABLE workspaces ADD COLUMN report_templates TEXT NOT NULL DEFAULT '';
