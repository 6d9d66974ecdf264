-- +goose Up

-- Of which slices somebody has said that what redaction removed was no secret. hasMistake of package store is the same condition.
CREATE INDEX slices_mistaken ON slices (workspace_id, id) WHERE deleted_at IS NULL AND redaction LIKE '%"mistake":true%';
