-- +goose Up

-- The version of a space increases with every change: the ETag is made from it.
ALTER TABLE spaces ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
