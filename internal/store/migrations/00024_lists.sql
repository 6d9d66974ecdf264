-- +goose Up

-- Lists in the order of updates have sorted the slices of a rare kind of evidence, and read those of a frequent one in their order,
-- since lists are planned.
DROP INDEX slices_with_replays_by_update;
DROP INDEX slices_with_screenshots_by_update;
DROP INDEX slices_with_errors_by_update;
DROP INDEX slices_with_failures_by_update;
