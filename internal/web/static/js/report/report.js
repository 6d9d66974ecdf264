// The page of a report: its forms are sent, and its links to forms followed, without loading the page. Of the answer, the parts that
// have another version replace those that are shown. Unsent texts stay, and so does evidence until the reader asks for what is new.
const report = () => document.querySelector(".report");

const isUnsent = (form) => !form.sending && [...form.querySelectorAll("textarea, input[type=text]")].some((f) => f.value !== f.defaultValue);

// showParts shows the parts of a page. A part or a comment with unsent text stays.
function showParts(page) {
  const next = page.querySelector(".report");
  const shown = report();
  for (const { name, value } of next.attributes) if (name.startsWith("data-")) shown.setAttribute(name, value);
  for (const part of next.querySelectorAll("[data-part][id]")) {
    const former = document.getElementById(part.id);
    if (part.id === "report-head") showEnvironment(part);
    if (!former || former.outerHTML === part.outerHTML) continue;
    const unsent = [...former.querySelectorAll("form[data-draft]")].filter(isUnsent).map((form) => form.closest("li[id]"));
    if (unsent.includes(null)) continue;
    if (part.id === "report-conversation" && isOtherConversation(former, part)) continue;
    if (part.id === "report-files") keepFiles(former, part);
    for (const comment of unsent) part.querySelector(`#${comment.id}`)?.replaceWith(comment);
    former.replaceWith(part);
    htmx.process(part);
  }
  offerEvidence(next);
  if (page.title) document.title = page.title;
  document.dispatchEvent(new CustomEvent("parts:shown"));
}

// showEnvironment shows in a head the system of the occurrence whose evidence the page shows. The head may be that of a page with another one.
function showEnvironment(head) {
  head?.querySelector(".environment")?.remove();
  head?.append(document.querySelector("#report-evidence > [data-environment]").content.cloneNode(true));
}

// keepFiles keeps the further files that were loaded. The way to more begins again after the first ones when files were added or removed.
function keepFiles(former, part) {
  const loaded = [...former.querySelectorAll("[data-loaded]")].filter((file) => !part.querySelector(`#${file.id}`));
  part.querySelector("[data-entries]").append(...loaded);
  if (loaded.length && former.dataset.count === part.dataset.count) part.querySelector("#report-more-files").replaceWith(former.querySelector("#report-more-files"));
}

// offerEvidence offers evidence that a later page of the report has: more of a kind, or a newer one in the place of another. Where nothing was
// captured, it is shown at once, unless the reader is there.
function offerEvidence(next) {
  const [box, later] = [document.getElementById("report-evidence"), next.querySelector("#report-evidence")];
  const [shown, counts] = [box, later].map((element) => element.dataset.evidence.split(" ").map(Number));
  if (!counts.some((n, i) => n > shown[i]) && later.dataset.newestEvidence <= box.dataset.newestEvidence) return;
  const offer = box.querySelector("[data-evidence-offer]");
  if (shown.some(Boolean) || box.contains(document.activeElement)) offer.dataset.open = "";
  else offer.querySelector("a").click();
}
let accepted = false; // whether the reader has asked for evidence with the focus on the offer
document.addEventListener("click", ({ target }) => { if (target.closest?.("[data-evidence-offer]")) accepted = target.matches(":focus"); }, true);
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => { // the stage that is shown is not the one to preserve
  if (ctx.target?.id === "report-evidence") ctx.target.querySelector("report-stage")?.removeAttribute("id");
});
document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.target?.id !== "report-evidence") return;
  showEnvironment(document.getElementById("report-head"));
  if (!accepted) return;
  accepted = false;
  document.querySelector("#report-evidence [data-tab][aria-current]")?.focus({ preventScroll: true });
});

// A page of the report that others have changed is shown, and what has changed on it is marked for a moment. What the reader types in, and what
// has the focus, stays where it is.
// An error in it does not keep later requests from being sent.
for (const type of ["live:page", "own:page"]) {
  document.addEventListener(type, ({ detail }) => { asked = asked.then(() => follow(detail, type === "live:page")).catch(reportError); });
}

