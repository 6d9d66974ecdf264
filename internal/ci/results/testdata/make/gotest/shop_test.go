package shop

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPasses(t *testing.T) {}

func TestFails(t *testing.T) {
	fmt.Println("opened the basket")
	t.Logf("took %s", time.Now())
	t.Errorf("basket at %p has 2 lamps, want 3", t)
	t.Error("the total differs\n  got:  10\n  want: 15")
}

func TestSkipped(t *testing.T) { t.Skip("needs a printer") }

func TestPrice(t *testing.T) {
	for _, price := range []int{1, -1} {
		t.Run(fmt.Sprint(price), func(t *testing.T) {
			if price < 0 {
				t.Fatalf("price %d is negative", price)
			}
		})
	}
}

func TestFlaky(t *testing.T) {
	if _, err := os.Stat("flaky.marker"); err != nil {
		os.WriteFile("flaky.marker", nil, 0o600)
		t.Fatal("the shop did not answer")
	}
}

func TestArtifact(t *testing.T) {
	os.WriteFile(filepath.Join(t.ArtifactDir(), "screenshot.png"), []byte("\x89PNG"), 0o600)
	t.Error("the picture differs")
}
