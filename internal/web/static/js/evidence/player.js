// The player of a replay. It plays in a frame that is made once somebody looks at it, in a document of an opaque origin; here are its
// controls and its time line. It tells the panels its time by evidence:time, and goes to that of their evidence:seek.
import { dispatch } from "../app.js";
import { clock } from "./clock.js";

const readyWithin = 15000; // milliseconds from when the events are there
const before = 5000; // milliseconds before the fault, where it begins to play
const step = 1000, largeStep = 5000; // of the arrow keys
const typing = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";
const control = `${typing}, a, button, input, summary, video, iframe, [tabindex="0"]`;

const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

class ReplayPlayer extends HTMLElement {
  time = 0; // after the first event
  duration = 0;
  start = 0; // of the first event, since the epoch
  idle = []; // spans in which nothing was recorded
  marks = []; // of the rows, by time
  attempt = null; // to load
  seeks = 0; // of the attempt
  isPrepared = false; // whether it was loaded before anybody played it, or that has failed

  connectedCallback() {
    this.bar = this.querySelector(".player-bar");
    this.slider = this.find("seek");
    if (!this.started) this.listen();
    this.started = true;
    document.addEventListener("keydown", this.pressed);
    document.addEventListener("visibilitychange", this.hide);
    addEventListener("message", this.received);
    this.seen = new IntersectionObserver((entries) => this.look(entries.at(-1).isIntersecting));
    this.seen.observe(this);
    this.join();
    this.enable();
  }

  // The frame is moved with it, and plays on beside the panels of another page of its report.
  connectedMoveCallback() {
    this.leave();
    this.join();
  }

  // join shares the time line of the panels around it, until leave.
  join() {
    this.evidence = this.closest(".evidence") ?? this.parentElement;
    if (this.start) this.evidence.dataset.zero ||= String(this.start);
    this.evidence.addEventListener("evidence:seek", this.sought);
    this.evidence.addEventListener("evidence:rows", this.readMarks);
    this.readMarks();
  }

