#include <gtest/gtest.h>
#include <stdexcept>

TEST(Basket, Passes) { EXPECT_EQ(1 + 1, 2); }

TEST(Basket, Fails) {
    int lamps = 2;
    EXPECT_EQ(lamps, 3) << "the basket is wrong";
    RecordProperty("attachment", "screenshot.png");
    ASSERT_EQ(lamps * 5, 15);
}

TEST(Basket, Throws) { throw std::runtime_error("no price"); }

TEST(Basket, Skipped) { GTEST_SKIP() << "needs a printer"; }

TEST(Basket, DISABLED_Later) {}

class Orders : public testing::Test {
    void SetUp() override { FAIL() << "cannot connect to 127.0.0.1:5432"; }
};

TEST_F(Orders, Lists) {}

TEST_F(Orders, Adds) {}
