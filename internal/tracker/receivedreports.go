package tracker

import "time"

// receivedRetention is the time in which a report that a browser sends again is taken once. A browser keeps one for 7 days.
const receivedRetention = 8 * 24 * time.Hour
