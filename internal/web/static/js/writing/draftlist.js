// The drafts of new reports that this browser keeps, beside the title of the form. One that is discarded comes back by Undo.
import { drafts } from "../app.js";

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const units = [["year", 31536e6], ["month", 2592e6], ["day", 864e5], ["hour", 36e5], ["minute", 6e4]];

function ago(at) {
  const age = Date.now() - at, [unit, size] = units.find(([, ms]) => age >= ms) ?? units.at(-1);
  return new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" }).format(-Math.floor(age / size), unit);
}

export class DraftList {
  constructor(form) {
    this.form = form;
    this.menu = form.querySelector("#report-drafts");
    this.menu.addEventListener("beforetoggle", ({ newState }) => { if (newState === "open") this.show(); });
    this.menu.addEventListener("click", (event) => this.clicked(event));
    this.show();
  }

  // all returns the keys of the other drafts of the reader, the newest first. One without a title or a text is none.
  all() {
    const { draft } = this.form.dataset;
    return drafts.keys(`${draft.split(" ")[0]} wsp_`)
      .map((key) => ({ key, ...drafts.read(key) }))
      .filter(({ key, address, summary, description }) => key !== draft && isAddress(address) && (summary || description))
      .sort((a, b) => b.at - a.at);
  }

  show() {
    const all = this.all(), button = this.form.querySelector("[data-drafts]");
    button.hidden = !all.length;
    button.querySelector("[data-draft-count]").textContent = all.length;
    button.querySelector("[data-draft-word]").hidden = all.length === 1;
    this.menu.querySelector("ul").replaceChildren(...all.map((draft) => this.entry(draft)));
    if (!all.length && this.menu.matches(":popover-open")) this.menu.hidePopover();
  }

  entry({ key, summary, description, at, address, place }) {
    const entry = this.form.copy("draft"), title = (summary || description).trim().split("\n")[0].slice(0, 200);
    entry.querySelector("a").href = address;
    entry.querySelector(".menu-text").textContent = title;
    entry.querySelector(".draft-about").textContent = `${place} · ${ago(at)}`;
    const button = entry.querySelector("button");
    button.value = key;
    button.ariaLabel += ` ${title}`;
    return entry;
  }

  clicked(event) {
    const button = event.target.closest("button"), link = event.target.closest("a");
    if (link && !this.form.files.length) { // what is typed is kept as a draft, too
      this.form.save();
      this.form.sent = true;
    }
    if (!button) return;
    this.discard(button.value);
    this.show();
    (this.menu.querySelector("button") ?? this.form.querySelector("[data-undo-draft]")).focus();
  }

  // discard removes a draft, and offers to bring it back.
  discard(key) {
    const draft = drafts.read(key), notice = this.form.copy("discarded");
    drafts.remove(key);
    notice.querySelector("[data-undo-draft]").addEventListener("click", () => {
      if (draft) drafts.write(key, draft);
      notice.remove();
      if (key === this.form.dataset.draft) this.form.restore();
      this.show();
      this.form.field("summary").focus();
    });
    this.form.notify(notice);
  }
}

const isAddress = (address) => typeof address === "string" && address.startsWith("/new?");
