// The form of a new report: its files, which are sent once it is filed; the draft that this browser keeps; similar reports; the
// preview. Without this script the form is sent as it is.
import { dispatch, drafts, minimal, pageOf, partial } from "../app.js";
import { FileForm } from "./fileform.js";

const ended = (again) => dispatch(document, "session:ended", { again });
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
    this.addEventListener("preview:failed", () => this.notify(this.copy("offline")));
    if ("restores" in this.dataset) this.restore();
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
    if (field.name === "workspaceId") this.changeWorkspace();
  }

  clicked(event) {
    super.clicked(event);
    const button = event.target.closest("button, a");
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
        (this.querySelector("[aria-invalid]") ?? this.querySelector("[data-file-report]")).focus();
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
    this.notify(notice);
    return super.upload(filed);
  }

  // The draft.

  save() {
    clearTimeout(this.saving);
    if (!this.touched || this.filed) return;
    const draft = {};
    for (const [name, value] of new FormData(this.form))
      if (value && typeof value === "string" && !["once", "workspaceId"].includes(name)) draft[name] = value;
    if (Object.keys(draft).length) drafts.write(this.dataset.draft, draft);
    else drafts.remove(this.dataset.draft);
  }

  restore() {
    const draft = drafts.read(this.dataset.draft);
    if (!draft) return;
    for (const [name, value] of Object.entries(draft)) if (typeof value === "string" && this.field(name)) this.field(name).value = value;
    this.querySelector("[data-draft-note]").hidden = false;
    this.compare();
  }

  discard() {
    drafts.remove(this.dataset.draft);
    this.form.reset();
    this.touched = false;
    this.querySelector("[data-draft-note]").hidden = true;
    this.querySelector(".similar").replaceChildren();
    this.field("summary").focus();
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

  // changeWorkspace shows the choices of another workspace, the one that was chosen last, and keeps what was typed.
  async changeWorkspace() {
    const former = this.dataset.draft, request = ++this.changes;
    const fields = new FormData(this.form);
    try {
      const page = await this.ask(Object.fromEntries(fields));
      if (request !== this.changes || this.sending || this.filed) return;
      const typing = this.replace(page.querySelector("report-form"), fields);
      this.dataset.draft = page.querySelector("report-form").dataset.draft;
      this.querySelector(".preview").classList.add("preview-empty");
      drafts.remove(former);
      this.save();
      if (!typing) this.field("workspaceId").focus();
    } catch {
      this.notify(this.copy("offline"));
    }
  }
}
customElements.define("report-form", ReportForm);
