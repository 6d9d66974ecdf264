package static

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

type colour [3]float64

// light returns a colour of OKLCH as linear light of sRGB.
func light(l, c, hue float64) colour {
	a, b := c*math.Cos(hue*math.Pi/180), c*math.Sin(hue*math.Pi/180)
	x, y, z := cube(l+0.3963377774*a+0.2158037573*b), cube(l-0.1055613458*a-0.0638541728*b),
		cube(l-0.0894841775*a-1.2914855480*b)
	return clamped(colour{4.0767416621*x - 3.3077115913*y + 0.2309699292*z, -1.2684380046*x +
		2.6097574011*y - 0.3413193965*z,
		-0.0041960863*x - 0.7034186147*y + 1.7076147010*z})
}

func cube(v float64) float64 { return v * v * v }

func clamped(c colour) colour {
	for i, v := range c {
		c[i] = min(max(v, 0), 1)
	}
	return c
}

// visions are the simulations of Machado, Oliveira and Fernandes (2009), with full severity.
var visions = map[string][3]colour{
	"trichromacy":  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func (c colour) seen(by [3]colour) (out colour) {
	for i, row := range by {
		out[i] = row[0]*c[0] + row[1]*c[1] + row[2]*c[2]
	}
	return clamped(out)
}

// lab returns the colour in OKLab.
func (c colour) lab() colour {
	x := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	y := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	z := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return colour{0.2104542553*x + 0.7936177850*y - 0.0040720468*z, 1.9779984951*x - 2.4285922050*y + 0.4505937099*z,
		0.0259040371*x + 0.7827717662*y - 0.8086757660*z}
}

func difference(a, b colour) float64 {
	a, b = a.lab(), b.lab()
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

func contrast(a, b colour) float64 {
	luminance := func(c colour) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] + 0.05 }
	return max(luminance(a)/luminance(b), luminance(b)/luminance(a))
}

// TestColoursOfPlots: in both themes the series of a plot have a contrast of 3 with what is behind them, and differ
// from each other, also for people who see red and green, or blue and yellow, alike.
func TestColoursOfPlots(t *testing.T) {
	sheets := string(read("css/tokens.css")) + string(read("css/overview/overview.css"))
	named := func(name string, theme int) colour {
		const value = `oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)`
		m := regexp.MustCompile(`--` + name + `: light-dark\(` + value + `, ` + value + `\)`).FindStringSubmatch(sheets)
		if m == nil {
			t.Fatalf("no colour %s", name)
		}
		var v [3]float64
		for i := range v {
			v[i], _ = strconv.ParseFloat(m[1+3*theme+i], 64)
		}
		return light(v[0], v[1], v[2])
	}
	for theme, themeName := range []string{"light", "dark"} {
		for name, vision := range visions {
			series := []colour{named("opened", theme).seen(vision), named("resolved", theme).seen(vision)}
			for _, ground := range []string{"canvas", "hover"} {
				for i, c := range series {
					if got := contrast(c, named(ground, theme).seen(vision)); got < 3 {
						t.Errorf("%s, %s: series %d has a contrast of %.2f with %s", themeName, name, i, got, ground)
					}
				}
			}
			if got := difference(series[0], series[1]); got < 0.2 {
				t.Errorf("%s, %s: the series differ by %.2f", themeName, name, got)
			}
		}
	}
}
