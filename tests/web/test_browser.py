"""The explorer in a real browser: every page, light and dark, at a desk and on a phone, by keyboard alone."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager

import pytest

import counterpoise as cp
from browser import DESK, PHONE, Opened, open_sandbox

pytestmark = pytest.mark.slow

SENTENCE = "He told his mother that the nurse was late."
PAGES = {
    "runs": "/runs",
    "search": "/runs?q=before",
    "run": "/runs/{before}",
    "evil": "/runs/{evil}",
    "tables": "/runs/{before}/items",
    "items": "/runs/{evil}/items/own",
    "all columns": "/runs/{evil}/items/own?sort=own&desc=true&view=all",
    "choose": "/compare",
    "compare": "/compare?run={before}&run={deep/after}",
    "ask": "/probe",
    "probe": f"/probe?text={SENTENCE}",
    "swap": "/swap",
    "api": "/api",
}


@pytest.fixture
def visit(browser, address, ids):
    """Opens a page of the server and keeps what it asked for and complained about."""

    @contextmanager
    def opened(path, size=DESK, is_open=False, **options):
        context = browser.new_context(viewport=size, base_url=address, **options)
        page = context.new_page()
        if is_open:
            context.route(f"{address}/**", open_sandbox)
        found = Opened(page)
        page.on("request", lambda request: found.requests.append(request.url))
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (found.complaints.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda message: found.complaints.append(message.text))
        page.goto(path.format(**ids), wait_until="networkidle")
        yield found
        assert found.complaints == []
        assert [url for url in found.requests if not url.startswith((f"{address}/", "data:"))] == []
        context.close()

    return opened


SANDBOXED = ("run", "evil", "compare")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_serves_everyone(visit, name):
    with visit(PAGES[name], is_open=name in SANDBOXED) as found:
        assert found.overflow() <= 0
        assert found.violations() == []
        found.page.emulate_media(color_scheme="dark")
        assert found.violations() == []
        found.page.set_viewport_size(PHONE)
        assert found.overflow() <= 0


def test_dark_is_dark(visit):
    with visit("/probe", color_scheme="dark") as found:
        paper = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert max(map(int, re.findall(r"\d+", paper))) < 60


def test_a_probe_is_typed_and_read_back(visit, builtin):
    with visit("/probe") as found:
        page = found.page
        page.fill("#text", SENTENCE)
        page.click("button:has-text('Probe')")
        page.wait_for_selector(".probe")
        swapper = cp.text.Swapper()
        versions = [swapper.swap(SENTENCE, to=side) for side in ("male", "female")]
        assert page.locator(".version").all_inner_texts() == versions
        assert page.locator("mark.female").all_inner_texts() == ["She", "her", "mother"]
        male, female = builtin.pseudo_log_likelihood(versions)
        assert float(page.inner_text(".male-value")) == pytest.approx(
            male, abs=6e-4
        )  # three decimals are shown
        assert float(page.inner_text(".female-value")) == pytest.approx(female, abs=6e-4)
        strip = [float(text) for text in page.locator(".strip .num").all_inner_texts()]
        assert sum(strip) == pytest.approx(male - female, abs=0.005 * len(strip))
        assert page.locator(".fills caption").all_inner_texts() == ["he/she", "his/her", "father/mother"]


def test_a_probe_is_shared_as_a_link(visit):
    with visit("/probe", permissions=["clipboard-read", "clipboard-write"]) as found:
        page = found.page
        page.fill("#text", "Is she & he <b>?")
        page.click("button:has-text('Probe')")
        page.wait_for_selector(".probe")
        page.click("text=Copy a link")
        page.wait_for_selector("text=copied")
        link = page.evaluate("navigator.clipboard.readText()")
        page.goto("/runs")
        page.goto(link)
        assert page.input_value("#text") == "Is she & he <b>?"
        assert page.locator("mark.male").all_inner_texts() == ["he", "he"]


def test_a_swap_is_pasted_and_copied(visit):
    with visit("/swap", permissions=["clipboard-read", "clipboard-write"]) as found:
        page = found.page
        page.fill("#text", "She lost her hat.\n<script>alert(1)</script> he")
        page.select_option("#to", "male")
        page.click("button:has-text('Swap')")
        assert page.locator("del").all_inner_texts() == ["She", "her"]
        page.click("button:has-text('Copy')")
        page.wait_for_selector("text=copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == "He lost his hat.\n<script>alert(1)</script> he"


def test_100000_items_are_sorted_filtered_and_paged(visit):
    with visit("/runs/{large}/items/many?view=all") as found:
        page = found.page
        began = time.monotonic()
        page.click("thead >> text=own")
        assert page.get_attribute("th:has-text('own')", "aria-sort") == "ascending"
        assert page.inner_text("tbody tr:first-child td.num") == "0.0000"
        page.click("thead >> text=own")
        assert page.inner_text("tbody tr:first-child td.num") == "99999.0000"
        page.click("text=Last")
        assert page.inner_text("tbody tr:last-child td.num") == "0.0000"
        page.fill("#page", "1000")
        page.click("text=Go")
        assert page.inner_text("tbody tr:first-child td.num") == "50049.0000"
        page.fill("#q", "number 4242")
        page.click("button:has-text('Filter')")
        assert "11 of 100,000 items" in page.inner_text("main")
        page.fill("#q", "")
        page.click("text=More filters")
        page.select_option("#column", "own")
        page.fill("#high", "3")
        page.click("button:has-text('Filter')")
        values = page.locator("tbody td.num").all_inner_texts()
        assert values == ["3.0000", "2.0000", "1.0000", "0.0000"]
        assert time.monotonic() - began < 30


def test_runs_are_searched_and_compared(visit):
    with visit("/runs") as found:
        page = found.page
        page.fill("#q", "after")
        page.press("#q", "Enter")
        assert page.locator(".runs li").count() == 1
        page.click("text=Runs >> nth=0")
        page.check("[aria-label='compare before']")
        page.check("[aria-label='compare deep/after']")
        page.click("text=Compare the chosen runs")
        assert page.locator("h1").inner_text(timeout=20_000).endswith("gender bias compared")
        assert "leans" in page.locator(".headline").inner_text()
        page.click("text=Choose other runs")
        assert page.locator("input[name=run]:checked").count() == 2


def test_a_report_is_one_page_with_one_scroll_bar_and_leads_back(visit):
    with visit("/runs") as found:
        page = found.page
        page.click(".runs >> text=before")
        assert page.locator("h1").inner_text(timeout=20_000) == "Is before fair to women and men?"
        assert page.locator("svg").count() >= 1
        assert page.locator("iframe").count() == 0
        page.click("text=Item by item")
        page.click("main h3 a")
        assert page.locator("table.items tbody tr").count() == 50
        page.click("nav >> text=Runs")
        page.wait_for_url("**/runs")


def test_the_keyboard_is_enough(visit):
    with visit("/probe") as found:
        page = found.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "text"
        page.keyboard.type("He is a nurse.")
        for _ in range(5):  # two models, the words, the names, the button
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Probe"
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        page.keyboard.press("Enter")
        page.wait_for_selector(".probe")
        page.goto("/runs")
        page.focus("text=Compare >> nth=0")
        page.keyboard.press("Enter")
        page.wait_for_url("**/compare")
