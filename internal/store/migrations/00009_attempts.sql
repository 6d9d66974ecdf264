-- What an attempt shows does not tell whether a name leads to no address or to one that is not allowed.

-- +goose Up
UPDATE delivery_attempts SET error = 'address_not_allowed', duration_ms = 0 WHERE error IN ('dns', 'address_not_allowed');
