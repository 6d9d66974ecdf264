// A picture of the screen, when the reporter wants it. Masked elements are covered before the picture exists. Another surface than a tab
// would show them where nobody knows: on a page that masks something it is refused.
import type { Mask } from "../mask.ts";

export class Uncovered extends Error {}

// maskedBoxes returns the boxes of the masked elements and fields that are seen.
export function maskedBoxes(mask: Mask, root: ParentNode = document): DOMRect[] {
  const boxes: DOMRect[] = [];
  for (const element of root.querySelectorAll("*")) {
    if (element.shadowRoot) boxes.push(...maskedBoxes(mask, element.shadowRoot));
    const field = element.matches("input, textarea, select") && (!mask.showInputs || mask.sensitive(element));
    if (field || mask.region(element) && (element.childElementCount === 0 || element.hasAttribute("data-bugslice-mask")))
      boxes.push(...element.getClientRects());
  }
  return boxes.filter((box) => box.width > 0 && box.height > 0);
}

export async function screenshot(mask: Mask): Promise<HTMLCanvasElement> {
  const wanted = { video: true, preferCurrentTab: true, selfBrowserSurface: "include" } as DisplayMediaStreamOptions;
  const stream = await navigator.mediaDevices.getDisplayMedia(wanted);
  try {
    const video = document.createElement("video");
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    await new Promise((done) => setTimeout(done, 300)); // the browser's own notice is gone
    const surface = stream.getVideoTracks()[0]?.getSettings().displaySurface;
    const boxes = maskedBoxes(mask);
    if (boxes.length && surface !== "browser") throw new Uncovered();
    const canvas = document.createElement("canvas");
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const ctx = canvas.getContext("2d")!;
    ctx.drawImage(video, 0, 0);
    const across = canvas.width / innerWidth, down = canvas.height / innerHeight;
    ctx.fillStyle = "#6b7280";
    for (const { x, y, width, height } of boxes) ctx.fillRect(x * across - 1, y * down - 1, width * across + 2, height * down + 2);
    return canvas;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
