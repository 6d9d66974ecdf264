-- +goose Up

-- PostgreSQL compares the slices of a list by priority with words by this index alone. The expression needs the columns beside it.
DROP INDEX slices_in_priority_order;
CREATE INDEX slices_in_priority_order ON slices (workspace_id,
    (CASE priority WHEN 'urgent' THEN '4' WHEN 'high' THEN '3' WHEN 'medium' THEN '2' WHEN 'low' THEN '1' ELSE '0' END || id)){{include}}
    WHERE deleted_at IS NULL;
