-- +goose Up

-- The members of a slice by which most searches compare and order what they find, without its row.
CREATE INDEX slices_members ON slices ({{members}}) WHERE deleted_at IS NULL;
