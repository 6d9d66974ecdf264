-- +goose Up

-- Who has looked at a screenshot or a video and found no secret, and when, as JSON; empty for nobody. Pixels are not redacted.
ALTER TABLE attachments ADD COLUMN reviewed TEXT NOT NULL DEFAULT '';

-- The screenshots and videos of a slice that nobody has reviewed, by which lists are filtered.
ALTER TABLE slices ADD COLUMN evidence_unreviewed BIGINT NOT NULL DEFAULT 0;
UPDATE slices SET evidence_unreviewed = evidence_screenshots + evidence_videos WHERE evidence_screenshots + evidence_videos > 0;
INSERT INTO pending_backfills (name) SELECT 'terms' WHERE NOT EXISTS (SELECT 1 FROM pending_backfills WHERE name = 'terms');
