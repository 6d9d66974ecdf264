// Package suite tries the service from outside: its tests start the real binary on both
// databases and hold every exchange against the OpenAPI document. It has no code of its own.
package suite
