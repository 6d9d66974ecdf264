// The dialog in which somebody reports a problem. Its shadow root is closed, so that scripts of the page cannot read what is written.
import type { Choice, Client } from "../client.ts";
import type { Details, Filed, Part } from "../types.ts";
import { board, type Board, type Tool } from "./annotate.ts";
import { wordsOf, type Words } from "./languages.ts";
import { paint } from "./painter.ts";
import { screenshot, Uncovered } from "./screen.ts";
import { sheet } from "./styles.ts";

const tools: Tool[] = ["arrow", "box", "text", "hide"];
const parts: Part[] = ["replay", "console", "network", "actions", "environment"];
const mostFile = 20 << 20; // bytes

type Properties<E> = Partial<Omit<E, "style" | "children">> & { className?: string };

// make makes an element with properties and children. It takes no markup.
function make<Name extends keyof HTMLElementTagNameMap>(name: Name, properties: Properties<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]): HTMLElementTagNameMap[Name] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

let opened: HTMLElement | undefined;

/** Opens the dialog, unless it is open. */
export async function openDialog(client: Client, details: Details, wanted: readonly string[]): Promise<void> {
  if (opened) return;
  const host = opened = make("div");
  host.setAttribute("data-bugslice-dialog", "");
  try {
    // The picture is that of the page before the dialog covers it.
    const first = picture(() => paint(client.mask));
    const evidence = await client.evidence();
    const counts: Record<Part, number> = { replay: evidence.replay.length, console: evidence.console.length,
      network: evidence.network.length, actions: evidence.actions.length, environment: 1 };
    new Dialog(host, client, details, wordsOf(wanted)).show(counts, first);
  } catch (why) {
    opened = undefined;
    throw why;
  }
}

function picture(make: () => HTMLCanvasElement): HTMLCanvasElement | undefined {
  try {
    return make();
  } catch {
    return undefined; // none is better than one of which nobody knows what it shows
  }
}

class Dialog {
  private readonly words: Words;
  private readonly dialog: HTMLDialogElement;
  private readonly status = make("p", { role: "status" });
  private readonly progress = make("progress", { hidden: true });
  private readonly stage = make("div");
  private board: Board | undefined;
  private file: File | undefined;
  private readonly host: HTMLElement;
  private readonly client: Client;
  private readonly details: Details;

  constructor(host: HTMLElement, client: Client, details: Details, { words, language, direction }: ReturnType<typeof wordsOf>) {
    this.host = host;
    this.client = client;
    this.details = details;
    this.words = words;
    const root = host.attachShadow({ mode: "closed" }), style = new CSSStyleSheet();
    style.replaceSync(sheet);
    root.adoptedStyleSheets = [style];
    this.dialog = make("dialog", { lang: language, dir: direction });
    this.dialog.setAttribute("aria-labelledby", "title");
    this.dialog.addEventListener("close", () => { if (!this.hidden && !this.dialog.open) this.end(); });
    root.append(this.dialog);
    // Keys of the dialog are no shortcuts of the page.
    for (const name of ["keydown", "keyup", "keypress"]) host.addEventListener(name, (event) => event.stopPropagation());
  }

  private hidden = false; // while a picture of the screen is taken

  private end(): void {
    this.host.remove();
    opened = undefined;
  }

  private button(text: string, act: () => void, more: Properties<HTMLButtonElement> = {}): HTMLButtonElement {
    const button = make("button", { type: "button", ...more }, text);
    button.addEventListener("click", act);
    return button;
  }

