// The first page: products, login, recommendations, reviews.
"use strict";

const partner = { accessToken: "kc_at_7Gm2RzVq9LxTb4NwYs8KdPf1" };

function card(product) {
  const item = document.createElement("li");
  item.className = "product";
  const picture = document.createElement("div");
  picture.className = `picture ${product.tint}`;
  const image = new Image();
  image.src = product.image;
  image.alt = product.name;
  picture.append(image);
  const name = document.createElement("h3");
  name.textContent = product.name;
  const note = document.createElement("p");
  note.className = "muted small";
  note.textContent = product.note;
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
  item.append(picture, name, note, foot);
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

async function showReviews() {
  const { average } = await shop.request("/api/reviews");
  document.querySelector("h1").title = `${average} of 5 stars`;
}

async function logIn(form) {
  const { email, password } = Object.fromEntries(new FormData(form));
  const session = await shop.request("/api/login", { method: "POST", body: JSON.stringify({ email, password }) });
  shop.token = session.token;
  sessionStorage.setItem("token", session.token);
  console.debug("session", session);
  document.querySelector("#login-dialog").close();
  await shop.showAccount();
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
document.querySelector("#subscribed").hidden = !new URLSearchParams(location.search).has("subscribed");

async function start() {
  await shop.showAccount();
  await showProducts();
  await showRecommendations();
  showReviews(); // nobody waits for it, and nobody catches what it throws
}

start();
