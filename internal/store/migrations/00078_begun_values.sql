-- +goose Up

-- The index gets the beginnings of browsers, systems and releases.
INSERT INTO pending_backfills (name) SELECT 'terms' WHERE NOT EXISTS (SELECT 1 FROM pending_backfills WHERE name = 'terms');
