-- +goose Up

-- The name of the picture of a user, which pages have in its address; empty without a picture.
ALTER TABLE users ADD COLUMN picture {{key}} NOT NULL DEFAULT '';
CREATE INDEX users_by_picture ON users (picture) WHERE picture <> '';

-- The pictures of users: JPEG in base64.
CREATE TABLE user_pictures (
    user_id {{key}} PRIMARY KEY REFERENCES users (id),
    data    TEXT    NOT NULL
);
