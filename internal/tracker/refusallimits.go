package tracker

import (
	"time"

	"bugslice/internal/throttle"
)

// refusalLimits slow down those who ask for what is taken: each refusal tells of a record that the caller may not see.
type refusalLimits struct {
	takenKeys      *throttle.Throttle // of workspaces, by caller
	takenAddresses *throttle.Throttle // of accounts, by the organisation of the invitation: the holder of its link may be its inviter
}

func newRefusalLimits(now func() time.Time) refusalLimits {
	return refusalLimits{
		takenKeys:      throttle.New(throttle.Limit{Failures: 5, Window: time.Hour, Pause: 10 * time.Minute}, now),
		takenAddresses: throttle.New(throttle.Limit{Failures: 20, Window: 24 * time.Hour, Pause: time.Hour}, now),
	}
}
