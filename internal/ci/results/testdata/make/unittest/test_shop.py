import sys
import unittest


class BasketTest(unittest.TestCase):
    def test_passes(self):
        self.assertEqual(2, 1 + 1)

    def test_fails(self):
        print("opened the basket")
        print("no lamp in stock", file=sys.stderr)
        self.assertEqual("3 lamps", "2 lamps", "the basket is wrong")

    def test_raises(self):
        raise KeyError("lamp")

    @unittest.skip("needs a printer")
    def test_skipped(self):
        pass

    def test_subtests(self):
        for price in (1, -1, -2):
            with self.subTest(price=price):
                self.assertGreater(price, 0)


class DatabaseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise ConnectionError("cannot connect to 127.0.0.1:5432")

    def test_reads(self):
        pass

    def test_writes(self):
        pass
