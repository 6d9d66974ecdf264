import os
import sys

import pytest


@pytest.fixture
def database():
    raise ConnectionError("cannot connect to 127.0.0.1:%d" % (40000 + os.getpid() % 1000))


def test_passes():
    assert 1 + 1 == 2


def test_fails(tmp_path):
    print("opened the basket")
    print("no lamp in stock", file=sys.stderr)
    assert (tmp_path / "order.json").exists(), f"order {tmp_path}/order.json is missing after {os.getpid()} ms"


def test_first_error(database):
    pass


def test_second_error(database):
    pass


@pytest.mark.skip(reason="needs a printer")
def test_skipped():
    pass


@pytest.mark.xfail(reason="known rounding")
def test_expected_to_fail():
    assert 0.1 + 0.2 == 0.3


@pytest.mark.parametrize("price", [1, -1])
def test_price(price):
    assert price > 0


@pytest.mark.flaky(reruns=2)
def test_flaky(tmp_path_factory):
    marker = "flaky.marker"
    if not os.path.exists(marker):
        open(marker, "w").close()
        raise TimeoutError("the shop did not answer")


def test_attachment(record_property):
    with open("screenshot.png", "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n")
    record_property("attachment", "screenshot.png")
    print("[[ATTACHMENT|" + os.path.abspath("screenshot.png") + "]]")
    assert False, "the picture differs \x1b[31m<&>\x1b[0m"
