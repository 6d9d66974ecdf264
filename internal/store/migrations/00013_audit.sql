-- +goose Up

-- The request in which an event was caused, and the address from which its client sent it: null for what the
-- operator or the service itself does, and for events of before. No list of events shows them, and no export holds them.
ALTER TABLE events ADD COLUMN request_id {{key}};
ALTER TABLE events ADD COLUMN client_address {{key}};
