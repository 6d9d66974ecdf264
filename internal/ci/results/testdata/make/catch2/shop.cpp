#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <iostream>
#include <stdexcept>

TEST_CASE("passes") { CHECK(1 + 1 == 2); }

TEST_CASE("fails", "[basket]") {
    std::cout << "opened the basket\n";
    std::cerr << "no lamp in stock\n";
    int lamps = 2;
    CHECK(lamps == 3);
    SECTION("total") { REQUIRE(lamps * 5 == 15); }
}

TEST_CASE("throws") { throw std::runtime_error("cannot connect to 127.0.0.1:5432"); }

TEST_CASE("may fail", "[!mayfail]") { CHECK(1 == 2); }
