// Counts the frames of WebSockets, and keeps their texts when the page asks for it.
import { now, quietly } from "./ring.ts";
import type { Exchange } from "./types.ts";

const longest = 2000; // characters of a frame
const frames = 100; // newest frames of a socket

const sizeOf = (data: unknown): number => typeof data === "string" ? data.length :
  data instanceof Blob ? data.size : (data as ArrayBuffer | null)?.byteLength ?? 0;

export function watchSockets(add: (exchange: Exchange) => void, texts: boolean): void {
  const Original = window.WebSocket;
  if (!Original) return;
  const watch = (socket: WebSocket) => {
    const clock = performance.now();
    const counts = { send: 0, receive: 0 }, bytes = { send: 0, receive: 0 };
    const messages: NonNullable<Exchange["_webSocketMessages"]> = [];
    const exchange: Exchange = { startedDateTime: now(), time: 0, request: { method: "GET", url: socket.url },
      response: { status: 0, statusText: "connecting", content: { mimeType: "" } }, _resourceType: "websocket",
      ...(texts ? { _webSocketMessages: messages } : {}) };
    const changed = () => {
      exchange.time = performance.now() - clock;
      exchange.comment = `${counts.send} frames sent (${bytes.send} bytes), ${counts.receive} received (${bytes.receive} bytes)`;
    };
    const frame = (type: "send" | "receive", data: unknown) => quietly(() => {
      counts[type]++;
      bytes[type] += sizeOf(data);
      if (texts && typeof data === "string") {
        messages.push({ type, time: Date.now() / 1000, opcode: 1, data: data.slice(0, longest) });
        if (messages.length > frames) messages.shift();
      }
      changed();
    });
    changed();
    add(exchange);
    socket.addEventListener("open", () => Object.assign(exchange.response, { status: 101, statusText: "Switching Protocols" }));
    socket.addEventListener("message", ({ data }) => frame("receive", data));
    socket.addEventListener("close", ({ code, reason }) => {
      exchange.response.statusText = `closed with ${code}${reason ? ` ${reason}` : ""}`;
      changed();
    });
    const { send } = socket;
    socket.send = function (data) {
      frame("send", data);
      return send.call(socket, data);
    };
  };
  window.WebSocket = new Proxy(Original, {
    construct(target, values, of) {
      const socket = Reflect.construct(target, values, of === proxy() ? target : of) as WebSocket;
      quietly(watch, socket);
      return socket;
    },
  });
  const made = window.WebSocket;
  const proxy = () => made;
}
