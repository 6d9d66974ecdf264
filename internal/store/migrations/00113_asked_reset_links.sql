-- +goose Up

-- At most one link for each user, with which the user sets another password once, and which somebody has asked for on the page of
-- forgotten passwords. It is beside the link in reset_links, which an admin or the operator has made. No backup contains a link.
CREATE TABLE asked_reset_links (
    user_id    {{key}} PRIMARY KEY REFERENCES users (id),
    hash       {{key}} NOT NULL UNIQUE,
    expires_at BIGINT  NOT NULL
);
