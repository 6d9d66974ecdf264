// The pictures of a stage: which one is shown, zooming and moving, and annotating a stored one.
import { dispatch, pageOf, partial } from "../app.js";

const maxScale = 12;
const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

class PictureViewer extends HTMLElement {
  scale = 1; // 1 fits
  x = 0;
  y = 0;
  pointers = new Map();

  connectedCallback() {
    if (this.started) return;
    this.started = true;
    this.screen = this.querySelector(".viewer-screen");
    this.image = this.querySelector("img");
    this.image.addEventListener("load", () => this.draw());
    this.addEventListener("click", (event) => this.clicked(event.target));
    this.screen.addEventListener("keydown", (event) => this.pressed(event));
    this.screen.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.screen.addEventListener("pointerdown", (event) => this.grab(event));
    this.screen.addEventListener("pointermove", (event) => this.drag(event));
    for (const type of ["pointerup", "pointercancel"]) this.screen.addEventListener(type, (event) => this.release(event));
    // Two fingers zoom, also when both move the same way, which would scroll the page.
    for (const type of /** @type {const} */ (["touchstart", "touchmove"])) {
      this.screen.addEventListener(type, (event) => {
        if (event.touches.length > 1 && event.cancelable) event.preventDefault();
      }, { passive: false });
    }
    this.addEventListener("fullscreenchange", () => {
      const full = document.fullscreenElement === this, button = this.querySelector("[data-full]");
      button.ariaPressed = String(full);
      (full ? this.screen : button).focus(); // whose keys zoom and move
    });
    new ResizeObserver(() => this.draw()).observe(this.screen);
    this.querySelector("[data-full]").hidden = !document.fullscreenEnabled;
  }

  clicked(target) {
    const zoom = target.closest("[data-zoom]")?.dataset.zoom;
    if (zoom === "in") this.zoom(1.5);
    if (zoom === "out") this.zoom(1 / 1.5);
    if (zoom === "fit") this.fit();
    if (target.closest("[data-full]")) document.fullscreenElement ? document.exitFullscreen() : this.requestFullscreen();
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const by = this.screen.clientWidth / 10;
    const command = { "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5), 0: () => this.fit(),
      ArrowLeft: () => this.move(by, 0), ArrowRight: () => this.move(-by, 0),
      ArrowUp: () => this.move(0, by), ArrowDown: () => this.move(0, -by) }[event.key];
    if (!command || event.key.startsWith("Arrow") && this.scale === 1) return;
    event.preventDefault();
    command();
  }

