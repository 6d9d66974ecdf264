// Paints what is seen of the page, from the boxes and the texts that the browser has laid out. It loads nothing and makes no address, so
// that every policy allows it, and paints nothing of a masked element but its box: its text is never read. Left out are pseudo-elements,
// the content of frames, and pictures of other origins, in whose place is a box.
import type { Mask } from "../mask.ts";

const covered = "#6b7280", missing = "#e5e7eb";
const mostNodes = 30_000;
const shapes = "path, circle, rect, line, polyline, polygon, ellipse";

interface Later { element: Element; z: number }

class Painter {
  private nodes = 0;
  private readonly ctx: CanvasRenderingContext2D;
  private readonly mask: Mask;
  private readonly pictures: boolean;
  constructor(ctx: CanvasRenderingContext2D, mask: Mask, pictures: boolean) {
    this.ctx = ctx;
    this.mask = mask;
    this.pictures = pictures;
  }

  // context paints an element with all that is above its other content because of a z-index.
  context(element: Element): void {
    const later: Later[] = [];
    this.element(element, later);
    for (const { element: above } of later.sort((a, b) => a.z - b.z)) this.context(above);
  }

  private element(element: Element, later: Later[]): void {
    const style = getComputedStyle(element);
    if (++this.nodes > mostNodes || style.display === "none" || element.hasAttribute("data-bugslice-dialog")) return;
    const { ctx } = this, rect = element.getBoundingClientRect(), before = ctx.globalAlpha;
    if (style.display !== "contents" && style.visibility === "visible") {
      ctx.globalAlpha = before * Number(style.opacity);
      this.box(style, rect);
      this.content(element, style, rect);
    }
    const clips = style.overflowX !== "visible" && element !== document.body && element !== document.documentElement;
    ctx.save();
    if (clips) {
      ctx.beginPath();
      ctx.rect(rect.x, rect.y, rect.width, rect.height);
      ctx.clip();
    }
    if (!element.matches("input, textarea, select, svg, canvas, video, img, iframe")) this.children(element, style, later);
    ctx.restore();
    ctx.globalAlpha = before;
  }

  private children(element: Element, style: CSSStyleDeclaration, later: Later[]): void {
    const slotted = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
    for (const node of slotted.length ? slotted : (element.shadowRoot ?? element).childNodes) {
      if (node.nodeType === 3 && style.visibility === "visible") this.text(node as Text, element, style);
      if (node.nodeType !== 1) continue;
      const child = node as Element, own = getComputedStyle(child), z = Number(own.zIndex);
      if (own.position !== "static" && (z > 0 || own.position === "fixed")) later.push({ element: child, z: z || 0 });
      else this.element(child, later);
    }
  }

  private path({ x, y, width, height }: DOMRect, style: CSSStyleDeclaration): void {
    this.ctx.beginPath();
    this.ctx.roundRect(x, y, width, height, Math.min(parseFloat(style.borderTopLeftRadius) || 0, width / 2, height / 2));
  }

