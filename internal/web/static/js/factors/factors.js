// Passkeys, and recovery codes that are shown once. A form with data-passkey has the question for a passkey. Its button data-ask lets a
// passkey answer, which goes into the form with the answer. Without this script the button is not shown, and other ways work.

const able = Boolean(globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON);
let waiting = null; // ends the question that the page to sign in asks while it is filled in

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.querySelector(able ? "[data-ask]" : "[data-unable]")?.removeAttribute("hidden");
}
for (const shown of document.querySelectorAll("[data-download], [data-print]")) shown.removeAttribute("hidden");

// answerOf returns the answer of a passkey to the question of a form, as JSON.
async function answerOf(form, options) {
  const question = JSON.parse(form.dataset.passkey);
  const credential = form.hasAttribute("data-create") ?
    await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(question) }) :
    await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(question), ...options });
  return JSON.stringify(credential);
}

document.addEventListener("submit", async (event) => {
  const button = event.submitter, form = /** @type {Found} */ (event.target);
  if (!button?.matches("[data-ask]") || form.elements["proof-answer"].value) return;
  event.preventDefault();
  if (button.ariaDisabled) return;
  button.ariaDisabled = "true";
  const unanswered = form.querySelector("[data-unanswered]");
  unanswered.hidden = true;
  waiting?.abort();
  try {
    form.elements["proof-answer"].value = await answerOf(form, {});
    form.requestSubmit(button);
  } catch {
    unanswered.hidden = false;
  } finally {
    button.ariaDisabled = null;
  }
}, true);

// The page to sign in offers passkeys among the e-mail addresses that the browser knows.
const filled = document.querySelector("form[data-autofill]");
if (able && filled && await PublicKeyCredential.isConditionalMediationAvailable?.()) {
  waiting = new AbortController();
  try {
    filled.elements["proof-answer"].value = await answerOf(filled, { mediation: "conditional", signal: waiting.signal });
    filled.requestSubmit(filled.querySelector("[data-ask]"));
  } catch { /* the user signs in otherwise */ }
}

document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("[data-download]");
  if (link) {
    const text = document.getElementById(link.dataset.download).textContent;
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  }
  if (target.closest?.("[data-print]")) print();
});
