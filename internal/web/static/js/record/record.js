// The page of a recording link: records the screen, shows the recording before it is sent, and sends it with its progress. A recording is
// in the memory of the page alone until then. Without this script the form is sent as it is, with a file.
import { minimal, pageOfUpload } from "../app.js";
import { bitsPerSecond, maxSeconds, megabytes, nameOf, timeOf } from "./limits.js";

const types = ["video/webm;codecs=vp9,opus", "video/webm;codecs=vp8,opus", "video/webm", "video/mp4"];
const type = globalThis.MediaRecorder && types.find((each) => MediaRecorder.isTypeSupported(each));
const able = Boolean(type && navigator.mediaDevices?.getDisplayMedia);

// failureOf returns why an answer refuses what was sent, nothing when it does not say it.
function failureOf(request) {
  try {
    const page = pageOfUpload(request);
    return (page.querySelector("form .fault, [data-refused] p, .problem-detail") ?? page.querySelector("main h1"))?.textContent.trim();
  } catch { return ""; }
}

class RecordForm extends HTMLElement {
  file = null; // what is sent: a recording or a chosen file
  recorder = null;
  stopped = ""; // what is said when the recording has ended
  sent = false;

  /** @returns {Found} */
  found(name) { return this.querySelector(`[data-${name}]`); }
  get form() { return this.querySelector("form"); }
  get chooser() { return /** @type {Found} */ (this.querySelector("#file")); }

  connectedCallback() {
    if (!able) {
      for (const each of /** @type {NodeListOf<Found>} */ (this.querySelectorAll("[data-able], [data-unable]")))
        each.hidden = each.hasAttribute("data-able");
    }
    this.addEventListener("click", (e) => this.clicked(e));
    this.addEventListener("change", (e) => { if (e.target === this.chooser) this.choose(); });
    this.addEventListener("submit", (e) => { e.preventDefault(); this.send(); });
    addEventListener("beforeunload", (e) => { if (!this.sent && (this.file || this.recorder)) e.preventDefault(); });
    if (this.chooser.files.length) this.choose(); // before the script ran
  }

  clicked({ target }) {
    const action = target.closest("[data-action]")?.dataset.action;
    if (action === "record") this.record();
    if (action === "choose") this.chooser.click();
    if (action === "stop") this.recorder?.stop();
    if (action === "again") { this.take(null); this.record(); }
    if (action === "discard") { this.take(null); this.say("discarded"); }
  }

  text(name) { return name ? this.querySelector(`template[data-text=${name}]`).content.textContent : ""; }
  say(name) { this.found("said").textContent = this.text(name); }

  state(name) {
    for (const each of /** @type {NodeListOf<Found>} */ (this.querySelectorAll("[data-state]"))) each.hidden = each.dataset.state !== name;
    const ready = `[data-action=${able ? "record" : "choose"}]`;
    const first = { ready, recording: "[data-action=stop]", recorded: "[data-preview]" }[name];
    /** @type {Found} */ (this.querySelector(first)).focus();
  }

  // record asks the browser what to record, and records it until it is stopped here or by the browser, or a limit is reached.
  async record() {
    let screen, voice = null;
    try {
      screen = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 30 } }, audio: false });
    } catch {
      return this.say("refused");
    }
    if (this.found("microphone").checked) {
      voice = await navigator.mediaDevices.getUserMedia({ audio: true }).catch(() => null);
      if (!voice) this.say("silent");
    }
    const tracks = [...screen.getTracks(), ...(voice?.getTracks() ?? [])];
    const max = Number(this.dataset.max), pieces = [];
    const recorder = this.recorder = new MediaRecorder(new MediaStream(tracks), { mimeType: type, videoBitsPerSecond: bitsPerSecond(max) });
    const began = performance.now(), title = document.title;
    let size = 0;
    this.stopped = "recorded";
    const end = (why) => {
      if (recorder.state === "inactive") return;
      this.stopped = why;
      recorder.stop();
    };
    const clock = setInterval(() => {
      const seconds = (performance.now() - began) / 1000;
      this.found("time").textContent = timeOf(Math.min(seconds, maxSeconds));
      document.title = `● ${timeOf(seconds)} · ${title}`;
      if (seconds >= maxSeconds) end("full");
    }, 250);
    recorder.ondataavailable = ({ data }) => {
      if (size + data.size > max) return end("full"); // what came before is whole
      size += data.size;
      pieces.push(data);
    };
    recorder.onstop = () => {
      clearInterval(clock);
      document.title = title;
      for (const track of tracks) track.stop();
      this.recorder = null;
      this.take(size ? new File(pieces, nameOf(type), { type: type.split(";")[0] }) : null);
      this.say(size ? this.stopped : "refused");
    };
    screen.getVideoTracks()[0].onended = () => end("recorded");
    recorder.start(1000);
    this.state("recording");
    if (!this.found("microphone").checked || voice) this.say("recording");
  }

  choose() {
    const file = this.chooser.files[0] ?? null;
    if (!file) return;
    const large = file.size > Number(this.dataset.max);
    this.chooser.value = "";
    this.take(large ? null : file);
    this.say(large ? "large" : "");
  }

  // take shows what will be sent: a video or a picture before it is sent, or nothing.
  take(file) {
    const preview = this.found("preview");
    URL.revokeObjectURL(preview.src);
    this.file = file;
    preview.removeAttribute("src");
    if (!file) {
      /** @type {any} */ (preview).load();
      return this.state("ready");
    }
    preview.hidden = !file.type.startsWith("video/");
    if (!preview.hidden) preview.src = URL.createObjectURL(file);
    this.found("name").textContent = file.name;
    this.found("size").textContent = megabytes(file.size);
    this.state("recorded");
    if (preview.hidden) /** @type {Found} */ (this.querySelector("[data-action=discard]")).focus();
  }

  send() {
    const button = this.form.querySelector("button"), bar = this.found("progress"), notice = this.found("refused");
    if (button.ariaDisabled || this.recorder) return;
    const request = new XMLHttpRequest(), body = new FormData();
    for (const name of ["once", "text", "name", "email"]) body.append(name, this.form.elements[name].value);
    if (this.file) body.append("file", this.file, this.file.name);
    request.open("POST", this.form.action);
    for (const [name, value] of Object.entries(minimal)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => { bar.value = total ? loaded / total : 0; };
    notice.replaceChildren();
    button.ariaDisabled = "true";
    bar.value = 0;
    bar.hidden = false;
    this.found("transfer").textContent = this.text("sending");
    request.onloadend = () => {
      const path = request.getResponseHeader("Location");
      button.ariaDisabled = null;
      bar.hidden = true;
      this.found("transfer").textContent = "";
      if (request.status === 204 && path) {
        this.sent = true;
        return location.assign(path);
      }
      const text = document.createElement("p");
      text.className = "fault";
      text.textContent = failureOf(request) || this.text("lost");
      notice.append(text);
      button.focus();
    };
    request.send(body);
  }
}
customElements.define("record-form", RecordForm);
