import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShopTest {
    @Test
    void passes() {
        assertEquals(2, 1 + 1);
    }

    @Test
    void fails() {
        System.out.println("opened the basket");
        System.err.println("no lamp in stock");
        assertEquals("3 lamps", "2 lamps", "the basket is wrong");
    }

    @Test
    void raises() {
        throw new IllegalStateException("no price for " + new Object(), new RuntimeException("price list is empty"));
    }

    @Test
    @Disabled("needs a printer")
    void skipped() {}

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void price(int price) {
        assertEquals(Math.abs(price), price);
    }

    @Nested
    class Orders {
        @BeforeEach
        void connect() {
            throw new IllegalStateException("cannot connect to 127.0.0.1:5432");
        }

        @Test
        void lists() {}

        @Test
        void adds() {}
    }
}

class DatabaseTest {
    @BeforeAll
    static void connect() {
        throw new IllegalStateException("no database");
    }

    @Test
    void reads() {}

    @Test
    void writes() {}
}
