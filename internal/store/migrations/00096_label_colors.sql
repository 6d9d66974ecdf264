-- +goose Up

-- The colors of labels that were chosen, as JSON by the label; empty for none.
ALTER TABLE workspaces ADD COLUMN label_colors TEXT NOT NULL DEFAULT '';
