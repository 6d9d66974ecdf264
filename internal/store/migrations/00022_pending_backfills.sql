-- +goose Up

-- What Migrate has still to do for rows of before a migration, where no SQL text can. Each backfill deletes its row in its
-- transaction, so that a start after an interrupted one runs it.
CREATE TABLE pending_backfills (
    name {{key}} PRIMARY KEY
);
INSERT INTO pending_backfills (name) VALUES ('occurrences');
