-- +goose Up

-- The number of the last slice whose words the search index has in the present folding. A job indexes those after it again, and
-- deletes the row with the last of them.
CREATE TABLE search_backfill (after_row BIGINT NOT NULL);
INSERT INTO search_backfill (after_row) VALUES (0);
