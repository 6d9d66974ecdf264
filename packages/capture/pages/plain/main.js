import { customers, deliver, items, open, pay } from "../shop.js";

(window.Bugslice ||= []).push(["set", { framework: "none" }]);
let customer = 0;
const app = document.getElementById("app");
app.innerHTML = `<main><h1>Shop</h1><p data-bugslice-mask>${customers[0]}</p>${items.map((item) => `<button>Add ${item}</button>`).join("")}
  <ul></ul><input aria-label="Note"><output>0 letters</output><button>Change customer</button><button>Deliver</button>
  <button>Go to checkout</button><button>Pay</button></main>`;
const find = (selector) => app.querySelector(selector);
find("input").addEventListener("input", (event) => { find("output").textContent = `${event.target.value.length} letters`; });
app.addEventListener("click", ({ target }) => {
  const name = target.textContent;
  if (name.startsWith("Add ")) find("ul").insertAdjacentHTML("beforeend", `<li>In the basket: ${name.slice(4)}</li>`);
  if (name === "Change customer") find("p").textContent = customers[customer = 1 - customer];
  if (name === "Deliver") deliver();
  if (name === "Go to checkout") open("/checkout");
  if (name === "Pay") pay({});
});