  private box(style: CSSStyleDeclaration, rect: DOMRect): void {
    const { ctx } = this;
    if (!rect.width || !rect.height) return;
    const gradient = /gradient\(.*?(rgba?\([^)]*\))/.exec(style.backgroundImage)?.[1];
    for (const colour of [style.backgroundColor, gradient]) {
      if (!colour || colour === "rgba(0, 0, 0, 0)") continue;
      this.path(rect, style);
      ctx.fillStyle = colour;
      ctx.fill();
    }
    const sides = ["Top", "Right", "Bottom", "Left"] as const;
    const widths = sides.map((side) => style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]));
    const [top, right, bottom, left] = widths as [number, number, number, number];
    if (top > 0 && widths.every((width) => width === top)) {
      this.path(new DOMRect(rect.x + top / 2, rect.y + top / 2, rect.width - top, rect.height - top), style);
      ctx.strokeStyle = style.borderTopColor;
      ctx.lineWidth = top;
      return ctx.stroke();
    }
    const { x, y, width, height } = rect;
    const edges = [[x, y, width, top], [x + width - right, y, right, height],
      [x, y + height - bottom, width, bottom], [x, y, left, height]];
    edges.forEach((edge, n) => {
      if (!widths[n]) return;
      ctx.fillStyle = style[`border${sides[n]!}Color`];
      ctx.fillRect(...edge as [number, number, number, number]);
    });
  }

  private content(element: Element, style: CSSStyleDeclaration, rect: DOMRect): void {
    const { ctx } = this;
    if (element.matches("img, canvas, video, iframe, object, embed")) {
      if (this.mask.region(element)) return this.fill(rect, covered);
      if (!this.pictures || !this.picture(element, rect)) this.fill(rect, missing);
    } else if (element instanceof SVGSVGElement) {
      if (this.mask.region(element)) this.fill(rect, covered);
      else for (const shape of element.querySelectorAll<SVGGeometryElement>(shapes)) this.shape(shape);
    } else if (element.matches("input, textarea, select")) {
      const field = element as HTMLInputElement;
      if (/^(checkbox|radio)$/.test(field.type)) {
        ctx.strokeStyle = covered;
        ctx.strokeRect(rect.x, rect.y, rect.width, rect.height);
        const told = field.checked && !this.mask.sensitive(field);
        if (told) this.fill(new DOMRect(rect.x + 3, rect.y + 3, rect.width - 6, rect.height - 6), covered);
      } else this.typed(this.valueOf(field), style, rect);
    }
  }

  private valueOf(field: HTMLInputElement): string {
    if (this.mask.sensitive(field)) return field.type === "hidden" || !field.value ? "" : "••••••••";
    if (!field.value) return field.placeholder ?? "";
    const button = /^(submit|button|reset)$/.test(field.type);
    return this.mask.showInputs || button ? field.value : "•".repeat(Math.min(field.value.length, 200));
  }

  private fill({ x, y, width, height }: DOMRect, colour: string): void {
    this.ctx.fillStyle = colour;
    this.ctx.fillRect(x, y, width, height);
  }

  // picture paints what is of the page's own origin, and returns false for others, which would make the whole picture unreadable.
  private picture(element: Element, rect: DOMRect): boolean {
    const { src } = element as HTMLImageElement, address = (element as HTMLImageElement).currentSrc || src;
    if (element instanceof HTMLImageElement || element instanceof HTMLVideoElement) {
      const url = address ? new URL(address, document.baseURI) : undefined;
      if (!url || url.origin !== location.origin && !/^(data|blob):$/.test(url.protocol)) return false;
    } else if (!(element instanceof HTMLCanvasElement) || !element.width || !element.height) return false;
    const scratch = document.createElement("canvas");
    scratch.width = Math.max(1, Math.round(rect.width * 2));
    scratch.height = Math.max(1, Math.round(rect.height * 2));
    try {
      const into = scratch.getContext("2d")!;
      into.drawImage(element as HTMLCanvasElement, 0, 0, scratch.width, scratch.height);
      into.getImageData(0, 0, 1, 1); // throws when the picture is of another origin after all
      this.ctx.drawImage(scratch, rect.x, rect.y, rect.width, rect.height);
      return true;
    } catch {
      return false;
    }
  }

  private shape(shape: SVGGeometryElement): void {
    const style = getComputedStyle(shape), at = shape.getScreenCTM();
    if (!at || style.display === "none" || style.visibility !== "visible") return;
    const path = new Path2D(), value = (name: string) => parseFloat(shape.getAttribute(name) ?? style.getPropertyValue(name)) || 0;
    if (shape.localName === "path") path.addPath(new Path2D(shape.getAttribute("d") ?? ""));
    else if (shape.localName === "rect") path.roundRect(value("x"), value("y"), value("width"), value("height"), value("rx"));
    else if (shape.localName === "circle") path.arc(value("cx"), value("cy"), value("r"), 0, 7);
    else if (shape.localName === "ellipse") path.ellipse(value("cx"), value("cy"), value("rx"), value("ry"), 0, 0, 7);
    else if (shape.localName === "line") { path.moveTo(value("x1"), value("y1")); path.lineTo(value("x2"), value("y2")); }
    else path.addPath(new Path2D(`M${shape.getAttribute("points") ?? ""}${shape.localName === "polygon" ? "Z" : ""}`));
    const { ctx } = this;
    ctx.save();
    ctx.transform(at.a, at.b, at.c, at.d, at.e, at.f);
    if (style.fill !== "none") { ctx.fillStyle = style.fill; ctx.fill(path); }
    if (style.stroke !== "none") { ctx.strokeStyle = style.stroke; ctx.lineWidth = parseFloat(style.strokeWidth) || 1; ctx.stroke(path); }
    ctx.restore();
  }

  private font(style: CSSStyleDeclaration): void {
    const { ctx } = this;
    ctx.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    if (style.letterSpacing !== "normal" && "letterSpacing" in ctx) ctx.letterSpacing = style.letterSpacing;
    else if ("letterSpacing" in ctx) ctx.letterSpacing = "0px";
    ctx.fillStyle = style.color;
    ctx.textBaseline = "alphabetic";
  }

  private typed(text: string, style: CSSStyleDeclaration, rect: DOMRect): void {
    const { ctx } = this;
    this.font(style);
    const lines = text.split("\n"), step = parseFloat(style.lineHeight) || parseFloat(style.fontSize) * 1.3;
    const several = rect.y + parseFloat(style.paddingTop) + step * 0.8;
    const top = lines.length > 1 ? several : rect.y + rect.height / 2 + parseFloat(style.fontSize) * 0.35;
    ctx.save();
    ctx.beginPath();
    ctx.rect(rect.x, rect.y, rect.width, rect.height);
    ctx.clip();
    lines.forEach((line, n) => ctx.fillText(line, rect.x + parseFloat(style.paddingLeft) + 2, top + n * step));
    ctx.restore();
  }

  // text paints the words where the browser has put them. Of a masked text it paints the boxes, and does not read it.
  private text(node: Text, parent: Element, style: CSSStyleDeclaration): void {
    const range = document.createRange();
    range.selectNodeContents(node);
    const seen = ({ x, y, right, bottom, width }: DOMRect) => width > 0 && bottom > 0 && right > 0 && y < innerHeight && x < innerWidth;
    const boxes = [...range.getClientRects()].filter(seen);
    if (!boxes.length) return;
    if (this.mask.text(parent)) return boxes.forEach((box) => this.fill(new DOMRect(box.x, box.y + 2, box.width, box.height - 4), covered));
    this.font(style);
    const cased = (text: string) => style.textTransform === "uppercase" ? text.toUpperCase() :
      style.textTransform === "lowercase" ? text.toLowerCase() : text;
    const write = (from: number, to: number) => {
      range.setStart(node, from);
      range.setEnd(node, to);
      const rects = [...range.getClientRects()], [rect] = rects, text = node.data.slice(from, to);
      if (!rect || !seen(rect)) return;
      if (rects.length > 1 && to - from > 1) { // a word that is broken
        for (let at = from; at < to; at++) write(at, at + 1);
        return;
      }
      const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = this.ctx.measureText("x");
      const base = rect.y + rect.height * ascent / (ascent + descent);
      this.ctx.fillText(cased(text), rect.x, base);
      if (style.textDecorationLine.includes("underline")) this.ctx.fillRect(rect.x, base + 2, rect.width, 1);
    };
    for (const word of node.data.matchAll(/\S+/g)) write(word.index, word.index + word[0].length);
  }
}

// paint returns a picture of what is seen of the page. It throws when none can be made.
export function paint(mask: Mask): HTMLCanvasElement {
  const canvas = document.createElement("canvas"), scale = Math.min(devicePixelRatio || 1, 2);
  canvas.width = Math.round(innerWidth * scale);
  canvas.height = Math.round(innerHeight * scale);
  const ctx = canvas.getContext("2d")!;
  ctx.scale(scale, scale);
  ctx.fillStyle = "#fff";
  ctx.fillRect(0, 0, innerWidth, innerHeight);
  const ground = [document.body, document.documentElement].map((element) => getComputedStyle(element).backgroundColor)
    .find((colour) => colour !== "rgba(0, 0, 0, 0)");
  if (ground) {
    ctx.fillStyle = ground;
    ctx.fillRect(0, 0, innerWidth, innerHeight);
  }
  new Painter(ctx, mask, true).context(document.documentElement);
  return canvas;
}
