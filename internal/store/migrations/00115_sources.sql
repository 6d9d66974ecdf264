-- +goose Up

-- Sources, from which visitors report. settings is api.SourceFields in JSON. public_key is an address and no secret.
CREATE TABLE sources (
    id              {{key}} PRIMARY KEY,
    org_id          {{key}} NOT NULL REFERENCES organizations (id),
    workspace_id    {{key}} NOT NULL REFERENCES workspaces (id),
    public_key      {{key}} NOT NULL,
    settings        TEXT    NOT NULL,
    secret_last4    TEXT    NOT NULL,
    created_by_user {{key}},
    created_by_key  {{key}},
    version         BIGINT  NOT NULL,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    deleted_at      BIGINT
);
CREATE UNIQUE INDEX sources_by_key ON sources (public_key);
CREATE INDEX sources_by_workspace ON sources (workspace_id, id);

-- The secrets by which sites sign who their reporters are. The one without expires_at is the current one.
CREATE TABLE source_secrets (
    id         {{key}} PRIMARY KEY,
    source_id  {{key}} NOT NULL REFERENCES sources (id),
    sealed     TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT
);
CREATE INDEX source_secrets_by_source ON source_secrets (source_id, id);

-- What became of the reports of a source in a day of UTC, counted from 1970: their number and bytes by outcome. The outcome taken
-- counts those against the limits of the day.
CREATE TABLE source_days (
    source_id {{key}} NOT NULL REFERENCES sources (id),
    day       BIGINT  NOT NULL,
    outcome   {{key}} NOT NULL,
    reports   BIGINT  NOT NULL,
    bytes     BIGINT  NOT NULL,
    PRIMARY KEY (source_id, day, outcome)
){{cluster}};

-- Reports of visitors that wait for a decision, or were decided lately. document is the redacted report with its reporter. Files are
-- reserved in the storage of files until expires_at.
CREATE TABLE submissions (
    id           {{key}} PRIMARY KEY,
    source_id    {{key}} NOT NULL REFERENCES sources (id),
    workspace_id {{key}} NOT NULL REFERENCES workspaces (id),
    slice_id     {{key}} NOT NULL,
    state        {{key}} NOT NULL,
    document     TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    decided_at   BIGINT,
    decided_by   {{key}},
    expires_at   BIGINT  NOT NULL
);
CREATE INDEX submissions_by_state ON submissions (workspace_id, state, id);
CREATE INDEX submissions_by_source ON submissions (source_id, id);
CREATE INDEX submissions_by_expiry ON submissions (expires_at);

CREATE TABLE submission_files (
    submission_id {{key}} NOT NULL REFERENCES submissions (id),
    blob          {{key}} NOT NULL,
    thumbnail     {{key}},
    document      TEXT    NOT NULL,
    PRIMARY KEY (submission_id, blob)
){{cluster}};

-- The visitor who filed a slice, in JSON; empty for none.
ALTER TABLE slices ADD COLUMN visitor TEXT NOT NULL DEFAULT '';
