-- +goose Up

-- The facts about the slices that are not deleted by which lists filter them and which change seldom, derived from slices. No dump
-- contains them. They have a table of their own because PostgreSQL writes an entry of each index of a table with every update of a row.
CREATE TABLE live_facts (
    row          {{rowid}} PRIMARY KEY,
    slice_id     {{key}} NOT NULL,
    workspace_id {{key}} NOT NULL,
    reporter_id  {{key}},
    space_id     {{key}},
    severity     {{key}},
    release      {{key}},
    browser      {{key}},
    os           {{key}},
    viewport     {{key}},
    unlabelled   SMALLINT NOT NULL -- 1 for a slice without labels
);
INSERT INTO live_facts (row, slice_id, workspace_id, reporter_id, space_id, severity, release, browser, os, viewport, unlabelled)
    SELECT row, id, workspace_id, reporter_id, space_id, severity, {{release}}, {{browser}}, {{os}}, {{viewport}},
        CASE WHEN labels = '' THEN 1 ELSE 0 END
    FROM slices WHERE deleted_at IS NULL ORDER BY row;
CREATE INDEX live_facts_by_reporter ON live_facts (workspace_id, reporter_id, slice_id) WHERE reporter_id IS NOT NULL;
CREATE INDEX live_facts_by_space ON live_facts (workspace_id, space_id, slice_id) WHERE space_id IS NOT NULL;
CREATE INDEX live_facts_by_severity ON live_facts (workspace_id, severity, slice_id);
CREATE INDEX live_facts_by_release ON live_facts (workspace_id, release, slice_id) WHERE release IS NOT NULL;
CREATE INDEX live_facts_by_browser ON live_facts (workspace_id, browser, slice_id) WHERE browser IS NOT NULL;
CREATE INDEX live_facts_by_os ON live_facts (workspace_id, os, slice_id) WHERE os IS NOT NULL;
CREATE INDEX live_facts_by_viewport ON live_facts (workspace_id, viewport, slice_id) WHERE viewport IS NOT NULL;
CREATE INDEX live_facts_unlabelled ON live_facts (workspace_id, slice_id) WHERE unlabelled = 1;
DROP INDEX slices_live_by_reporter;
DROP INDEX slices_live_by_space;
DROP INDEX slices_live_by_severity;
DROP INDEX slices_live_by_release;
DROP INDEX slices_live_by_browser;
DROP INDEX slices_live_by_os;
DROP INDEX slices_live_by_viewport;
DROP INDEX slices_live_unlabelled;

-- The live slices of an assignee have slices_live_by_assignee.
DROP INDEX slices_by_assignee;
CREATE INDEX slices_deleted_by_assignee ON slices (workspace_id, assignee_id) WHERE assignee_id IS NOT NULL AND deleted_at IS NOT NULL;
