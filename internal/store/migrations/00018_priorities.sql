-- +goose Up

-- The slices of a workspace by priority, the most urgent last, and then by id. It is one expression, so that both databases find a
-- position in it. The expression is that of the lists that are sorted by priority.
CREATE INDEX slices_in_priority_order ON slices (workspace_id,
    (CASE priority WHEN 'urgent' THEN '4' WHEN 'high' THEN '3' WHEN 'medium' THEN '2' WHEN 'low' THEN '1' ELSE '0' END || id))
    WHERE deleted_at IS NULL;
