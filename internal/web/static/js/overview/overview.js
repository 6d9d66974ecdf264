// The plot of days on the overview: under the pointer, and with the keys when it has the focus, it says what a day counts.

class PlotDays extends HTMLElement {
  connectedCallback() {
    if (this.tabIndex === 0) return; // it was here before
    this.tabIndex = 0;
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", this.dataset.label);
    for (const title of this.querySelectorAll("title")) title.remove(); // the browser would show a second one
    this.addEventListener("pointerover", (event) => this.show(event.target.closest("g")));
    this.addEventListener("pointerleave", () => this.show(null));
    this.addEventListener("focus", () => this.matches(":focus-visible") && this.show(this.days.at(-1)));
    this.addEventListener("blur", () => this.show(null));
    this.addEventListener("keydown", (event) => this.press(event));
  }

  get days() { return [...this.querySelectorAll("g")]; }
  get current() { return this.querySelector("[data-current]"); }

  show(day) {
    this.current?.removeAttribute("data-current");
    const value = this.querySelector("[data-value]");
    value.hidden = !day;
    if (!day) return;
    day.toggleAttribute("data-current", true);
    const name = document.createElement("b");
    name.textContent = day.dataset.days;
    value.replaceChildren(name, day.dataset.counts);
    const { left, width } = day.getBoundingClientRect(), own = this.getBoundingClientRect();
    const middle = left - own.left + width / 2 - value.offsetWidth / 2;
    value.style.left = `${Math.max(0, Math.min(middle, own.width - value.offsetWidth))}px`;
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this) return;
    const all = this.days, at = all.indexOf(this.current), link = this.current?.querySelector("a");
    const to = { ArrowLeft: Math.max(0, (at < 0 ? all.length : at) - 1), ArrowRight: Math.min(all.length - 1, at + 1), Home: 0,
      End: all.length - 1 }[event.key];
    if (to !== undefined) this.show(all[to]);
    else if (event.key === "Enter" && link) location.assign(link.getAttribute("href"));
    else if (event.key === "Escape" && this.current) this.show(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("plot-days", PlotDays);
