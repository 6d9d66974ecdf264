package output

import (
	"fmt"
	"time"
)

// Ago returns how long ago something was, as people say it. A time in the future is "in" a while.
func Ago(d time.Duration) string {
	if d < 0 {
		return "in " + amount(-d)
	}
	if d < time.Minute {
		return "just now"
	}
	return amount(d) + " ago"
}

func amount(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Hour:
		return Count(int64(d/time.Minute), "minute")
	case d < day:
		return Count(int64(d/time.Hour), "hour")
	case d < 60*day:
		return Count(int64(d/day), "day")
	case d < 730*day:
		return Count(int64(d/(30*day)), "month")
	}
	return Count(int64(d/(365*day)), "year")
}

// Count returns a number with its noun, in the singular for one.
func Count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Size returns a number of bytes as people read it.
func Size(n int64) string {
	units := []string{"B", "kB", "MB", "GB"}
	v, unit := float64(n), 0
	for v >= 1000 && unit < len(units)-1 {
		v, unit = v/1000, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, units[unit])
}
