-- +goose Up

-- The errors in evidence that was added to a report after it was filed: messages of the console, and addresses of failed requests. The
-- report is found by their words, as by those of its own symptoms. Evidence that was stored before has none.
ALTER TABLE attachments ADD COLUMN symptoms TEXT NOT NULL DEFAULT '';
