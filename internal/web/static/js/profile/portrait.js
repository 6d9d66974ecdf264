// The picture of a user before it is sent: the part of the chosen file that others will see, which is moved by dragging or with the arrow
// keys, and made larger. Without this script the file is sent as it is, and the middle of it is the picture.
const side = 512; // pixels of what is sent

class PortraitCrop extends HTMLElement {
  x = 0; // of the middle of what is seen, from 0 to 1
  y = 0;
  picture = null; // an ImageBitmap

  connectedCallback() {
    this.canvas = this.querySelector("canvas");
    this.zoom = this.querySelector("input[type=range]");
    this.file = this.closest("form").querySelector("input[type=file]");
    this.file.addEventListener("change", () => this.choose(this.file.files[0]));
    this.zoom.addEventListener("input", () => this.draw());
    this.querySelector("[data-cancel]").addEventListener("click", () => this.end());
    this.closest("form").addEventListener("submit", (event) => this.submit(event));
    this.canvas.addEventListener("pointerdown", (event) => this.canvas.setPointerCapture(event.pointerId));
    this.canvas.addEventListener("pointermove", (event) => this.drag(event));
    this.canvas.addEventListener("keydown", (event) => this.press(event));
  }

  async choose(file) {
    if (!file) return this.end();
    this.picture = await createImageBitmap(file).catch(() => null);
    if (!this.picture) return this.closest("form").requestSubmit(); // the server says what is wrong with it
    [this.x, this.y, this.zoom.value] = [0.5, 0.5, "1"];
    this.hidden = false;
    this.draw();
    this.canvas.focus();
  }

  end() {
    this.picture = null;
    this.hidden = true;
    this.file.value = "";
    this.file.focus();
  }

  // draw draws what others will see, on white, as the server does.
  draw() {
    const { picture, canvas } = this, seen = Math.min(picture.width, picture.height) / Number(this.zoom.value);
    const [halfX, halfY] = [seen / picture.width / 2, seen / picture.height / 2];
    this.x = Math.min(Math.max(this.x, halfX), 1 - halfX);
    this.y = Math.min(Math.max(this.y, halfY), 1 - halfY);
    const pen = canvas.getContext("2d");
    canvas.width = canvas.height = side;
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, side, side);
    pen.imageSmoothingQuality = "high";
    pen.drawImage(picture, this.x * picture.width - seen / 2, this.y * picture.height - seen / 2, seen, seen, 0, 0, side, side);
    this.step = [seen / picture.width, seen / picture.height];
  }

  move(byX, byY) { // in parts of what is seen
    this.x += byX * this.step[0];
    this.y += byY * this.step[1];
    this.draw();
  }

  drag({ buttons, movementX, movementY }) {
    if (this.picture && buttons & 1) this.move(-movementX / this.canvas.clientWidth, -movementY / this.canvas.clientHeight);
  }

  press(event) {
    const by = { ArrowLeft: [-0.05, 0], ArrowRight: [0.05, 0], ArrowUp: [0, -0.05], ArrowDown: [0, 0.05] }[event.key];
    if (!by || !this.picture) return;
    event.preventDefault();
    this.move(by[0], by[1]);
  }

  // submit sends the part in place of the file.
  submit(event) {
    if (!this.picture || event.submitter?.hasAttribute("formaction")) return;
    event.preventDefault();
    this.picture = null;
    this.canvas.toBlob((blob) => {
      const files = new DataTransfer();
      files.items.add(new File([blob], "picture.jpg", { type: "image/jpeg" }));
      this.file.files = files.files;
      this.closest("form").requestSubmit();
    }, "image/jpeg", 0.92);
  }
}
customElements.define("portrait-crop", PortraitCrop);
