package tracker

import (
	"errors"
	"time"
	_ "time/tzdata" // of machines without a database of time zones

	"bugslice/api"
)

const unknownZone = "there is no time zone of this name"

// loadZone returns a time zone by its name in the IANA database.
func loadZone(name string) (*time.Location, error) {
	if name == "" || name == "Local" { // which are names in Go alone
		return nil, errors.New(unknownZone)
	}
	return time.LoadLocation(name)
}

// completeZone sets the time zone of a workspace to UTC when it has none. It refuses an unknown one.
func completeZone(name *string) error {
	if *name == "" {
		*name = "UTC"
	}
	if _, err := loadZone(*name); err != nil {
		return api.InvalidMember("/timeZone", "unknown", unknownZone)
	}
	return nil
}