  leave() {
    this.evidence.removeEventListener("evidence:seek", this.sought);
    this.evidence.removeEventListener("evidence:rows", this.readMarks);
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.pressed);
    document.removeEventListener("visibilitychange", this.hide);
    removeEventListener("message", this.received);
    this.leave();
    this.seen.disconnect();
    clearTimeout(this.addressing);
    this.unload();
    this.isPoster = false;
    this.state = "ready";
  }

  find(name) { return this.querySelector(`[data-${name}]`); }
  get state() { return this.dataset.state; }
  get isLoaded() { return this.state === "playing" || this.state === "paused"; }
  get isPoster() { return "poster" in this.dataset; } // whether it shows a moment that nobody has chosen
  set isPoster(is) { this.toggleAttribute("data-poster", is); }
  get zero() { return Number(this.evidence.dataset.zero) || this.start; }

  set state(state) {
    this.dataset.state = state;
    const button = this.find("toggle");
    button.dataset.paused ??= button.ariaLabel;
    button.ariaLabel = state === "playing" ? button.dataset.playing : button.dataset.paused;
    this.enable();
  }

  // enable enables what works in the state.
  enable() {
    this.slider.disabled = !this.isLoaded;
    for (const button of this.querySelectorAll("[data-mark-step]")) button.disabled = this.state === "loading" || !this.marks.length;
    this.find("full").hidden = !document.fullscreenEnabled;
  }

  listen() {
    this.addEventListener("click", (event) => this.clicked(event.target));
    this.slider.addEventListener("input", () => this.seek(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => this.slid(event));
    this.find("speed").addEventListener("change", () => this.send("speed", { speed: this.speed }));
    this.addEventListener("fullscreenchange", () => {
      const full = document.fullscreenElement === this, button = this.find("full");
      button.ariaPressed = String(full);
      (full ? this.find("toggle") : button).focus(); // so that Space plays in full screen, too
    });
  }

  get speed() { return Number(this.find("speed").value); }

  clicked(target) {
    const on = (name) => target.closest(`[data-${name}]`);
    if (on("restart")) this.playFrom(0);
    else if (on("play") || target.closest(".player-poster")) this.play();
    else if (on("toggle")) this.toggle();
    else if (on("again")) this.play();
    else if (on("mark-step")) this.step(Number(on("mark-step").dataset.markStep));
    else if (on("at")) this.goTo(this.marks[Number(on("at").dataset.at)]);
    else if (on("skip")) on("skip").ariaPressed = on("skip").ariaPressed === "true" ? "false" : "true";
    else if (on("full")) this.full();
  }

  full() { if (document.fullscreenElement) document.exitFullscreen(); else if (document.fullscreenEnabled) this.requestFullscreen(); }

  // pressed is the keyboard of the page. A control keeps its keys.
  pressed = (event) => {
    const modified = event.isComposing || event.ctrlKey || event.altKey || event.metaKey;
    if (event.defaultPrevented || modified || !document.body.hasAttribute("data-shortcuts") || this.closest("[hidden]")) return;
    if (event.target.closest?.(event.key === " " ? control : typing)) return;
    if (document.querySelector("dialog[open]") ?? document.querySelector(":popover-open")) return;
    const by = event.shiftKey ? largeStep : step;
    const alone = document.fullscreenElement === this && { ArrowLeft: () => this.seek(this.time - by),
      ArrowRight: () => this.seek(this.time + by) };
    const command = { " ": () => this.toggle(), ",": () => this.step(-1),
      ".": () => this.step(1), f: () => this.full(), ...alone }[event.key];
    if (!command) return;
    event.preventDefault();
    command();
  };

  slid(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.seek(this.time + by * (event.shiftKey ? largeStep : step));
  }

  // Loading.

  // look loads a replay whose time the address names, once it is seen, and prepares another one. It pauses one that is no longer seen: a
  // browser draws no frame of it.
  look(seen) {
    this.isSeen = seen;
    const t = parseFloat(new URL(location.href).searchParams.get("t"));
    if (seen && this.state === "ready" && Number.isFinite(t)) this.load({ seconds: t });
    else if (seen) (globalThis.requestIdleCallback ?? setTimeout)(() => this.prepare());
    if (!seen && !document.fullscreenElement) this.pause();
  }

  // prepare loads a small replay, unless the reader pays for it or saves data, and shows the moment of its fault.
  prepare() {
    const { saveData = false, type = "" } = /** @type {any} */ (navigator).connection ?? {};
    const saves = saveData || type === "cellular" || matchMedia("(prefers-reduced-data: reduce)").matches;
    if (saves || this.isPrepared || !this.isSeen || !this.isConnected || this.state !== "ready" || !("small" in this.dataset)) return;
    this.isPrepared = true;
    this.load({ poster: true });
  }

  hide = () => { if (document.hidden) this.pause(); };

  // load loads the replay. Then it plays, or is at a time: seconds after zero, or time since the epoch.
  async load(next) {
    this.next = next;
    this.toggleAttribute("data-quiet", Boolean(next.poster));
    if (this.state === "loading") return;
    this.unload();
    this.state = "loading";
    this.note("");
    const frame = this.querySelector("template[data-part=frame]").content.firstElementChild.cloneNode(true);
    const attempt = this.attempt = { frame, frameLoaded: Promise.withResolvers(), deadline: 0, port: null,
      abort: new AbortController() };
    this.querySelector(".player-screen").append(frame);
    try {
      const response = await fetch(this.dataset.events, { headers: { Accept: "application/json" }, signal: attempt.abort.signal });
      if (!response.ok) throw new Error();
      const events = await response.arrayBuffer();
      if (attempt !== this.attempt) return;
      attempt.deadline = setTimeout(() => this.fail("play"), readyWithin);
      await attempt.frameLoaded.promise;
      if (attempt === this.attempt) this.transfer(attempt, events);
    } catch {
      if (attempt === this.attempt) this.fail("load");
    }
  }

  transfer(attempt, events) {
    const { port1, port2 } = new MessageChannel();
    attempt.port = port1;
    port1.onmessage = ({ data }) => { if (attempt === this.attempt) this.answered(data); };
    const background = getComputedStyle(this.querySelector(".player-screen")).backgroundColor;
    attempt.frame.contentWindow.postMessage({ type: "load", events, background }, location.origin, [port2, events]);
  }

  unload() {
    clearTimeout(this.attempt?.deadline);
    this.attempt?.abort.abort();
    this.attempt?.port?.close();
    this.attempt?.frame.remove();
    this.attempt = null;
    this.seeks = 0;
  }

  fail(fault) {
    this.unload();
    if (this.next.poster) return void (this.state = "ready"); // nobody has asked for it
    for (const reason of this.querySelectorAll("[data-fault]")) reason.hidden = reason.dataset.fault !== fault;
    this.state = "failed";
    this.querySelector(".player-instead").focus({ preventScroll: true });
  }

  received = ({ source, origin, data }) => {
    if (this.attempt && source === this.attempt.frame.contentWindow && origin === location.origin && data?.type === "loaded")
      this.attempt.frameLoaded.resolve();
  };

  // answered handles a message of the frame, whose content a recording may have made.
  answered(data) {
    const number = (n) => (Number.isFinite(n) ? n : 0);
    if (data?.type === "meta") {
      [this.start, this.duration] = [number(data.start), Math.max(number(data.duration), 1)];
      this.idle = (Array.isArray(data.idle) ? data.idle : []).map(([from, to]) => [number(from), number(to)]);
    } else if (data?.type === "ready" && this.state === "loading") {
      this.begin();
    } else if (data?.type === "time" && this.isLoaded && !this.isPoster && data.seeks === this.seeks) {
      this.show(clamp(number(data.time), 0, this.duration));
      if (this.state === "playing") this.skip();
    } else if (data?.type === "finish" && this.state === "playing") {
      this.show(this.duration);
      this.state = "paused";
    } else if (data?.type === "error") {
      this.fail("play");
    }
  }

  begin() {
    clearTimeout(this.attempt.deadline);
    this.evidence.dataset.zero ||= String(this.start);
    this.slider.max = this.duration;
    this.find("duration").textContent = clock(this.duration);
    this.state = "paused";
    this.readMarks();
    this.drawIdle();
    this.send("speed", { speed: this.speed });
    const { play, from, poster, seconds, time } = this.next;
    this.show(0);
    if (seconds !== undefined) this.seek(this.zero + seconds * 1000 - this.start, false);
    if (time !== undefined) this.sought({ detail: { time } });
    if (poster) this.showPoster();
    if (play) this.playFrom(from ?? this.beginning);
  }

  // beginning is the time shortly before the fault, after the first event.
  get beginning() { return Math.max((this.fault?.time ?? 0) - (this.start || this.zero) - before, 0); }

  // fault is the first of the marks with the highest weight.
  get fault() { return this.marks.reduce((found, mark) => found && found.weight >= mark.weight ? found : mark, undefined); }

  // showPoster shows the moment of the fault, which it names, until the reader plays or chooses another one. It plays from its
  // beginning, which its button names.
  showPoster() {
    this.isPoster = true;
    const { fault } = this, at = clamp((fault?.time ?? this.start) - this.start, 0, this.duration);
    this.show(at);
    this.find("moment").textContent = fault ? `${this.dataset[fault.kind] ?? ""} ${clock(at)}`.trim() : "";
    this.send("seek", { time: at, number: ++this.seeks });
  }

  // nameBeginning says in the poster where it begins to play.
  nameBeginning() {
    const label = this.find("begin"), from = this.beginning;
    label.dataset.label ??= label.textContent;
    label.textContent = from ? `${label.dataset.begin} ${clock(from)}` : label.dataset.label;
    this.find("restart").hidden = !from;
  }

  send(type, content) { this.attempt?.port?.postMessage({ type, ...content }); }

  // Playing.

  toggle() { if (this.state === "playing") this.pause(); else this.play(); }

  playFrom(from) {
    if (!this.isLoaded) return this.load({ play: true, from });
    if (from !== this.time) this.seek(from, false);
    this.play();
  }

  play() {
    if (!this.isLoaded) return this.load({ play: true });
    if (this.isPoster) this.seek(this.beginning, false);
    if (this.time >= this.duration) this.seek(0);
    this.note("");
    this.send("play");
    this.state = "playing";
  }

  pause() {
    if (this.state !== "playing") return;
    this.send("pause");
    this.state = "paused";
    this.address();
  }

  // seek goes to a time after the first event.
  seek(time, addressed = true) {
    this.note("");
    this.isPoster = false;
    this.show(clamp(time, 0, this.duration));
    this.send("seek", { time: this.time, number: ++this.seeks });
    if (addressed) this.address();
  }

  // sought goes to the time of a row, or says that it lies outside the replay.
  sought = ({ detail: { time } }) => {
    if (!this.isLoaded) return this.load({ time });
    if (time < this.start) return this.note(this.dataset.before);
    if (time > this.start + this.duration) return this.note(this.dataset.after);
    this.seek(time - this.start);
  };

  // skip leaves a span in which nothing was recorded, though not a mark in it.
  skip() {
    if (this.find("skip").ariaPressed !== "true") return;
    const span = this.idle.find(([from, to]) => this.time >= from && this.time < to);
    if (!span) return;
    const mark = this.marks.find((m) => m.time - this.start > this.time && m.time - this.start < span[1]);
    const to = mark ? mark.time - this.start - 500 : span[1];
    if (to > this.time + 250) this.seek(to, false);
  }

  // show shows a time in the controls and in the panels.
  show(time) {
    this.time = time;
    this.slider.value = time;
    this.slider.style.setProperty("--progress", `${100 * time / (this.duration || 1)}%`);
    this.slider.ariaValueText = `${clock(time)} / ${clock(this.duration)}`;
    this.find("now").textContent = clock(time);
    dispatch(this.evidence, "evidence:time", { time: this.start + time });
  }

  // address writes the time into the address, once it has been still for a moment.
  address() {
    clearTimeout(this.addressing);
    this.addressing = setTimeout(() => {
      const url = new URL(location.href);
      url.searchParams.set("t", ((this.start + this.time - this.zero) / 1000).toFixed(1));
      history.replaceState(history.state, "", url);
    }, 300);
  }

  note(text) { this.find("note").textContent = text; }

  // The time line.

  readMarks = () => {
    this.marks = [...this.evidence.querySelectorAll("[data-mark][data-time]")]
      .map(({ dataset }) => ({ time: Number(dataset.time), kind: dataset.mark, title: dataset.title ?? "",
        weight: Number(dataset.weight) }))
      .filter((m) => Number.isFinite(m.time) && (!this.duration || m.time >= this.start && m.time <= this.start + this.duration))
      .sort((a, b) => a.time - b.time);
    this.enable();
    if (this.zero) this.nameBeginning();
    if (this.duration) this.drawMarks();
    if (this.isPoster) this.showPoster();
  };

  // drawMarks draws one mark where several would lie on each other, the first error of them.
  drawMarks() {
    const places = new Map();
    this.marks.forEach((mark, i) => {
      const place = Math.round(250 * (mark.time - this.start) / this.duration);
      if (!places.has(place) || mark.kind === "error" && this.marks[places.get(place)].kind !== "error") places.set(place, i);
    });
    this.find("marks").replaceChildren(...[...places].map(([place, i]) => {
      const element = document.createElement("span");
      element.dataset.at = i;
      element.dataset.kind = this.marks[i].kind;
      element.title = `${clock(this.marks[i].time - this.start)} ${this.marks[i].title}`;
      element.style.left = `${place / 2.5}%`;
      return element;
    }));
  }

  drawIdle() {
    this.find("idle").replaceChildren(...this.idle.slice(0, 500).map(([from, to]) => {
      const element = document.createElement("span");
      element.style.left = `${100 * from / this.duration}%`;
      element.style.width = `${100 * (to - from) / this.duration}%`;
      return element;
    }));
  }

  // step goes to the mark before or after the time. While it plays, that before is not the one that has just been passed.
  step(direction) {
    const now = this.start + this.time, passed = this.state === "playing" ? 1000 : 1;
    const mark = direction > 0 ? this.marks.find((m) => m.time > now + 1) : this.marks.findLast((m) => m.time < now - passed);
    if (mark) this.goTo(mark);
  }

  goTo(mark) {
    this.sought({ detail: { time: mark.time } });
    if (this.isLoaded) this.note(`${this.dataset[mark.kind] ?? ""} ${clock(this.time)} ${mark.title}`.trim());
  }
}
customElements.define("replay-player", ReplayPlayer);