  // wheel zooms a picture that has the focus, is zoomed or fills the screen, and with Ctrl every one. Otherwise it scrolls the page.
  wheel(event) {
    const pinched = event.ctrlKey || event.metaKey;
    if (!pinched && this.scale === 1 && document.activeElement !== this.screen && document.fullscreenElement !== this) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * (pinched ? 0.01 : 0.002)), this.point(event));
  }

  /** @returns {[number, number]} */
  point(event) {
    const r = this.screen.getBoundingClientRect();
    return [event.clientX - r.left, event.clientY - r.top];
  }

  // zoom zooms by a factor around a point, by default the middle.
  zoom(factor, [px, py] = [this.screen.clientWidth / 2, this.screen.clientHeight / 2]) {
    const scale = clamp(this.scale * factor, 1, maxScale), by = scale / this.scale;
    [this.x, this.y, this.scale] = [px - (px - this.x) * by, py - (py - this.y) * by, scale];
    this.draw();
  }

  move(x, y) {
    this.x += x;
    this.y += y;
    this.draw();
  }

  fit() {
    this.scale = 1;
    this.draw();
  }

  draw() {
    const { clientWidth: w, clientHeight: h } = this.screen, { naturalWidth, naturalHeight } = this.image;
    this.x = clamp(this.x, w * (1 - this.scale), 0);
    this.y = clamp(this.y, h * (1 - this.scale), 0);
    this.image.style.transform = this.scale === 1 ? "" : `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
    this.screen.classList.toggle("zoomed", this.scale > 1);
    if (naturalWidth && w)
      this.querySelector("[data-scale]").textContent = `${Math.round(100 * this.scale * Math.min(w / naturalWidth, h / naturalHeight))}%`;
  }

  // grab begins to move the picture, or with a second finger to pinch it.
  grab(event) {
    if (event.button) return;
    this.pointers.set(event.pointerId, this.point(event));
    this.dragged = this.pointers.size > 1;
    if (this.scale > 1 || this.pointers.size > 1) this.screen.setPointerCapture(event.pointerId);
  }

  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.point(event);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      this.zoom(distance(now) / distance(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
    }
    if (this.scale > 1) this.move((now[0] - before[0]) / this.pointers.size, (now[1] - before[1]) / this.pointers.size);
    this.dragged ||= Math.hypot(now[0] - before[0], now[1] - before[1]) > 3 || Boolean(other);
    if (this.dragged) {
      this.pointers.set(event.pointerId, now);
      this.screen.classList.add("grabbed");
    }
  }

  // release ends a movement. A click without one zooms to the point, or fits.
  release(event) {
    const at = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    this.screen.classList.remove("grabbed");
    if (!at || this.dragged || this.pointers.size || event.type !== "pointerup") return;
    if (this.scale > 1) this.fit(); else this.zoom(2.5, at);
  }
}
customElements.define("picture-viewer", PictureViewer);

class ReportStage extends HTMLElement {
  stored = 0; // pictures

  connectedCallback() {
    if (this.started) return;
    this.started = true;
    this.addEventListener("click", (event) => this.clicked(event), true);
  }

  connectedMoveCallback() {}

  clicked(event) {
    const link = event.target.closest("[data-show], [data-more-pictures]"), button = event.target.closest("[data-annotate]");
    if (link && !event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      if ("show" in link.dataset) this.show(link.dataset.show); else this.turn(link);
    }
    if (button) this.annotate(button);
    if (event.target.closest("[data-undo-annotation]")) this.undo?.();
  }

  // show shows a picture, or the replay.
  show(id) {
    for (const pane of this.querySelectorAll("[data-pane]")) pane.hidden = pane.dataset.pane !== id;
    for (const link of this.querySelectorAll("[data-show]")) link.ariaCurrent = link.dataset.show === id ? "true" : null;
    const url = new URL(location.href);
    if (id) url.searchParams.set("show", id); else url.searchParams.delete("show");
    history.replaceState(history.state, "", url);
  }

  // turn shows the pictures before or after these, and of them the one next to these.
  async turn(link) {
    try {
      const page = await this.take(await fetch(link.href, { headers: partial }));
      this.show(page.querySelector("report-stage .strip [aria-current]").dataset.show);
      this.querySelector(".strip [aria-current]").focus();
    } catch {
      location.assign(link.href);
    }
  }

  // take replaces the pictures by those of an answer, and returns its page.
  async take(response) {
    const page = await pageOf(response);
    const pictures = page.querySelector("report-stage [data-pictures]");
    if (!response.ok || !pictures) throw new Error();
    this.querySelector("[data-pictures]").replaceWith(document.importNode(pictures, true));
    return page;
  }

  notify(name) {
    const part = this.querySelector(`template[data-part=${name}]`);
    this.querySelector("[data-notices]").replaceChildren(part.content.cloneNode(true));
  }

  async annotate(button) {
    const path = button.dataset.annotate, image = button.closest("picture-viewer").querySelector("img");
    try {
      const response = await fetch(image.src);
      if (!response.ok) throw new Error();
      const original = new File([await response.blob()], image.alt, { type: response.headers.get("Content-Type") });
      const done = (file, marks, dialog) => {
        if (marks.length) this.send(path, file, dialog.querySelector("[name=keepOriginal]").checked, original);
      };
      const detail = { file: original, name: original.name, marks: [], template: this.querySelector("template[data-part=annotation]"), done,
        refused: () => this.notify("unreadable") };
      dispatch(this, "annotate", detail);
    } catch {
      this.notify("unreadable");
    }
  }

  // send stores a picture beside the one of a path, or in its place. To undo that, the original is stored in place of the picture.
  async send(path, file, keep, original) {
    const body = new FormData();
    body.append("once", `${this.dataset.once}-${++this.stored}`);
    if (keep) body.append("keepOriginal", "on");
    body.append("files", file, file.name);
    this.notify("sending");
    try {
      const response = await fetch(path, { method: "POST", body, headers: partial });
      const page = await this.take(response);
      this.closest("#report-evidence").dataset.evidence = page.getElementById("report-evidence").dataset.evidence;
      const id = new URL(response.url).searchParams.get("show");
      this.show(id);
      this.notify(keep ? "added" : original ? "annotated" : "restored");
      this.undo = keep || !original ? null : () => this.send(`/files/${id}/annotated`, original, false, null);
    } catch {
      this.notify("unsent");
    }
  }
}
customElements.define("report-stage", ReportStage);
