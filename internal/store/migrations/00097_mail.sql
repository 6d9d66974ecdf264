-- +goose Up

-- How users want to be told by mail: at once, in a digest, or never, by the kind of the reason. A user without a row has the defaults.
-- Quiet hours are minutes of the day, and none when they are equal; quiet days are bits, Sunday being the first.
CREATE TABLE mail_settings (
    user_id       {{key}} PRIMARY KEY,
    mentioned     {{key}} NOT NULL,
    assigned      {{key}} NOT NULL,
    participating {{key}} NOT NULL,
    watching      {{key}} NOT NULL,
    views         {{key}} NOT NULL,
    digest_hour   BIGINT  NOT NULL,
    quiet_from    BIGINT  NOT NULL,
    quiet_until   BIGINT  NOT NULL,
    quiet_days    BIGINT  NOT NULL,
    time_zone     {{key}} NOT NULL,
    version       BIGINT  NOT NULL
){{cluster}};

-- The notices of which users are told by mail. mail_id is null until one is made.
CREATE TABLE mail_notices (
    notice_id {{key}} PRIMARY KEY,
    user_id   {{key}} NOT NULL,
    digest    BIGINT  NOT NULL,
    due_at    BIGINT  NOT NULL,
    mail_id   {{key}}
){{cluster}};
CREATE INDEX mail_notices_waiting ON mail_notices (user_id) WHERE mail_id IS NULL;
CREATE INDEX mail_notices_by_mail ON mail_notices (mail_id) WHERE mail_id IS NOT NULL;

-- When mails are made of the notices of a user next, null for none, and how many were made since a time.
CREATE TABLE mail_turns (
    user_id      {{key}} PRIMARY KEY,
    due_at       BIGINT,
    window_at    BIGINT NOT NULL,
    window_mails BIGINT NOT NULL
){{cluster}};
CREATE INDEX mail_turns_due ON mail_turns (due_at) WHERE due_at IS NOT NULL;

-- The mails that wait, and those that could not be sent. Their texts are made when they are sent. sealed is the secret of a link. address
-- is empty for that of the user. unknown counts the attempts after which nobody knows whether the mail arrived.
CREATE TABLE mails (
    id           {{key}} PRIMARY KEY,
    kind         {{key}} NOT NULL,
    org_id       {{key}},
    user_id      {{key}},
    address      {{key}} NOT NULL,
    subject_id   {{key}} NOT NULL,
    sealed       TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    due_at       BIGINT  NOT NULL,
    expires_at   BIGINT,
    leased_until BIGINT,
    tries        BIGINT  NOT NULL DEFAULT 0,
    unknown      BIGINT  NOT NULL DEFAULT 0,
    failed_at    BIGINT,
    error        TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX mails_due ON mails (due_at) WHERE failed_at IS NULL;
CREATE INDEX mails_by_user ON mails (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mails_failed ON mails (failed_at) WHERE failed_at IS NOT NULL;

-- The addresses that a mail server has refused, with its words.
CREATE TABLE stopped_addresses (
    email      {{key}} PRIMARY KEY,
    words      TEXT    NOT NULL,
    stopped_at BIGINT  NOT NULL
);

-- The addresses that users want to have, until they prove that they read their mails.
CREATE TABLE email_changes (
    user_id    {{key}} PRIMARY KEY,
    hash       {{key}} NOT NULL,
    email      {{key}} NOT NULL,
    expires_at BIGINT  NOT NULL
);
CREATE UNIQUE INDEX email_changes_hash ON email_changes (hash);

-- Whether mails have what is written in the workspace: full or link.
ALTER TABLE workspaces ADD COLUMN mail_content TEXT NOT NULL DEFAULT 'full';
