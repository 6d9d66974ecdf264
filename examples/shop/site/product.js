// The page of a product: its picture, stores that have it, and reviews.
"use strict";

const id = new URLSearchParams(location.search).get("id");

function show(product) {
  document.title = `${product.name} – Northwind Outfitters`;
  document.querySelector("#name").textContent = product.name;
  document.querySelector("#note").textContent = product.note;
  document.querySelector("#about").textContent = product.about;
  document.querySelector("#price").textContent = shop.money(product.cents);
  document.querySelector("#photo").replaceChildren(product.photo ? photo(product) : picture(product));
  document.querySelector("#sizes").replaceChildren(...product.sizes.map((size, i) => {
    const label = document.createElement("label");
    const choice = document.createElement("input");
    choice.type = "radio";
    choice.name = "size";
    choice.id = `size-${size}`;
    choice.checked = i === 0;
    label.append(choice, ` ${size}`);
    return label;
  }));
}

function photo(product) {
  const frame = document.createElement("div");
  frame.className = `picture ${product.tint}`;
  const image = new Image();
  image.src = product.photo;
  image.alt = product.name;
  frame.append(image);
  return frame;
}

// showStores leaves the spinner until the list of stores has arrived.
async function showStores() {
  const status = document.querySelector("#stores");
  status.innerHTML = `<span class="spinner"></span>Asking our stores…`;
  const { stores } = await shop.request(`/api/stores?product=${id}`);
  status.textContent = stores.map((store) => `${store.name}: ${store.count}`).join(" · ");
}

async function showReviews() {
  const { items } = await shop.request(`/api/products/${id}/reviews`);
  document.querySelector("#reviews").replaceChildren(...items.map((review) => {
    const entry = document.createElement("div");
    entry.className = "review";
    const stars = document.createElement("span");
    stars.className = "stars";
    stars.textContent = "★".repeat(review.stars);
    const title = document.createElement("strong");
    title.textContent = ` ${review.title}`;
    const text = document.createElement("p");
    text.textContent = review.text;
    entry.append(stars, title, text);
    return entry;
  }));
}

async function onReview(event) {
  event.preventDefault();
  const form = event.target;
  const { title, text, stars } = Object.fromEntries(new FormData(form));
  try {
    await shop.request(`/api/products/${id}/reviews`, { method: "POST", body: JSON.stringify({ title, text, stars: Number(stars) }) });
    await showReviews();
  } catch (error) {
    console.warn("review refused", error);
    document.querySelector("#review-note").textContent = error.body.error.message;
  } finally {
    form.reset();
  }
}

document.querySelector("#buy").addEventListener("click", () => cart.add(id, Number(document.querySelector("#quantity").value)));
document.querySelector("#find-store").addEventListener("click", () => showStores());
document.querySelector("#review").addEventListener("submit", onReview);

async function start() {
  await shop.showAccount();
  await shop.loadProducts();
  show(shop.products.find((p) => p.id === id));
  cart.show();
  await showReviews();
}

start();
