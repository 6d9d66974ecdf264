package shop_test

import (
	"errors"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestShop(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Shop")
}

var tries int

var _ = Describe("basket", func() {
	It("passes", func() { Expect(1 + 1).To(Equal(2)) })

	It("fails", Label("total"), func() {
		GinkgoWriter.Println("opened the basket")
		Expect([]string{"lamp", "lamp"}).To(HaveLen(3))
	})

	It("panics", func() { panic(errors.New("no price")) })

	It("is skipped", func() { Skip("needs a printer") })

	PIt("is pending", func() {})

	It("is flaky", FlakeAttempts(2), func() {
		tries++
		Expect(tries).To(Equal(2))
	})
})

var _ = Describe("orders", func() {
	BeforeEach(func() { Fail("cannot connect to 127.0.0.1:5432") })

	It("lists", func() {})

	It("adds", func() {})
})
