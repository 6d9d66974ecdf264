// The form of a new report: chosen, pasted and dropped files, which are sent once the report is filed; the draft that this browser
// keeps; similar reports; the preview. Without this script the form is sent as it is.
const ended = (again) => document.dispatchEvent(new CustomEvent("session:ended", { detail: { again } }));
const partial = { Accept: "text/html", "HX-Request-Type": "partial" };
const minimal = { ...partial, Prefer: "return=minimal" }; // the address of the page that follows, without the page
const parse = (html) => new DOMParser().parseFromString(html, "text/html");
const reference = /^\/([A-Z][A-Z0-9]{1,5}-\d+)$/;

const units = ["B", "kB", "MB", "GB"];
function sizeOf(bytes) {
  let n = bytes, unit = 0;
  for (; n >= 1000 && unit < units.length - 1; unit++) n /= 1000;
  return `${n < 10 && unit ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

class ReportForm extends HTMLElement {
  files = [];
  numbers = 0; // of the files so far
  changes = 0; // of the workspace
  touched = false;
  sent = false;
  filed = ""; // the reference of the report

  get form() { return this.querySelector("form"); }
  get list() { return this.querySelector("[data-files]"); }
  get chooser() { return this.querySelector("#files"); }
  get unsent() { return !this.sent && (this.touched || this.files.length > 0); }
  field(name) { return this.form.elements.namedItem(name); }
  part(name) { return this.querySelector(`template[data-part=${name}]`).content.firstElementChild.cloneNode(true); }

  connectedCallback() {
    addEventListener("beforeunload", this.warn);
    document.addEventListener("click", this.leave, true);
    if (this.started) return;
    this.started = true;
    this.addEventListener("submit", (e) => { e.preventDefault(); this.send(); });
    this.addEventListener("input", (e) => this.typed(e.target));
    this.addEventListener("change", (e) => this.changed(e.target));
    this.addEventListener("click", (e) => this.clicked(e));
    this.addEventListener("preview:failed", () => this.notify(this.part("offline")));
    this.addEventListener("paste", (e) => this.receive(e, e.clipboardData));
    this.addEventListener("drop", (e) => this.receive(e, e.dataTransfer));
    for (const type of ["dragenter", "dragover", "dragleave", "drop"]) this.addEventListener(type, (e) => this.drag(e, type));
    if ("restores" in this.dataset) this.restore();
    this.add(this.chooser.files); // those that were chosen before the script ran
  }

  disconnectedCallback() {
    removeEventListener("beforeunload", this.warn);
    document.removeEventListener("click", this.leave, true);
    this.save();
  }

  warn = (event) => {
    this.save();
    if (this.unsent) event.preventDefault();
  };

  // leave asks before a link replaces the page, which htmx does without unloading it.
  leave = (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !follows(event, link) || !this.unsent || this.closest("dialog")) return;
    if (!confirm(this.dataset.leave)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    this.sent = true;
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
    if (field === this.chooser) this.add(field.files);
    if (field.name === "workspaceId") this.changeWorkspace();
  }

  clicked(event) {
    const button = event.target.closest("button, a");
    if (!button) return;
    const item = this.files.find((f) => f.element.contains(button));
    const action = item && button.dataset.action;
    if (action === "remove") this.remove(item);
    if (action === "retry") this.retry(item);
    if (action === "annotate") this.annotate(item);
    if ("discard" in button.dataset) this.discard();
    if ("cancel" in button.dataset && this.closest("dialog")) { event.preventDefault(); this.closest("dialog").requestClose(); }
  }

  // Files.

  receive(event, data) {
    if (!data?.files.length) return;
    event.preventDefault();
    this.add(data.files);
  }

  drag(event, type) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.classList.toggle("drops", type === "dragover" || type === "dragenter");
  }

  add(files) {
    if (this.filed) return;
    for (const file of files) {
      const number = ++this.numbers;
      const item = { file, number, name: file.name, version: 1, element: this.part("file") };
      if (!file.name || file.name === "image.png") item.name = `screenshot-${number}.png`; // as browsers name what is pasted
      this.files.push(item);
      this.list.append(item.element);
      this.show(item);
    }
    this.chooser.value = "";
  }

  // show shows what a file is.
  show(item) {
    const picture = item.file.type.startsWith("image/");
    item.element.querySelector(".file-name").textContent = item.name;
    item.element.querySelector("[data-action=remove]").ariaLabel = `${this.list.dataset.remove} ${item.name}`;
    item.element.querySelector("[data-action=annotate]").hidden = !picture || item.file.type === "image/svg+xml";
    if (picture) {
      const image = new Image();
      image.alt = "";
      image.src = URL.createObjectURL(item.file);
      image.onload = image.onerror = () => URL.revokeObjectURL(image.src);
      item.element.querySelector(".file-picture").replaceChildren(image);
    }
    this.state(item, sizeOf(item.file.size));
  }

  state(item, text, failed = false) {
    item.failed = failed;
    item.element.classList.toggle("file-failed", failed);
    item.element.querySelector(".file-state").textContent = text;
    item.element.querySelector("[data-action=retry]").hidden = !failed;
  }

  remove(item) {
    const next = item.element.nextElementSibling ?? item.element.previousElementSibling;
    item.removed = true;
    item.request?.abort();
    this.files = this.files.filter((f) => f !== item);
    item.element.remove();
    (next?.querySelector("[data-action=remove]") ?? this.querySelector("[data-open]") ?? this.chooser).focus();
    this.finish();
  }

  annotate(item) {
    const done = (file, marks) => {
      item.source ??= item.file;
      Object.assign(item, { file, marks, version: item.version + 1 });
      this.show(item);
    };
    const detail = { file: item.source ?? item.file, name: item.name, marks: item.marks ?? [], template: this.querySelector("template[data-part=annotation]"), done,
      refused: () => this.state(item, this.list.dataset.unreadable) };
    this.dispatchEvent(new CustomEvent("annotate", { bubbles: true, detail }));
  }

  // Filing.

  busy(on) {
    this.sending = on;
    const button = this.querySelector("[data-file-report]");
    button.ariaDisabled = on ? "true" : null;
    button.classList.toggle("htmx-request", on);
  }

  notify(notice) { this.querySelector(".report-notices").replaceChildren(notice); }

  async send() {
    if (this.sending || this.filed) return;
    const body = new FormData(this.form);
    this.busy(true);
    try {
      const response = await fetch(this.form.action, { method: "POST", body, headers: minimal });
      this.answered(response, parse(await response.text()), body);
    } catch {
      this.notify(this.part("offline"));
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
      if (!this.replace(page.querySelector("report-form"), sent)) (this.querySelector("[aria-invalid]") ?? this.querySelector("[data-file-report]")).focus();
    } else {
      const notice = this.part("offline");
      notice.querySelector("p").textContent = page.querySelector("main h1")?.textContent ?? response.status;
      this.notify(notice);
    }
  }

  // replace shows the form of an answer, which has what was sent. The files stay, and what was typed since, and the focus where it is typed.
  replace(next, sent) {
    this.querySelector(".report-notices").replaceWith(next.querySelector(".report-notices"));
    const shown = [...this.list.children];
    const typed = [...this.form.querySelectorAll("textarea, input:is([type=text], :not([type]))")].filter(({ name, value }) => sent.has(name) && value !== sent.get(name));
    const at = typed.find((field) => field === document.activeElement);
    this.form.replaceWith(next.querySelector("form"));
    this.list.append(...shown);
    for (const { name, value } of typed) this.field(name).value = value;
    if (!at) return false;
    this.field(at.name).focus();
    this.field(at.name).setSelectionRange(at.selectionStart, at.selectionEnd);
    return true;
  }

  async upload(filed) {
    this.filed = filed;
    clearTimeout(this.saving);
    drafts.remove(this.dataset.draft);
    const once = this.field("once").value;
    for (const field of this.form.elements) if (!this.list.contains(field)) field.disabled = true;
    const notice = this.part("filed");
    notice.querySelector("[data-reference]").textContent = filed;
    notice.querySelector("[data-open]").href = `/${filed}`;
    this.notify(notice);
    for (const item of this.files) {
      item.once = once;
      item.element.querySelector("[data-action=annotate]").hidden = true;
    }
    for (const item of [...this.files]) if (!item.removed) await this.transfer(item);
    this.finish();
  }

  async retry(item) {
    await this.transfer(item);
    this.finish();
  }

  // finish opens the report once each file is added or removed.
  finish() {
    if (!this.filed) return;
    if (this.files.every((f) => f.added)) {
      this.sent = true;
      location.assign(`/${this.filed}`);
    } else if (this.files.every((f) => f.added || f.failed)) {
      this.files.find((f) => f.failed).element.querySelector("[data-action=retry]").focus();
    }
  }

  transfer(item) {
    const texts = this.list.dataset, bar = item.element.querySelector("progress");
    const request = item.request = new XMLHttpRequest();
    const body = new FormData();
    body.append("once", `${item.once}-${item.number}-${item.version}`);
    body.append("files", item.file, item.name);
    request.open("POST", `/new/${this.filed}/files`);
    for (const [name, value] of Object.entries(minimal)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => { bar.value = total ? loaded / total : 0; };
    this.state(item, texts.uploading);
    bar.value = 0;
    bar.hidden = false;
    return new Promise((done) => {
      request.onloadend = () => {
        bar.hidden = true;
        const path = request.getResponseHeader("Location") ?? "";
        item.added = request.status === 204 && path === `/${this.filed}`;
        if (item.added) {
          this.state(item, texts.added);
          item.element.querySelector("[data-action=remove]").hidden = true;
        } else if (request.status === 401) {
          this.state(item, texts.session, true);
          ended(() => this.retry(item));
        } else {
          const page = parse(request.responseText);
          this.state(item, (page.querySelector(".file-failure-detail") ?? page.querySelector("main h1"))?.textContent || texts.lost, true);
        }
        done();
      };
      request.send(body);
    });
  }

  // The draft.

  save() {
    clearTimeout(this.saving);
    if (!this.touched || this.filed) return;
    const draft = {};
    for (const [name, value] of new FormData(this.form)) if (value && !["once", "workspaceId"].includes(name)) draft[name] = value;
    if (Object.keys(draft).length) drafts.write(this.dataset.draft, draft);
    else drafts.remove(this.dataset.draft);
  }

  restore() {
    const draft = drafts.read(this.dataset.draft);
    if (!draft) return;
    for (const [name, value] of Object.entries(draft)) if (this.field(name)) this.field(name).value = value;
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
    return parse(await response.text());
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
      this.notify(this.part("offline"));
    }
  }
}
customElements.define("report-form", ReportForm);