function follow(page, isMarked) {
  const next = page.querySelector(".report"), shown = report();
  if (!next) return shown && showNotice((page.querySelector("[data-part-deleted]") ?? shown.querySelector("[data-part-gone]")).content.firstElementChild.cloneNode(true));
  document.querySelector("#main > [data-stays]")?.remove(); // it is restored
  if (isLeft(next.dataset.reference) || Number(next.dataset.version) < Number(shown.dataset.version)) return;
  const former = new Set(told().map(textOf));
  const held = document.activeElement, top = held.getBoundingClientRect().top;
  showParts(page);
  if (!held.isConnected && held.id) focusOn(held.id);
  else if (held.isConnected && held.matches(".report textarea, .report input")) {
    (held.closest("[data-pane]") ?? document.scrollingElement).scrollBy(0, held.getBoundingClientRect().top - top);
  }
  const changed = told().filter((element) => !former.has(textOf(element)));
  if (!isMarked || !changed.length) return;
  const said = shown.querySelector("[data-part-changed]");
  said.textContent = said.dataset.partChanged;
  for (const element of changed) {
    element.dataset.marked = "";
    setTimeout(() => { delete element.dataset.marked; said.textContent = ""; }, 4000);
  }
}

// told are the elements that say one thing each. Their text does not include the time, which passes.
const told = () => [...report().querySelectorAll(".report-title, .fields > div, .report-description > .prose, .report-files > li, .entries > .changes, .comment-body")];
function textOf(element) {
  const copy = element.cloneNode(true);
  copy.querySelectorAll("time").forEach((time) => time.remove());
  return copy.textContent;
}

// isOtherConversation returns whether a part of the conversation is another one than that which is shown. Then its comments are
// replaced. Otherwise the earlier comments that were loaded stay before it.
function isOtherConversation(former, part) {
  const entries = (element) => [...element.querySelectorAll(".entries > li")];
  const { until } = part.dataset;
  if (until !== former.dataset.until) {
    const loaded = entries(former).filter((entry) => entry.dataset.loaded === until && entry.id);
    for (const entry of loaded.length ? loaded : entries(former)) {
      const next = entry.id && part.querySelector(`#${entry.id}`);
      if (next && next.outerHTML !== entry.outerHTML) {
        if (loaded.length) next.dataset.loaded = until;
        entry.replaceWith(next);
        htmx.process(next);
      } else if (!next && loaded.length) entry.remove();
    }
    return true;
  }
  const first = entries(part).find((entry) => entry.id);
  const at = entries(former).findIndex((entry) => first && entry.id === first.id);
  if (at > 0 && former.querySelector("[data-loaded]")) {
    for (const entry of entries(part).slice(0, entries(part).indexOf(first))) entry.remove();
    part.querySelector(".entries").prepend(...entries(former).slice(0, at));
    part.querySelector("#report-earlier").replaceWith(former.querySelector("#report-earlier"));
  }
  return false;
}

function showNotice(notice) {
  const main = document.getElementById("main");
  main.querySelectorAll(":scope > .notice:not([data-lost])").forEach((n) => n.remove());
  if (!notice) return;
  notice.dataset.notice = "";
  main.append(notice);
  htmx.process(notice);
  document.dispatchEvent(new CustomEvent("notice:shown"));
}

const isSignIn = (response) => response.redirected && new URL(response.url).pathname === "/login";

// lost says that nothing was answered.
function lost() {
  const template = report()?.querySelector("template[data-part-lost]");
  if (template) showNotice(template.content.firstElementChild.cloneNode(true));
}

// ask asks for a page, and shows its parts, unless the reader has gone on to another page meanwhile. It returns whether the answer is the page
// that was asked for. One request follows the other. When the session has ended, again asks once more after the password.
let asked = Promise.resolve(); // the last request
const ask = (reference, url, again, body) => (asked = asked.then(() => request(reference, url, again, body)));

async function request(reference, url, again, body) {
  const shown = report() ?? {};
  const options = body && { method: "POST", body: body() };
  shown.ariaBusy = "true";
  try {
    const response = await fetch(url, { ...options, headers: { Accept: "text/html" } });
    if (isSignIn(response)) return document.dispatchEvent(new CustomEvent("session:ended", { detail: { again } })), false;
    const page = await pageOf(response);
    const next = page.querySelector(".report");
    const isAsked = next?.dataset.reference === reference;
    if (isLeft(reference)) {
      if (options && !response.ok) showNotice(page.querySelector("main > .notice"));
      return response.ok && isAsked;
    }
    if (!isAsked) { // a report that is deleted, a session that has ended, a problem
      if (response.redirected || !options) return location.assign(response.url), false;
      const deleted = page.querySelector("[data-part-deleted]");
      if (deleted) return showNotice(deleted.content.firstElementChild.cloneNode(true)), false;
      const text = page.querySelector("main h1")?.textContent ?? "";
      lost();
      const notice = document.querySelector("[data-notice] p");
      if (notice && text) notice.textContent = text;
      return false;
    }
    showParts(page);
    showNotice(page.querySelector("main > .notice"));
    return response.ok;
  } catch {
    lost();
    return false;
  } finally {
    shown.ariaBusy = null;
  }
}

