// Uploads a file in pieces by the tus protocol (1.0.0): after a failure it asks how much the instance has, and goes on
// from there. Pieces are smaller after a failure, because a proxy may pass on only those that are whole.
const least = 16 << 10, first = 128 << 10, most = 1 << 20; // bytes
const failures = 6; // without a byte that arrives, until the queue tries again later

export interface Connection {
  /** Sends a request. It is rejected when the instance refuses it for good, and for every other failure in another way. */
  (path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response>;
  isRefusal(why: unknown): boolean;
}

const tus = { "Tus-Resumable": "1.0.0" };
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
const encoded = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** Uploads a file, and calls progress with the bytes that the instance has. It resolves when the report has the file. */
export async function upload(connect: Connection, path: string, blob: Blob, metadata: Record<string, string>,
  progress: (bytes: number) => void): Promise<void> {
  let address = "", size = first, offset = 0, unsure = false;
  for (let failed = 0; ;) {
    try {
      if (!address) {
        const created = await connect(path, { method: "POST", headers: { ...tus, "Upload-Length": String(blob.size),
          "Upload-Metadata": Object.entries(metadata).map(([name, text]) => `${name} ${encoded(text)}`).join(",") } });
        address = created.headers.get("Location")!;
        offset = Number(created.headers.get("Upload-Offset"));
      } else if (unsure) {
        offset = Number((await connect(address, { method: "HEAD", headers: tus })).headers.get("Upload-Offset"));
      }
      unsure = false;
      progress(offset);
      // The last request is answered when the report has the file; after a failure it has no bytes.
      const answer = await connect(address, { method: "PATCH", body: blob.slice(offset, offset + size),
        headers: { ...tus, "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset) } });
      offset = Number(answer.headers.get("Upload-Offset"));
      progress(offset);
      if (offset >= blob.size) return;
      failed = 0;
      size = Math.min(most, size * 2);
    } catch (why) {
      if (connect.isRefusal(why) || ++failed >= failures) throw why;
      const before = offset;
      unsure = true;
      size = Math.max(least, size / 4);
      await pause(100 * 2 ** failed * (0.5 + Math.random()));
      if (address) {
        const now = await connect(address, { method: "HEAD", headers: tus }).catch(() => undefined);
        if (now) {
          offset = Number(now.headers.get("Upload-Offset"));
          unsure = false;
          if (offset > before) failed = 0;
        }
      }
    }
  }
}
