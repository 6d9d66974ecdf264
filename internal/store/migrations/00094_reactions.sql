-- +goose Up

-- The reactions of users to comments. They go with the comment, whose row is locked by who adds one.
CREATE TABLE reactions (
    slice_id   {{key}} NOT NULL,
    comment_id {{key}} NOT NULL,
    kind       {{key}} NOT NULL,
    user_id    {{key}} NOT NULL REFERENCES users (id),
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (slice_id, comment_id, kind, user_id)
){{cluster}};
CREATE INDEX reactions_by_user ON reactions (user_id);