const isLeft = (reference) => report()?.dataset.reference !== reference;
const within = (element) => element && report()?.closest("main, [data-pane]").contains(element);
const focusOn = (id) => document.getElementById(id)?.focus();

// fieldsOf returns the fields of a form that waited for a request, with the version of the report since.
function fieldsOf(form, fields) {
  const next = !form.isConnected && form.id && document.getElementById(form.id);
  if (next && fields.has("version")) fields.set("version", next.elements.version.value);
  return new URLSearchParams(fields);
}

async function send(form, submitter, reference = report().dataset.reference) {
  const menu = submitter?.closest(".menu");
  const opener = menu && (menu.opener ?? document.querySelector(`.report [popovertarget="${menu.id}"]`))?.id;
  const isComment = form.id === "comment-form";
  const editor = form.closest(".comment, [data-part]");
  const fields = new FormData(form, submitter), text = form.querySelector("textarea")?.value;
  menu?.hidePopover();
  form.sending = true;
  const sent = await ask(reference, form.action, () => send(form, submitter, reference), () => fieldsOf(form, fields));
  form.sending = false;
  if (isLeft(reference)) {
    if (sent && form.dataset.draft) drafts.remove(form.dataset.draft);
    return;
  }
  if (!sent) {
    const invalid = report()?.querySelector(".conflict .code, [aria-invalid]");
    invalid?.focus();
    return;
  }
  drafts.sent(form);
  if (isComment) {
    const field = form.querySelector("textarea"), later = field.value.startsWith(text) ? field.value.slice(text.length).trimStart() : field.value;
    form.reset();
    field.value = field.defaultValue = "";
    form.elements.once.value = crypto.getRandomValues(new Uint32Array(4)).join("");
    form.querySelector("[data-draft-note]").hidden = true;
    if (later) { // typed while the comment was being sent
      field.value = later;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    document.querySelector(".entries > .comment:last-of-type")?.scrollIntoView({ block: "nearest" });
  } else if (submitter?.name === "task") {
    document.getElementById(editor.id)?.querySelector(`.task[value="${submitter.value}"]`)?.focus();
  } else if (opener) {
    focusOn(opener);
  } else if (editor) {
    (document.getElementById(editor.id)?.querySelector(".edit") ?? document.getElementById("main")).focus();
  }
  document.getElementById("originals")?.closest("dialog")?.close();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const undo = form.matches("[action='/reports/undo']") && form.elements.next?.value.split("?")[0] === `/${report()?.dataset.reference}`;
  if (!undo && !(report() && form.matches("[data-restore]")) && !(form.matches("[data-send]") && within(form))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (form.uploads?.size) sendUploaded(form, event.submitter);
  else if (!form.sending || form.id === "report-change") send(form, event.submitter);
}, true);

// sendUploaded sends a form once its pictures are uploaded: until then its text has notes in their place.
async function sendUploaded(form, submitter) {
  if (form.waiting) return;
  form.waiting = true;
  const uploaded = await Promise.all(form.uploads);
  form.waiting = false;
  if (form.isConnected && uploaded.every(Boolean)) form.requestSubmit(submitter?.isConnected ? submitter : null);
}

// A link to a form shows it in its place, and the link back shows the part without it. An unsent text is dropped by Cancel alone.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-fetch]");
  if (!link || !within(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const holder = link.closest("[data-part]").id, comment = link.closest("li[id]")?.id;
  const form = link.closest("form[data-draft]"), { reference } = report().dataset;
  if ("cancel" in link.dataset && form) {
    drafts.sent(form);
    for (const field of form.querySelectorAll("textarea, input[type=text]")) field.defaultValue = field.value;
  }
  if (!await ask(reference, link.href, () => link.click()) || isLeft(reference)) return;
  const part = document.getElementById(comment ?? holder);
  (part.querySelector("form textarea, form input[type=text]") ?? part.querySelector(".edit"))?.focus();
}, true);

// Earlier comments are loaded before those that are shown, and more files after them.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-load]");
  if (!link || !within(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  const { reference } = report().dataset, holder = link.closest("[data-part]").id, way = link.closest("div").id;
  try {
    let added = [], next = link;
    for (; next && !added.length; next = document.querySelector(`#${way} a[data-load]`)) {
      const response = await fetch(next.href, { headers: { Accept: "text/html" } });
      const part = (await pageOf(response)).getElementById(holder);
      if (isLeft(reference)) return;
      if (!part) return location.assign(next.href);
      added = [...part.querySelectorAll("[data-entries] > li")].filter((entry) => !entry.id || !document.getElementById(entry.id));
      for (const entry of added) entry.dataset.loaded = part.dataset.until ?? "";
      const list = document.querySelector(`#${holder} [data-entries]`);
      if (way === "report-earlier") list.prepend(...added); else list.append(...added);
      htmx.process(list);
      document.getElementById(way).replaceWith(part.querySelector(`#${way}`));
      document.querySelectorAll(`#${way} a:not([data-load])`).forEach((first) => first.remove());
    }
    (way === "report-earlier" ? document.querySelector("#report-earlier a, #report-conversation .comment-time") : added[0]?.querySelector("a"))?.focus({ preventScroll: true });
    document.dispatchEvent(new CustomEvent("parts:shown"));
  } catch {
    lost();
  } finally {
    link.ariaBusy = null;
  }
}, true);

// An address with a comment that is not shown leads to its part of the conversation.
function findComment() {
  const id = location.hash.slice(1), url = new URL(location);
  const more = document.querySelector("#report-conversation :is([data-load], [data-latest])");
  if (!more || !/^cmt_[0-9a-z]{26}$/.test(id) || document.getElementById(id) || url.searchParams.get("comment") === id) return;
  url.searchParams.set("comment", id);
  location.replace(url);
}
for (const [target, type] of [[window, "hashchange"], [document, "htmx:after:swap"]]) target.addEventListener(type, findComment);
findComment();

// A link with data-copy-from copies its page, or leads to it where the browser does not copy.
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy-from]");
  if (!button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  try {
    const response = await fetch(button.href);
    if (!response.ok || response.redirected) throw new Error();
    if (await copyText(await response.text())) showOn(button, button.querySelector("[data-copy-label]").dataset.copied);
    else location.assign(button.href);
  } catch { lost(); }
}, true);

