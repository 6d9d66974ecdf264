// Annotation of a picture before it is sent: boxes, arrows, text, and Hide, which paints over. The result is a new picture without
// what is hidden; the first one does not leave the browser.
/**
 * A mark on a picture: where it begins, and its width and height, which may be negative.
 * @typedef {{ tool?: "box" | "arrow" | "text" | "hide", x: number, y: number, w: number, h: number, text?: string }} Mark
 */

const letter = 7; // the height of letters in units
const minimum = 8; // pixels of a mark that was dragged
const colour = "#d3152b", rim = "#ffffff", cover = "#111111";

function outline(c, width, path) {
  for (const [style, extra] of [[rim, width], [colour, 0]]) {
    c.strokeStyle = style;
    c.lineWidth = width + extra;
    c.lineJoin = c.lineCap = "round";
    c.beginPath();
    path();
    c.stroke();
  }
}

const paints = {
  box: (c, m, unit) => outline(c, unit, () => c.rect(m.x, m.y, m.w, m.h)),
  arrow(c, m, unit) {
    const [x, y] = [m.x + m.w, m.y + m.h], angle = Math.atan2(m.h, m.w), head = unit * 5;
    outline(c, unit, () => {
      c.moveTo(m.x, m.y);
      c.lineTo(x, y);
      for (const side of [-1, 1]) {
        c.moveTo(x, y);
        c.lineTo(x - head * Math.cos(angle + side * 0.5), y - head * Math.sin(angle + side * 0.5));
      }
    });
  },
  text(c, m, unit) {
    c.font = `600 ${unit * letter}px sans-serif`;
    c.textBaseline = "top";
    c.lineJoin = "round";
    c.lineWidth = unit * 2;
    c.strokeStyle = rim;
    c.fillStyle = colour;
    c.strokeText(m.text, m.x, m.y);
    c.fillText(m.text, m.x, m.y);
  },
  hide(c, m) {
    const x = Math.floor(Math.min(m.x, m.x + m.w)), y = Math.floor(Math.min(m.y, m.y + m.h));
    c.fillStyle = cover;
    c.fillRect(x, y, Math.ceil(Math.abs(m.w)) + 1, Math.ceil(Math.abs(m.h)) + 1);
  },
};

class Annotation {
  /**
   * @param {import("../events.js").Picture} picture
   * @param {ImageBitmap} bitmap
   */
  constructor({ file, name, marks, template, done }, bitmap) {
    this.file = file;
    this.name = name;
    this.done = done;
    this.picture = bitmap;
    this.marks = marks.map((mark) => ({ ...mark }));
    this.dialog = template.content.firstElementChild.cloneNode(true);
    this.canvas = this.dialog.querySelector("canvas");
    this.canvas.width = bitmap.width;
    this.canvas.height = bitmap.height;
    this.unit = Math.max(2, Math.round(Math.max(bitmap.width, bitmap.height) / 320));
    this.choose("box");
    this.listen();
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.draw();
  }

  get field() { return this.dialog.querySelector("[data-text]"); }
  get last() { return this.marks[this.marks.length - 1]; }

  listen() {
    this.dialog.addEventListener("click", (e) => this.clicked(e.target.closest("button")));
    this.dialog.addEventListener("close", () => { this.picture.close(); this.dialog.remove(); });
    this.dialog.addEventListener("keydown", (e) => this.pressed(e));
    this.canvas.addEventListener("pointerdown", (e) => this.begin(e));
    this.canvas.addEventListener("pointermove", (e) => this.drag(e));
    this.field.addEventListener("blur", () => this.write());
    for (const type of ["pointerup", "pointercancel"]) this.canvas.addEventListener(type, () => this.end());
  }

  clicked(button) {
    if (!button) return;
    this.write();
    if (button.dataset.tool) this.choose(button.dataset.tool);
    if ("undo" in button.dataset) this.undo();
    if ("done" in button.dataset) this.finish();
    if ("cancel" in button.dataset) this.dialog.close();
  }

  choose(tool) {
    this.tool = tool;
    for (const b of this.dialog.querySelectorAll("[data-tool]")) b.ariaPressed = b.dataset.tool === tool ? "true" : "false";
    this.canvas.classList.toggle("writes", tool === "text");
  }

