// What a page says to the script, and what the script keeps.

export interface Options {
  /** The address of the instance, such as https://bugs.example.com. */
  instance: string;
  /** The public key of a source, svc_pub_…, or a key that files reports only, svc_wst_…. Everybody who opens the page can read it. */
  key: string;
  /** The release of the application. */
  release?: string;
  /** Whether an error that nobody caught files a report. Each error files one, and a page at most five. True by default. */
  fileErrors?: boolean;
  /** Masks every text, name, picture and value, except in elements with data-bugslice-show. False by default. */
  privateByDefault?: boolean;
  /** Shows in the replay what people type into fields that are not sensitive. False by default. */
  showInputs?: boolean;
  /** Records the page for the replay. True by default. */
  replay?: boolean;
  /** Keeps the texts of WebSocket frames, which are otherwise only counted. False by default. */
  webSocketText?: boolean;
  /** The language of the dialog. Otherwise it is that of the page, or of the browser. */
  language?: string;
}

/** Who uses the page. A source takes an id that the site has signed (signature: HMAC-SHA-256, in hexadecimal), or a JWT (token). */
export interface Identity { id?: string; name?: string; email?: string; signature?: string; token?: string }

export type Reporter = Identity;

/** What a report says beside its evidence. */
export interface Details {
  summary?: string;
  description?: string;
  labels?: string[];
  fingerprint?: string;
}

/**
 * What is known of a report that has arrived: of one by a source the id that the browser gave it, and the address of
 * its page, when the source has such pages. The address is a secret of the reporter.
 */
export interface Filed { reference?: string; url?: string; reporterUrl?: string; id: string }

export interface Entry { level: string; timestamp: string; message: string; stack?: string | undefined }

export interface Action { type: string; timestamp: string; url: string; selector?: string | undefined; text?: string | undefined }

export interface Exchange {
  startedDateTime: string;
  time: number;
  request: { method: string; url: string; postData?: { text: string } };
  response: { status: number; statusText: string; content: { mimeType: string; text?: string } };
  comment?: string;
  _resourceType?: string;
  _webSocketMessages?: { type: string; time: number; opcode: number; data: string }[];
}

/** An event of rrweb. */
export interface ReplayEvent { type: number; timestamp: number; data: unknown }

/** A level of the console. */
export type Level = "debug" | "log" | "info" | "warn" | "error";

/** The parts of the evidence, each of which the reporter may leave out. */
export type Part = "console" | "network" | "actions" | "replay" | "environment";

export interface Picture { blob: Blob; name: string; kind: "screenshot" | "other" }

/** What a page calls. Before start is called, the calls wait. */
export interface API {
  /** Says who uses the page. */
  identify(identity: Identity): void;
  /** Adds metadata to later reports. A null value removes the name. */
  set(values: Record<string, string | number | boolean | null>): void;
  /** Adds a line to the console of later reports, and writes nothing to that of the browser. */
  log(message: string, level?: Level): void;
  /** Opens the dialog. */
  report(details?: Details): void;
  /** Files a report of an error without a dialog. */
  capture(error: unknown, details?: Details): Promise<Filed>;
  /** Files a report without a dialog. It resolves when the instance has the report, which may be when there is a network again. */
  file(summary?: string, details?: Details): Promise<Filed>;
}