// The dialog that looks for the original of a duplicate.
async function originals(url) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  return (await pageOf(response)).getElementById("originals");
}
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-originals]");
  if (!link || !within(link) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  link.closest(".menu")?.hidePopover();
  const { reference } = report().dataset;
  try {
    const dialog = await originals(link.href);
    if (isLeft(reference)) return;
    if (!dialog) return location.assign(link.href);
    dialog.removeAttribute("open");
    document.getElementById("report-originals").replaceChildren(dialog);
    dialog.showModal();
    dialog.querySelector("[type=search]").focus();
  } catch { lost(); }
}, true);
let finding = 0;
document.addEventListener("input", ({ target }) => {
  const form = target.closest?.(".originals-search");
  if (!form) return;
  clearTimeout(finding);
  finding = setTimeout(async () => {
    try {
      const found = await originals(`${form.action}?${new URLSearchParams(new FormData(form))}`);
      const shown = document.getElementById("originals");
      if (found && shown && target.value === found.querySelector("[type=search]").value.trim()) shown.querySelector("#originals-form").replaceWith(found.querySelector("#originals-form"));
    } catch { /* the list stays */ }
  }, 200);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches(".originals-search") || !document.querySelector("#originals:modal")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  document.querySelector("#originals .originals-list button")?.click();
}, true);
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#originals [data-close]");
  if (!link || !link.closest("dialog:modal")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  link.closest("dialog").close();
}, true);
document.addEventListener("keydown", (event) => {
  const dialog = event.target.closest?.("#originals");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!dialog || !step) return;
  const all = [dialog.querySelector("[type=search]"), ...dialog.querySelectorAll(".originals-list button")];
  event.preventDefault();
  all[Math.max(0, Math.min(all.indexOf(document.activeElement) + step, all.length - 1))].focus();
});
document.addEventListener("upload:failed", ({ target, detail }) => {
  if (!within(target)) return;
  lost();
  if (detail) document.querySelector("[data-notice] p").textContent = detail;
});
document.addEventListener("preview:failed", ({ target }) => { if (within(target)) lost(); });
