-- +goose Up

-- The tests of runs of continuous integration, with the sums of their days. level is 0 for a test and 1 for a suite, which counts the runs of
-- all of its tests and has no name. id is a digest of level, suite and name. main is 1 for runs of the default branch. duration is in
-- milliseconds. failed_at is null while the test has not failed.
CREATE TABLE tests (
    workspace_id {{key}} NOT NULL,
    level        BIGINT  NOT NULL,
    id           {{key}} NOT NULL,
    main         BIGINT  NOT NULL,
    suite        {{key}} NOT NULL,
    name         TEXT    NOT NULL,
    slice_id     {{key}},
    runs         BIGINT  NOT NULL,
    failed       BIGINT  NOT NULL,
    flaky        BIGINT  NOT NULL,
    duration     BIGINT  NOT NULL,
    first_at     BIGINT  NOT NULL,
    last_at      BIGINT  NOT NULL,
    failed_at    BIGINT,
    PRIMARY KEY (workspace_id, level, id, main)
){{cluster}};

-- The runs of a test by day in UTC, which is a number of days since 1970.
CREATE TABLE test_days (
    workspace_id {{key}} NOT NULL,
    level        BIGINT  NOT NULL,
    id           {{key}} NOT NULL,
    main         BIGINT  NOT NULL,
    day          BIGINT  NOT NULL,
    runs         BIGINT  NOT NULL,
    failed       BIGINT  NOT NULL,
    flaky        BIGINT  NOT NULL,
    duration     BIGINT  NOT NULL,
    PRIMARY KEY (workspace_id, level, id, main, day)
){{cluster}};
CREATE INDEX test_days_by_day ON test_days (day);

-- The parts of runs that were counted, by the digest of their name.
CREATE TABLE test_runs (
    workspace_id {{key}} NOT NULL,
    run          {{key}} NOT NULL,
    counted_at   BIGINT  NOT NULL,
    PRIMARY KEY (workspace_id, run)
){{cluster}};
CREATE INDEX test_runs_by_age ON test_runs (counted_at);

-- Whether a run of tests was counted.
ALTER TABLE workspaces ADD COLUMN has_tests BIGINT NOT NULL DEFAULT 0;
