// Draws on a picture: arrows, boxes, texts, and opaque covers, which are part of the picture that is sent.

export type Tool = "arrow" | "box" | "text" | "hide";

interface Shape { tool: Tool; x: number; y: number; width: number; height: number; words: string }

export interface Board {
  readonly canvas: HTMLCanvasElement;
  tool: Tool;
  words: string;
  undo(): void;
  blob(): Promise<Blob>;
}

const red = "#dc2626", cover = "#111827";

function draw(ctx: CanvasRenderingContext2D, { tool, x, y, width, height, words }: Shape, unit: number): void {
  ctx.strokeStyle = ctx.fillStyle = tool === "hide" ? cover : red;
  ctx.lineWidth = 3 * unit;
  ctx.lineCap = ctx.lineJoin = "round";
  if (tool === "hide") return ctx.fillRect(Math.floor(Math.min(x, x + width)), Math.floor(Math.min(y, y + height)),
    Math.ceil(Math.abs(width)) + 1, Math.ceil(Math.abs(height)) + 1);
  if (tool === "box") return ctx.strokeRect(x, y, width, height);
  if (tool === "text") {
    ctx.font = `600 ${18 * unit}px sans-serif`;
    ctx.lineWidth = 4 * unit;
    ctx.strokeStyle = "#fff";
    ctx.strokeText(words, x, y);
    return ctx.fillText(words, x, y);
  }
  const angle = Math.atan2(height, width), head = 14 * unit, to = [x + width, y + height] as const;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(...to);
  for (const side of [-0.45, 0.45]) {
    ctx.moveTo(...to);
    ctx.lineTo(to[0] - head * Math.cos(angle + side), to[1] - head * Math.sin(angle + side));
  }
  ctx.stroke();
}

// board makes a canvas for a picture, which people draw on by pointer or keyboard.
export function board(picture: HTMLCanvasElement): Board {
  const canvas = document.createElement("canvas"), ctx = canvas.getContext("2d")!;
  canvas.width = picture.width;
  canvas.height = picture.height;
  canvas.tabIndex = 0;
  const shapes: Shape[] = [], unit = Math.max(1, picture.width / 900);
  const show = () => {
    ctx.drawImage(picture, 0, 0);
    for (const shape of shapes) draw(ctx, shape, unit);
  };
  const it: Board = {
    canvas, tool: "arrow", words: "",
    undo() { shapes.pop(); show(); },
    blob: () => new Promise((done, fail) => canvas.toBlob((blob) => blob ? done(blob) : fail(new Error("no picture")), "image/png")),
  };
  const place = ({ clientX, clientY }: PointerEvent) => {
    const rect = canvas.getBoundingClientRect();
    return { x: (clientX - rect.x) * canvas.width / rect.width, y: (clientY - rect.y) * canvas.height / rect.height };
  };
  const add = (x: number, y: number, width = 0, height = 0) => {
    if (it.tool === "text" && !it.words.trim()) return;
    shapes.push({ tool: it.tool, x, y, width, height, words: it.words.slice(0, 200) });
    show();
  };
  let drawing = false;
  canvas.addEventListener("pointerdown", (event) => {
    const { x, y } = place(event);
    const n = shapes.length;
    add(x, y);
    drawing = shapes.length > n && it.tool !== "text";
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = shapes.at(-1);
    if (!drawing || !last) return;
    const { x, y } = place(event);
    Object.assign(last, { width: x - last.x, height: y - last.y });
    show();
  });
  const ended = () => {
    const last = shapes.at(-1);
    if (drawing && last && Math.hypot(last.width, last.height) < 4) it.undo(); // a click draws nothing
    drawing = false;
  };
  canvas.addEventListener("pointerup", ended);
  canvas.addEventListener("pointercancel", ended);
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-10, 0], ArrowRight: [10, 0], ArrowUp: [0, -10], ArrowDown: [0, 10] }[event.key], last = shapes.at(-1);
    if (event.key === "Enter") add(canvas.width / 3, canvas.height / 3, canvas.width / 4, canvas.height / 6);
    else if (event.key === "Backspace" || event.key === "Delete") it.undo();
    else if (step && last) {
      const [across, down] = step.map((n) => n * unit) as [number, number];
      if (event.shiftKey) Object.assign(last, { width: last.width + across, height: last.height + down });
      else Object.assign(last, { x: last.x + across, y: last.y + down });
      show();
    } else return;
    event.preventDefault();
  });
  show();
  return it;
}
