-- +goose Up

-- subscriptions is 0 while a workspace has no webhook; otherwise a random number that changes
-- with every change of its webhooks, so that what a node has cached of them is never stale.
ALTER TABLE workspaces ADD COLUMN subscriptions BIGINT NOT NULL DEFAULT 0;

ALTER TABLE api_keys ADD COLUMN expiry_told_at BIGINT;
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE expiry_told_at IS NULL AND revoked_at IS NULL;

-- event_types is a space-separated list, or *. grant_… is whom the webhook acts for: what it
-- sends is what they may read at that moment. A deleted one is gone for everybody, and its
-- deliveries are removed in the background. failing_since is null while messages are taken;
-- blocked_until is when a receiver that asked for peace is asked again.
CREATE TABLE webhooks (
    id              {{key}} PRIMARY KEY,
    org_id          {{key}} NOT NULL REFERENCES organizations (id),
    workspace_id    {{key}} NOT NULL REFERENCES workspaces (id),
    url             TEXT    NOT NULL,
    description     TEXT,
    event_types     TEXT    NOT NULL,
    enabled         BIGINT  NOT NULL,
    disabled_reason {{key}},
    disabled_at     BIGINT,
    secret_last4    TEXT    NOT NULL,
    created_by_user {{key}},
    created_by_key  {{key}},
    grant_user      {{key}} REFERENCES users (id),
    grant_key       {{key}} REFERENCES api_keys (id),
    grant_scopes    TEXT    NOT NULL,
    failing_since   BIGINT,
    blocked_until   BIGINT  NOT NULL DEFAULT 0,
    version         BIGINT  NOT NULL DEFAULT 1,
    created_at      BIGINT  NOT NULL,
    updated_at      BIGINT  NOT NULL,
    deleted_at      BIGINT
);
CREATE INDEX webhooks_by_workspace ON webhooks (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX webhooks_deleted ON webhooks (id) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhooks_enabled ON webhooks (id) WHERE enabled = 1;

-- sealed is the encrypted secret. The newest has no expires_at.
CREATE TABLE webhook_secrets (
    id         {{key}} PRIMARY KEY,
    webhook_id {{key}} NOT NULL REFERENCES webhooks (id),
    sealed     TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    expires_at BIGINT
);
CREATE INDEX webhook_secrets_by_webhook ON webhook_secrets (webhook_id, created_at);

-- The queue. A waiting delivery has a due_at; one under way has it at the end of its lease, so
-- that it comes back by itself when its node dies. retry is 1 after a failed try.
CREATE TABLE deliveries (
    id           {{key}} PRIMARY KEY,
    webhook_id   {{key}} NOT NULL REFERENCES webhooks (id),
    workspace_id {{key}} NOT NULL,
    event_id     {{key}} NOT NULL,
    event_type   {{key}} NOT NULL,
    status       {{key}} NOT NULL DEFAULT 'pending',
    retry        BIGINT  NOT NULL DEFAULT 0,
    due_at       BIGINT  NOT NULL,
    leased_until BIGINT,
    tries        BIGINT  NOT NULL DEFAULT 0,
    attempts     BIGINT  NOT NULL DEFAULT 0,
    created_at   BIGINT  NOT NULL,
    finished_at  BIGINT,
    UNIQUE (event_id, webhook_id)
);
CREATE INDEX deliveries_waiting ON deliveries (webhook_id, retry, due_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_leased ON deliveries (webhook_id, leased_until) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);

CREATE TABLE delivery_attempts (
    id          {{key}} PRIMARY KEY,
    delivery_id {{key}} NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    at          BIGINT  NOT NULL,
    duration_ms BIGINT  NOT NULL,
    status      BIGINT,
    error       {{key}},
    body        TEXT
);
CREATE INDEX delivery_attempts_by_delivery ON delivery_attempts (delivery_id, id);
