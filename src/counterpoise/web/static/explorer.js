// Copying to the clipboard. Everything else works without a script.
"use strict";

function copied(button, text) {
  const status = button.parentElement.querySelector("[role=status]");
  navigator.clipboard.writeText(text).then(
    () => { status.textContent = "copied"; },
    () => { status.textContent = "the browser does not allow copying; select the text instead"; },
  );
}

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", () => copied(button, document.getElementById(button.dataset.copy).value));
}
for (const button of document.querySelectorAll("[data-copy-link]")) {
  button.addEventListener("click", () => copied(button, location.href));
}
