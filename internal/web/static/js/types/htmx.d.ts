// What modules use of htmx.
interface HtmxContext {
  again?: () => void; // how session.js sends the request again, when a script knows it better
  fetch: (...request: Parameters<typeof fetch>) => Promise<Response>;
  report?: string; // split.js: the path of the report in the pane
  request: { action: string, body: FormData, method: string, submitter: Found | null };
  response: { raw: Response, status: number };
  sourceElement: Found;
  swap: string;
  target: Found;
  text: string;
  texts?: string[]; // gate.js: those that may become elements
  title?: string;
}

type HtmxTask = { type: string, fragment: DocumentFragment };

interface HtmxEvents {
  "htmx:after:process": CustomEvent;
  "htmx:after:swap": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:before:history:restore": CustomEvent;
  "htmx:before:history:update": CustomEvent<{ history: { type: string, path: string }, sourceElement: Found }>;
  "htmx:before:request": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:before:swap": CustomEvent<{ ctx: HtmxContext, tasks: HtmxTask[] }>;
  "htmx:config:request": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:error": CustomEvent<{ ctx?: HtmxContext }>;
  "htmx:finally:request": CustomEvent<{ ctx: HtmxContext }>;
  "htmx:finally:swap": CustomEvent<{ ctx: HtmxContext }>;
}

declare const htmx: {
  ajax(method: string, path: string, options: object): void;
  process(element: Element): void;
  registerExtension(name: string, extension: object): void;
};
