// The form of a new report: its files, which are sent once it is filed; the draft that this browser keeps; similar reports; the
// preview. Without this script the form is sent as it is.
import { dispatch, drafts, minimal, pageOf, partial } from "../app.js";
import { DraftList } from "./draftlist.js";
import { FileForm } from "./fileform.js";
import { showPicks } from "./picks.js";

const ended = (again) => dispatch(document, "session:ended", { again });
const notDrafted = ["once", "workspaceId", "next", "another"];
const faulty = "[aria-invalid]:not(.no-script, .no-script *), [data-fault]"; // the fields that people see
const defaults = { status: "open" };
const reference = /^\/([A-Z][A-Z0-9]{1,5}-\d+)$/;

class ReportForm extends FileForm {
  changes = 0; // of the workspace
  touched = false;

  get unsent() { return !this.sent && (this.touched || this.files.length > 0); }

  connectedCallback() {
    const started = this.started;
    super.connectedCallback();
    if (started) return;
    this.addEventListener("input", (e) => this.typed(e.target));
    this.addEventListener("keydown", (e) => this.pressed(e));
    this.addEventListener("preview:failed", () => this.notify(this.copy("offline")));
    if ("restores" in this.dataset) this.restore();
    this.drafts = new DraftList(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.save();
  }

  warn = (event) => {
    this.save();
    if (this.unsent) event.preventDefault();
  };

  typed(field) {
    if (!field.name) return;
    this.touched = true;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), 250);
    if (field.name === "summary") {
      clearTimeout(this.comparing);
      this.comparing = setTimeout(() => this.compare(), 350);
    }
  }

  changed(field) {
    super.changed(field);
    if (field.name === "workspaceId") this.askAgain("workspaceId");
    else if (field.closest("[data-pick]")) this.typed(field); // a menu chooses without an input event
    if (field.name === "template") this.askAgain("template");
  }

  // pressed files the report from every field. With Shift the form stays for another one.
  pressed(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    this.again = event.shiftKey;
    this.form.requestSubmit();
  }

  clicked(event) {
    super.clicked(event);
    const button = event.target.closest("button, a");
    if (button && "fileReport" in button.dataset) this.again = event.shiftKey;
    if (button && "another" in button.dataset) this.putAside();
    if (button && "discard" in button.dataset) this.discard();
    if (button && "cancel" in button.dataset && this.closest("dialog")) { event.preventDefault(); this.closest("dialog").requestClose(); }
  }

  // Filing.

  busy(on) {
    this.sending = on;
    const button = this.querySelector("[data-file-report]");
    button.ariaDisabled = on ? "true" : null;
    button.classList.toggle("htmx-request", on);
  }

  async send() {
    if (this.sending || this.filed) return;
    const body = new FormData(this.form);
    this.another = this.again || this.field("another").checked;
    this.again = false;
    for (const name of ["another", "next"]) body.delete(name);
    this.busy(true);
    try {
      const response = await fetch(this.form.action, { method: "POST", body, headers: minimal });
      this.answered(response, response.status === 204 ? new Document() : await pageOf(response), body);
    } catch {
      this.notify(this.copy("offline"));
    } finally {
      this.busy(false);
    }
  }

  answered(response, page, sent) {
    const next = response.headers.get("Location") ?? "";
    const [, filed] = reference.exec(next) ?? [];
    if (filed) {
      this.upload(filed);
    } else if (response.status === 401) {
      ended(() => this.send());
    } else if (page.querySelector("report-form")) {
      if (!this.replace(page.querySelector("report-form"), sent))
        (this.querySelector(faulty) ?? this.querySelector("[data-file-report]")).focus();
    } else {
      const notice = this.copy("offline");
      notice.querySelector("p").textContent = page.querySelector("main h1")?.textContent ?? response.status;
      this.notify(notice);
    }
  }

  // replace shows the form of an answer, which has what was sent. The files stay, and what was typed since, and the focus where
  // it is typed.
  replace(next, sent) {
    this.querySelector(".report-notices").replaceWith(next.querySelector(".report-notices"));
    const shown = [...this.list.children];
    const typed = [...this.form.querySelectorAll("textarea, input:is([type=text], :not([type]))")]
      .filter(({ name, value }) => sent.has(name) && value !== sent.get(name));
    const at = typed.find((field) => field === document.activeElement);
    this.form.replaceWith(next.querySelector("form"));
    this.list.append(...shown);
    for (const { name, value } of typed) this.field(name).value = value;
    showPicks(this.form);
    if (!at) return false;
    this.field(at.name).focus();
    this.field(at.name).setSelectionRange(at.selectionStart, at.selectionEnd);
    return true;
  }

  upload(filed) {
    clearTimeout(this.saving);
    drafts.remove(this.dataset.draft);
    const notice = this.copy("filed");
    notice.querySelector("[data-reference]").textContent = filed;
    notice.querySelector("[data-open]").href = `/${filed}`;
    notice.querySelector("[data-copy-text]").dataset.copyText = `${location.origin}/${filed}`;
    this.notify(notice);
    return super.upload(filed);
  }

  // done opens the report, or the page from which the form was opened, or empties the form for another report.
  done() {
    if (this.another) return void this.empty();
    this.sent = true;
    location.assign(this.field("next")?.value || `/${this.filed}`);
  }

  // empty keeps the values of the pills, which the next report often shares.
  async empty() {
    const kept = { another: this.field("another").checked ? "on" : "", next: this.field("next")?.value ?? "" };
    for (const { dataset } of this.querySelectorAll("[data-pick]")) kept[dataset.pick] = this.field(dataset.pick).value;
    if (kept.template) kept.fill = "1";
    try {
      const page = await this.ask(kept);
      this.form.replaceWith(page.querySelector("report-form form"));
      this.querySelector(".preview").classList.add("preview-empty");
    } catch {
      return location.assign(this.form.action);
    }
    Object.assign(this, { files: [], filed: "", touched: false });
    this.field("summary").focus();
  }

  // The draft.

  save() {
    clearTimeout(this.saving);
    if (!this.touched || this.filed) return;
    const draft = {};
    for (const [name, value] of new FormData(this.form))
      if (value && typeof value === "string" && !notDrafted.includes(name) && value !== defaults[name]) draft[name] = value;
    if (Object.keys(draft).length) drafts.write(this.dataset.draft, { ...draft, ...this.about() });
    else drafts.remove(this.dataset.draft);
  }

  // about is what the list of drafts tells of one: when it was written, where it is opened, and in which workspace.
  about() { return { at: Date.now(), address: this.dataset.address, place: this.dataset.place }; }

  restore() {
    const draft = drafts.read(this.dataset.draft);
    if (!draft) return;
    for (const [name, value] of Object.entries(draft)) if (typeof value === "string" && this.field(name)) this.field(name).value = value;
    showPicks(this.form);
    this.querySelector("[data-draft-note]").hidden = false;
    this.compare();
  }

  discard() {
    this.drafts.discard(this.dataset.draft);
    this.clear();
  }

  // clear empties the form.
  clear() {
    clearTimeout(this.saving);
    this.form.reset();
    showPicks(this.form);
    this.touched = false;
    this.querySelector("[data-draft-note]").hidden = true;
    this.querySelector(".similar").replaceChildren();
    this.field("summary").focus();
  }

  // putAside keeps the draft under a name of its own, so that another report can be begun.
  putAside() {
    this.touched = true;
    this.save();
    const draft = drafts.read(this.dataset.draft), name = Date.now().toString(36);
    const [reader, workspace] = this.dataset.draft.split(" ");
    drafts.remove(this.dataset.draft);
    drafts.write(`${reader} ${workspace} ${name}`, { ...draft, address: `${this.form.getAttribute("action")}&draft=${name}` });
    this.clear();
    this.drafts.show();
  }

  // What the server knows about a draft.

  async ask(fields) {
    const body = new URLSearchParams({ workspaceId: this.field("workspaceId").value, ...fields });
    const response = await fetch("/new/draft", { method: "POST", body, headers: partial });
    if (!response.ok) throw new Error();
    return pageOf(response);
  }

  async compare() {
    const summary = this.field("summary").value.trim();
    const section = this.querySelector(".similar");
    if (summary.length < 4) return section.replaceChildren();
    try {
      const page = await this.ask({ summary });
      if (this.field("summary").value.trim() === summary) section.replaceChildren(...page.querySelector(".similar").childNodes);
    } catch { /* the list is a help that can be missing */ }
  }

  // askAgain shows the choices of another workspace, or what another template begins with, and keeps what was typed. The last choice
  // counts.
  async askAgain(name) {
    const former = this.dataset.draft, request = ++this.changes;
    const fields = new FormData(this.form);
    if (name === "template") fields.set("fill", "1");
    try {
      const page = await this.ask(Object.fromEntries(fields));
      if (request !== this.changes || this.sending || this.filed) return;
      const next = page.querySelector("report-form"), typing = this.replace(next, fields);
      Object.assign(this.dataset, { draft: next.dataset.draft, address: next.dataset.address, place: next.dataset.place });
      this.querySelector(".preview").classList.add("preview-empty");
      if (former !== this.dataset.draft) drafts.remove(former);
      this.save();
      if (!typing) this.querySelector(`[data-pick=${name}] .pick-button`).focus();
    } catch {
      this.notify(this.copy("offline"));
    }
  }
}
customElements.define("report-form", ReportForm);
