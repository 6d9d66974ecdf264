package tracker

import (
	"math/rand/v2"
	"time"
)

// jitter changes a delay by up to a fifth, so that deliveries and mails that failed together are not retried together.
func jitter(d time.Duration) time.Duration { return d*4/5 + rand.N(d*2/5+1) }
