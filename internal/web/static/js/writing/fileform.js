// A form with files: chosen, pasted and dropped ones are listed, and sent one after the other, each with its progress, once the form
// knows its report. Each can be removed, which ends its upload, and tried again. Without this script the form is sent as it is.
import { dispatch, follows, minimal, pageOfUpload } from "../app.js";
import { pastedFiles } from "./clipboard.js";
import { sizeOf } from "./sizes.js";

const ended = (again) => dispatch(document, "session:ended", { again });

// failureOf returns why a file was refused, nothing when the answer does not say it.
function failureOf(request) {
  try {
    const page = pageOfUpload(request);
    return (page.querySelector(".file-failure-detail") ?? page.querySelector("main h1"))?.textContent;
  } catch { return ""; }
}

export class FileForm extends HTMLElement {
  files = [];
  numbers = 0; // of the files so far
  sent = false;
  filed = ""; // the reference of the report to which the files are sent

  /** @returns {any} */
  get form() { return this.querySelector("form"); }
  get list() { return this.querySelector("[data-files]"); }
  get chooser() { return this.querySelector("[data-chooser]"); }
  get isInstant() { return "instant" in this.dataset; } // whether files are sent once they are there
  get unsent() { return !this.sent && this.files.length > 0; }
  field(name) { return this.form.elements[name]; }
  copy(name) { return this.querySelector(`template[data-part=${name}]`).content.firstElementChild.cloneNode(true); }
  notify(...notices) { this.querySelector(".report-notices").replaceChildren(...notices); }

  connectedCallback() {
    addEventListener("beforeunload", this.warn);
    document.addEventListener("click", this.leave, true);
    if (this.started) return;
    this.started = true;
    this.addEventListener("submit", (e) => { e.preventDefault(); this.send(); });
    this.addEventListener("change", (e) => this.changed(e.target));
    this.addEventListener("click", (e) => this.clicked(e));
    this.addEventListener("paste", (e) => this.add(pastedFiles(e)));
    this.addEventListener("drop", (e) => this.receive(e, e.dataTransfer));
    for (const type of ["dragenter", "dragover", "dragleave", "drop"]) this.addEventListener(type, (e) => this.drag(e, type));
    this.add(this.chooser.files); // those that were chosen before the script ran
    if (this.dataset.reference && !this.isInstant) this.chooser.focus(); // so that pictures can be pasted
  }

  disconnectedCallback() {
    removeEventListener("beforeunload", this.warn);
    document.removeEventListener("click", this.leave, true);
  }

  warn = (event) => { if (this.unsent) event.preventDefault(); };

  // leave asks before a link replaces the page, which htmx does without unloading it.
  leave = (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !follows(event, link) || !this.unsent || this.closest("dialog")) return;
    if (link.closest("[data-keeps]") && !this.files.length) return;
    if (!confirm(this.dataset.leave)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    this.sent = true;
  };

  changed(field) { if (field === this.chooser) this.add(field.files); }

  clicked(event) {
    const button = event.target.closest("button, a");
    const item = button && this.files.find((f) => f.element.contains(button));
    const action = item && button.dataset.action;
    if (action === "remove") this.remove(item);
    if (action === "retry") this.retry(item);
    if (action === "annotate") this.annotate(item);
    if (button?.matches("[data-paste]")) this.paste();
  }

  // Files.

  // send sends the files of a form that has no other fields.
  send() {
    if (this.filed) return;
    this.notify();
    if (!this.files.length) {
      this.notify(this.copy("missing"));
      return this.chooser.focus();
    }
    this.upload(this.dataset.reference);
  }

  receive(event, data) {
    if (!data?.files.length) return;
    event.preventDefault();
    this.add(data.files);
  }

  // paste adds the pictures of the clipboard, or says why the keys have to.
  async paste() {
    const hint = this.querySelector("#paste-hint"), files = [];
    try {
      for (const item of await navigator.clipboard.read()) {
        const type = item.types.find((each) => each.startsWith("image/"));
        if (type) files.push(new File([await item.getType(type)], "image.png", { type }));
      }
      hint.textContent = files.length ? "" : hint.dataset.none;
    } catch {
      hint.textContent = hint.dataset.unreadable;
    }
    this.add(files);
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
      const item = { file, number, name: file.name, version: 1, element: this.copy("file") };
      if (!file.name || file.name === "image.png") item.name = `screenshot-${number}.png`; // as browsers name what is pasted
      this.files.push(item);
      this.list.append(item.element);
      this.show(item);
    }
    this.chooser.value = "";
    if (this.isInstant && this.files.length) this.send();
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
    const detail = { file: item.source ?? item.file, name: item.name, marks: item.marks ?? [],
      template: this.querySelector("template[data-part=annotation]"), done,
      refused: () => this.state(item, this.list.dataset.unreadable) };
    dispatch(this, "annotate", detail);
  }

  // upload sends each file to a report.
  async upload(reference) {
    this.filed = reference;
    const once = this.field("once").value;
    for (const field of [...this.form.elements]) if (!this.list.contains(field)) field.disabled = true;
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
    if (this.files.every((f) => f.added)) this.done();
    else if (this.files.every((f) => f.added || f.failed))
      this.files.find((f) => f.failed).element.querySelector("[data-action=retry]").focus();
  }

  // done opens the page of the report.
  done() {
    this.sent = true;
    location.assign(`/${this.filed}`);
  }

  transfer(item) {
    const texts = this.list.dataset, bar = item.element.querySelector("progress");
    const request = item.request = new XMLHttpRequest();
    const body = new FormData();
    if (!this.dataset.reference) body.append("filed", "1");
    body.append("once", `${item.once}-${item.number}-${item.version}`);
    body.append("files", item.file, item.name);
    request.open("POST", `/new/${this.filed}/files`);
    for (const [name, value] of Object.entries(minimal)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => { bar.value = total ? loaded / total : 0; };
    this.state(item, texts.uploading);
    bar.value = 0;
    bar.hidden = false;
    return new Promise((/** @type {(ended?: void) => void} */ done) => {
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
          this.state(item, failureOf(request) || texts.lost, true);
        }
        done();
      };
      request.send(body);
    });
  }
}
customElements.define("file-form", FileForm);
