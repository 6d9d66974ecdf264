// The first page: products, search, login, recommendations, live stock.
"use strict";

const partner = { accessToken: "kc_at_7Gm2RzVq9LxTb4NwYs8KdPf1" };

function card(product) {
  const item = document.createElement("li");
  item.className = "product";
  const link = document.createElement("a");
  link.href = `/product?id=${product.id}`;
  link.id = `open-${product.id}`;
  const name = document.createElement("h3");
  name.textContent = product.name;
  link.append(picture(product), name);
  const note = document.createElement("p");
  note.className = "muted small";
  note.textContent = product.note;
  const stock = document.createElement("p");
  stock.className = "stock";
  stock.dataset.stock = product.id;
  stock.hidden = true;
  const foot = document.createElement("div");
  foot.className = "foot";
  const price = document.createElement("strong");
  price.textContent = shop.money(product.cents);
  const button = document.createElement("button");
  button.type = "button";
  button.id = `add-${product.id}`;
  button.textContent = "Add to cart";
  button.addEventListener("click", () => cart.add(product.id));
  foot.append(price, button);
  item.append(link, note, stock, foot);
  return item;
}

async function showProducts() {
  await shop.loadProducts();
  const list = document.querySelector("#product-list");
  list.replaceChildren(...shop.products.map(card));
  list.setAttribute("aria-busy", "false");
  cart.show();
}

async function showRecommendations() {
  const { items } = await shop.request(`/api/recommendations?limit=2&access_token=${partner.accessToken}`);
  const names = items.map((id) => shop.products.find((p) => p.id === id)?.name);
  document.querySelector("#recommendations").textContent = names.join(" and ");
}

// askForReviews reminds a customer of products without a review.
async function askForReviews() {
  const { open } = await shop.request("/api/account/reviews");
  document.querySelector("#account").title = `${open.length} products to review`;
}

async function search(query) {
  const began = performance.now();
  const { items } = await shop.request(`/api/search?q=${encodeURIComponent(query)}`);
  const took = Math.round(performance.now() - began);
  console[took > 1000 ? "warn" : "debug"](`search "${query}" took ${took} ms`);
  const list = document.querySelector("#search-results");
  list.hidden = false;
  list.replaceChildren(...items.map((product) => {
    const line = document.createElement("li");
    const price = document.createElement("span");
    price.textContent = shop.money(product.cents);
    line.append(product.name, price);
    return line;
  }));
}

// watchStock updates the stock every 30 seconds, and at once after a failure.
async function watchStock() {
  if (!document.querySelector("#live-stock").checked) return;
  attempts += 1;
  console.debug(`stock: asking, attempt ${attempts}`);
  const began = performance.now();
  try {
    const { stock } = await shop.request("/api/stock");
    for (const [id, count] of Object.entries(stock)) {
      const note = document.querySelector(`[data-stock="${id}"]`);
      note.textContent = `${count} left`;
      note.hidden = false;
    }
    attempts = 0;
    setTimeout(watchStock, 30000);
  } catch (error) {
    console.error("stock: not updated", error);
    console.debug(`stock: answered after ${Math.round(performance.now() - began)} ms`);
    console.info("stock: products without a number", shop.products.length);
    setTimeout(watchStock, 0);
  }
}
let attempts = 0;

async function logIn(form) {
  const { email, password } = Object.fromEntries(new FormData(form));
  const session = await shop.request("/api/login", { method: "POST", body: JSON.stringify({ email, password }) });
  shop.token = session.token;
  sessionStorage.setItem("token", session.token);
  console.debug("session", session);
  document.querySelector("#login-dialog").close();
  await shop.showAccount();
  askForReviews();
}

document.querySelector("#login-open").addEventListener("click", () => document.querySelector("#login-dialog").showModal());
document.querySelector("#login").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn(event.target).catch((error) => {
    console.error(error);
    const note = document.querySelector("#login-error");
    note.textContent = error.body?.error.message ?? "That did not work.";
    note.hidden = false;
  });
});
document.querySelector("#search").addEventListener("input", (event) => search(event.target.value));
document.querySelector("#live-stock").addEventListener("change", watchStock);
document.querySelector("#currency").value = shop.currency;
document.querySelector("#currency").addEventListener("change", (event) => {
  shop.currency = event.target.value;
  localStorage.setItem("currency", shop.currency);
  console.info("currency", shop.currency, shop.rates[shop.currency]);
  document.querySelector("#product-list").replaceChildren(...shop.products.map(card));
  cart.show();
});
document.querySelector("#subscribed").hidden = !new URLSearchParams(location.search).has("subscribed");

async function start() {
  await shop.showAccount();
  await showProducts();
  await showRecommendations();
}

start();
