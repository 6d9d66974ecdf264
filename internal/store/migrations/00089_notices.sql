-- +goose Up

-- What users watch and mute: slices, views, spaces and workspaces. reason is empty when the user has chosen it, and otherwise why the
-- service has. workspace_id is null for a view of a user alone.
CREATE TABLE watches (
    user_id      {{key}} NOT NULL,
    subject_id   {{key}} NOT NULL,
    kind         {{key}} NOT NULL,
    workspace_id {{key}},
    level        {{key}} NOT NULL,
    reason       {{key}} NOT NULL,
    created_at   BIGINT  NOT NULL,
    PRIMARY KEY (user_id, subject_id)
){{cluster}};
CREATE INDEX watches_by_subject ON watches (subject_id);
CREATE INDEX watches_by_workspace ON watches (workspace_id);
CREATE INDEX watches_of_views ON watches (user_id) WHERE kind = 'view';

-- The slices of which users were told that a watched view has them.
CREATE TABLE view_matches (
    slice_id     {{key}} NOT NULL,
    view_id      {{key}} NOT NULL,
    user_id      {{key}} NOT NULL,
    PRIMARY KEY (slice_id, view_id, user_id)
){{cluster}};
CREATE INDEX view_matches_by_view ON view_matches (view_id, user_id);

-- What users are told: an event of a slice, or the slices that one request has changed, without a slice. Texts are those of the event.
-- slices is their number. subject_id is the watched view, space or workspace.
CREATE TABLE notices (
    id            {{key}} PRIMARY KEY,
    user_id       {{key}} NOT NULL,
    workspace_id  {{key}} NOT NULL,
    slice_id      {{key}},
    event_id      {{key}} NOT NULL,
    type          {{key}} NOT NULL,
    reason        {{key}} NOT NULL,
    subject_id    {{key}},
    request_id    {{key}},
    slices        BIGINT  NOT NULL,
    read_at       BIGINT,
    done_at       BIGINT,
    snoozed_until BIGINT
);
CREATE INDEX notices_by_user ON notices (user_id, id);
CREATE INDEX notices_unread ON notices (user_id, slice_id) WHERE read_at IS NULL AND done_at IS NULL;
CREATE INDEX notices_by_slice ON notices (slice_id, user_id);
CREATE INDEX notices_by_request ON notices (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX notices_by_workspace ON notices (workspace_id, id);
CREATE INDEX notices_done ON notices (done_at) WHERE done_at IS NOT NULL;
CREATE INDEX notices_snoozed ON notices (snoozed_until) WHERE snoozed_until IS NOT NULL;

-- A number that changes with each change of the notices of a user, by which open pages know of it.
CREATE TABLE inboxes (
    user_id {{key}} PRIMARY KEY,
    version BIGINT  NOT NULL
){{cluster}};

-- The last event of each workspace of which users were told. Those of before are told to nobody.
CREATE TABLE notice_positions (
    workspace_id {{key}} PRIMARY KEY,
    sequence     BIGINT  NOT NULL
){{cluster}};
INSERT INTO notice_positions (workspace_id, sequence) SELECT id, last_sequence FROM workspaces;