  show(counts: Record<Part, number>, first: HTMLCanvasElement | undefined): void {
    const { words } = this;
    const summary = make("input", { name: "summary", required: true, maxLength: 200, value: this.details.summary ?? "", autofocus: true });
    const description = make("textarea", { name: "description", maxLength: 20_000, value: this.details.description ?? "" });
    const email = make("input", { type: "email", name: "email", autocomplete: "email", maxLength: 320 });
    // A program that fills every field fills this one. People neither see nor reach it.
    const website = make("input", { name: "website", tabIndex: -1, autocomplete: "off", className: "nobody", ariaLabel: "website" });
    website.setAttribute("aria-hidden", "true");
    const field = (text: string, control: HTMLElement, optional = false) => make("label", { className: "field" },
      make("span", {}, text, ...optional ? [make("span", { className: "optional" }, ` (${words.optional})`)] : []), control);
    const boxes = parts.filter((part) => counts[part] > 0).map((part) => {
      const box = make("input", { type: "checkbox", name: "part", value: part, checked: true });
      return make("label", {}, box, ` ${words[part]}${part === "environment" || part === "replay" ? "" : ` (${counts[part]})`}`);
    });
    const send = make("button", { className: "main" }, words.send);
    const form = make("form", { noValidate: true }, field(words.summary, summary), field(words.description, description, true),
      field(words.email, email, true), website, this.pictures(first),
      make("fieldset", { className: "parts" }, make("legend", {}, words.sent), ...boxes), this.status, this.progress,
      make("div", { className: "row end" }, this.button(words.cancel, () => this.dialog.close()), send));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!summary.value.trim()) {
        this.status.textContent = words.needed;
        summary.setAttribute("aria-invalid", "true");
        return summary.focus();
      }
      const off = [...form.querySelectorAll<HTMLInputElement>("input[name=part]")].filter((box) => !box.checked);
      this.send(form, { ...this.details, summary: summary.value, ...(description.value.trim() && { description: description.value }) },
        { without: off.map((box) => box.value as Part), email: email.checkValidity() ? email.value : "", website: website.value })
        .catch(() => {});
    });
    this.dialog.append(make("h2", { id: "title" }, words.title), form);
    document.body.append(this.host);
    this.dialog.showModal();
    summary.focus();
  }

  private pictures(first: HTMLCanvasElement | undefined): HTMLFieldSetElement {
    const { words } = this;
    const choose = make("input", { type: "file", hidden: true, accept: "image/*,video/*,text/*,.log,.json,.har,.pdf" });
    choose.addEventListener("change", () => {
      this.file = choose.files?.[0];
      if (this.file) this.stage.replaceChildren(make("p", {}, this.file.name.slice(0, 200)), this.remove());
      this.board = undefined;
    });
    this.put(first);
    const screen = navigator.mediaDevices && "getDisplayMedia" in navigator.mediaDevices ?
      [this.button(words.ofScreen, () => void this.screen())] : [];
    return make("fieldset", {}, make("legend", {}, words.picture), make("div", { className: "row" },
      this.button(words.ofPage, () => this.put(this.covered(() => picture(() => paint(this.client.mask))))), ...screen,
      this.button(words.ofFile, () => choose.click()), choose), this.stage);
  }

  private remove = (): HTMLButtonElement => this.button(this.words.remove, () => {
    this.board = this.file = undefined;
    this.stage.replaceChildren();
  });

  // covered calls a function while the dialog is not on the page.
  private covered<T>(act: () => T): T {
    this.dialog.close();
    try {
      return act();
    } finally {
      this.dialog.showModal();
    }
  }

  private async screen(): Promise<void> {
    this.hidden = true;
    this.dialog.close();
    try {
      this.put(await screenshot(this.client.mask));
    } catch (why) {
      this.status.textContent = why instanceof Uncovered ? this.words.masked : this.words.noPicture;
    } finally {
      this.dialog.showModal();
      this.hidden = false;
    }
  }

  private put(made: HTMLCanvasElement | undefined): void {
    const { words } = this;
    if (!made) {
      this.status.textContent = words.noPicture;
      return;
    }
    const drawn = this.board = board(made);
    const text = make("input", { maxLength: 200, hidden: true, ariaLabel: words.words, placeholder: words.words });
    this.file = undefined;
    text.addEventListener("input", () => { drawn.words = text.value; });
    const choices = tools.map((tool) => {
      const radio = make("input", { type: "radio", name: "tool", value: tool, checked: tool === drawn.tool });
      radio.addEventListener("change", () => {
        drawn.tool = tool;
        text.hidden = tool !== "text";
      });
      return make("label", {}, radio, ` ${words[tool]}`);
    });
    drawn.canvas.setAttribute("role", "img");
    drawn.canvas.setAttribute("aria-label", `${words.picture}. ${words.drawing}`);
    drawn.canvas.title = words.drawing;
    this.stage.replaceChildren(drawn.canvas, make("div", { className: "row" }, ...choices, text,
      this.button(words.undo, () => drawn.undo()), this.remove()));
  }

  private async send(form: HTMLFormElement, details: Details, choice: Omit<Choice, "pictures">): Promise<void> {
    const { words, status, progress } = this, button = form.querySelector<HTMLButtonElement>("button.main")!;
    button.disabled = true;
    status.textContent = progress.ariaLabel = words.sending;
    try {
      const pictures = [];
      if (this.board) pictures.push({ blob: await this.board.blob(), name: "page.png", kind: "screenshot" as const });
      else if (this.file && this.file.size <= mostFile) {
        const kind = this.file.type.startsWith("image/") ? "screenshot" as const : "other" as const;
        pictures.push({ blob: this.file as Blob, name: this.file.name, kind });
      }
      this.arrived(form, await this.client.send(details, { ...choice, pictures }, {
        waiting: () => { status.textContent = words.waiting; },
        progress: (share) => { progress.hidden = false; progress.value = share; } }));
    } catch (why) {
      button.disabled = false;
      progress.hidden = true;
      status.textContent = words.refused.replace("{reason}", why instanceof Error ? why.message : String(why));
    }
  }

  private arrived(form: HTMLFormElement, { reference, url, reporterUrl }: Filed): void {
    const [before, after] = this.words.there.split("{reference}") as [string, string];
    const known = reference && (url ? make("a", { href: url, target: "_blank", rel: "noopener" }, reference) : reference);
    const close = this.button(this.words.close, () => this.dialog.close(), { className: "main" });
    this.status.replaceChildren(...known ? [before, known, after] : [before.replace(/[:：]\s*$/, "")]);
    const follow = reporterUrl ? this.follow(reporterUrl) : [];
    // the region that is read stays the same element
    this.dialog.append(this.status, ...follow, make("div", { className: "row end" }, close));
    form.remove();
    close.focus();
  }

  // follow shows the address of the page of the report.
  private follow(address: string): HTMLElement[] {
    const { words } = this, said = make("span", { role: "status" });
    const copy = this.button(words.copy, () => {
      navigator.clipboard.writeText(address).then(() => { said.textContent = words.copied; }, () => link.focus());
    });
    const link = make("a", { href: address, target: "_blank", rel: "noopener noreferrer", className: "address" }, address);
    return [make("p", {}, words.follow), make("p", {}, link),
      ...navigator.clipboard ? [make("div", { className: "row" }, copy, said)] : []];
  }
}