  // pressed is the keyboard: Enter adds a mark in the middle, the arrows move the last mark, and with Shift make it larger or smaller.
  pressed(event) {
    if (event.isComposing) return;
    if (event.target === this.field) return this.typed(event);
    const field = event.target.matches("input");
    if ((event.ctrlKey || event.metaKey) && event.key === "z" && !field) {
      event.preventDefault();
      return this.undo();
    }
    if (event.key === "Enter" && event.target === this.canvas) {
      event.preventDefault();
      return this.addInMiddle();
    }
    const step = this.unit * 4, by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by || event.target !== this.canvas || !this.last) return;
    event.preventDefault();
    if (event.shiftKey) { this.last.w += by[0]; this.last.h += by[1]; } else { this.last.x += by[0]; this.last.y += by[1]; }
    this.draw();
  }

  // typed is the keyboard in the text: Enter writes it on the picture, Escape drops it.
  typed(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    if (event.key === "Escape") this.field.value = "";
    this.write();
    this.canvas.focus();
  }

  // open opens the text field at a point of the picture, in the letters that the text will have there.
  open(x, y, text = "") {
    this.write();
    const { field, canvas } = this, scale = canvas.clientWidth / canvas.width, letters = this.unit * letter * scale;
    Object.assign(field.style, { left: `${canvas.offsetLeft + x * scale}px`, top: `${canvas.offsetTop + y * scale}px`,
      maxWidth: `${(canvas.width - x) * scale}px`, font: `600 ${letters}px sans-serif` });
    Object.assign(field, { at: [x, y], hidden: false, value: text });
    field.focus();
  }

  // write makes a mark of the text in the field.
  write() {
    const { field } = this, [x, y] = field.at ?? [], text = field.value.trim();
    if (field.hidden) return;
    Object.assign(field, { hidden: true, value: "" });
    if (text) this.marks.push({ tool: "text", x, y, w: 0, h: 0, text });
    this.draw();
  }

  // textAt returns the text mark at a point, the newest one.
  textAt(x, y) {
    const c = this.canvas.getContext("2d"), size = this.unit * letter;
    c.font = `600 ${size}px sans-serif`;
    return this.marks.findLast((m) => m.tool === "text" && y >= m.y && y <= m.y + size &&
      x >= m.x && x <= m.x + c.measureText(m.text).width);
  }

  addInMiddle() {
    const { width, height } = this.canvas;
    if (this.tool === "text") return this.open(width * 0.375, height * 0.375);
    this.add({ x: width * 0.375, y: height * 0.375, w: width * 0.25, h: height * 0.25 });
    this.canvas.focus();
  }

  add(mark) {
    mark.tool = this.tool;
    this.marks.push(mark);
    this.draw();
  }

  undo() {
    this.marks.pop();
    this.draw();
  }

  point(event) {
    const r = this.canvas.getBoundingClientRect();
    return [(event.clientX - r.left) * this.canvas.width / r.width, (event.clientY - r.top) * this.canvas.height / r.height];
  }

  begin(event) {
    if (event.button) return;
    const [x, y] = this.point(event);
    if (this.tool === "text") {
      event.preventDefault(); // the canvas would take the focus
      this.write();
      const mark = this.textAt(x, y);
      if (mark) this.marks.splice(this.marks.indexOf(mark), 1);
      return this.open(mark?.x ?? x, mark?.y ?? y, mark?.text);
    }
    this.canvas.setPointerCapture(event.pointerId);
    this.dragged = { x, y, w: 0, h: 0, tool: this.tool };
  }

  drag(event) {
    if (!this.dragged) return;
    const [x, y] = this.point(event);
    Object.assign(this.dragged, { w: x - this.dragged.x, h: y - this.dragged.y });
    this.draw();
  }

  end() {
    const mark = this.dragged;
    this.dragged = null;
    if (mark && Math.hypot(mark.w, mark.h) >= minimum) this.marks.push(mark);
    this.draw();
  }

  // draw paints what is hidden last, so that no other mark is over it.
  draw() {
    const c = this.canvas.getContext("2d"), all = [...this.marks, ...(this.dragged ? [this.dragged] : [])];
    c.drawImage(this.picture, 0, 0);
    for (const hides of [false, true]) for (const m of all) if ((m.tool === "hide") === hides) paints[m.tool](c, m, this.unit);
    this.dialog.querySelector("[data-undo]").disabled = !this.marks.length;
    const status = this.dialog.querySelector("[data-count]");
    status.textContent = this.marks.length ? `${status.dataset.count} ${this.marks.length}` : "";
  }

  async finish() {
    this.write();
    if (this.marks.length) {
      const type = ["image/jpeg", "image/webp"].includes(this.file.type) ? this.file.type : "image/png";
      const blob = await new Promise((done) => this.canvas.toBlob(done, type, 0.92));
      if (!blob) return;
      this.done(new File([blob], this.name, { type: blob.type }), this.marks, this.dialog);
    } else {
      this.done(this.file, [], this.dialog);
    }
    this.dialog.close();
  }
}

document.addEventListener("annotate", async ({ detail }) => {
  let picture;
  try {
    picture = await createImageBitmap(detail.file);
  } catch {
    return detail.refused();
  }
  new Annotation(detail, picture);
});
