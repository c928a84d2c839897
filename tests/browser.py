"""A real Chromium for tests of pages, driven by Playwright; tests that need it are skipped where there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1200, "height": 900}


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser; skips the test where Chromium or Playwright is missing."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("needs chromium: none is installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        pytest.skip("needs chromium: the package playwright is not installed")
    # Root may not use Chromium's sandbox; the pages opened here are our own.
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page that was opened from disk, and everything it asked for or complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def violations(self) -> list[str]:
        """What axe-core finds serious or critical."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def overflow(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

    def out_of_view(self) -> list[str]:
        """What reaches beyond the window's sides, apart from what can be scrolled there."""
        return list(self.page.evaluate(_OUT_OF_VIEW))

    def cut_texts(self) -> list[str]:
        """The texts of pictures that reach beyond their picture."""
        return list(self.page.evaluate(_CUT_TEXTS))

    def smallest_text(self) -> float:
        """The size in pixels of the smallest text in a picture, as it is seen."""
        return float(self.page.evaluate(_SMALLEST_TEXT))

    def share_of_column(self) -> float:
        """The share of its column that the narrowest picture fills."""
        return float(self.page.evaluate(_SHARE_OF_COLUMN))


def open_sandbox(route: Any) -> None:
    """Takes the sandbox off a page, in which axe-core could not run either; for `context.route`."""
    response = route.fetch()
    headers = {name: value for name, value in response.headers.items() if name != "content-security-policy"}
    route.fulfill(response=response, headers=headers)


_PICTURES = "[...document.querySelectorAll('figure svg')].filter(svg => svg.getBoundingClientRect().width)"
_OUT_OF_VIEW = """
[...document.querySelectorAll('body *')].filter(element => {
    const box = element.getBoundingClientRect();
    return box.width && (box.right > innerWidth + 1 || box.left < -1) && !element.closest('.scroll');
}).map(element => element.tagName + ': ' + element.textContent.slice(0, 60))
"""
_CUT_TEXTS = f"""
{_PICTURES}.flatMap(svg => {{
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].filter(text => {{
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1
            || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    }}).map(text => text.textContent);
}})
"""
_SMALLEST_TEXT = f"""
Math.min(...{_PICTURES}.flatMap(svg => {{
    const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    return [...svg.querySelectorAll('text')].map(text => scale * parseFloat(getComputedStyle(text).fontSize));
}}))
"""
_SHARE_OF_COLUMN = f"""
Math.min(...{_PICTURES}.map(svg => svg.getBoundingClientRect().width / svg.closest('figure').clientWidth))
"""


@contextmanager
def opened(browser: Any, path: Path, size: dict[str, int] = DESK, **options: Any) -> Iterator[Opened]:
    """Opens a file as a reader would, with every detail unfolded."""
    context = browser.new_context(viewport=size, **options)
    page = context.new_page()
    found = Opened(page)
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (found.complaints.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: found.complaints.append(message.text))
    page.goto(path.resolve().as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    yield found
    context.close()
