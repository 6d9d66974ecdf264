-- +goose Up

-- The blobs that no record names: reserved for an upload, or left by a record that was deleted. serve
-- removes these and no others. removing is 1 once their removal has begun: no record can name them then.
CREATE TABLE unreferenced_blobs (
    key       {{key}} PRIMARY KEY,
    remove_at BIGINT NOT NULL,
    removing  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX unreferenced_blobs_due ON unreferenced_blobs (remove_at);

-- One row: which instance this database is, and the fencing token that the storage of its files holds,
-- too. While the token is renewed the storage holds either. origin is what a copy of the database does
-- not share with it, as of when the storage was bound.
CREATE TABLE instance (
    row_number BIGINT PRIMARY KEY,
    id         {{key}} NOT NULL,
    token      {{key}} NOT NULL,
    next_token {{key}} NOT NULL,
    origin     {{key}} NOT NULL
);
