// What the pages share: the account, the cart, prices, and how requests are made.
"use strict";

const shop = {
  version: "4.18.2",
  token: sessionStorage.getItem("token"),
  currency: localStorage.getItem("currency") ?? "EUR",
  rates: { EUR: 1, SEK: 11.193 },
  products: [],

  format(amount) {
    return new Intl.NumberFormat("en-IE", { style: "currency", currency: shop.currency }).format(amount);
  },

  money(cents) {
    return shop.format(Math.round(cents * shop.rates[shop.currency]) / 100);
  },

  async request(path, options = {}) {
    const headers = { Accept: "application/json", ...options.headers };
    if (shop.token) headers.Authorization = `Bearer ${shop.token}`;
    if (typeof options.body === "string") headers["Content-Type"] = "application/json";
    const response = await fetch(path, { ...options, headers });
    if (!response.ok) {
      const body = await response.json();
      throw Object.assign(new Error(`${options.method ?? "GET"} ${path}: ${response.status} ${body.error.code}`), { body });
    }
    return response.json();
  },

  async showAccount() {
    if (!shop.token) return;
    const { user, points } = await shop.request("/api/account");
    const label = document.querySelector("#account");
    const face = new Image();
    face.src = user.picture;
    face.alt = "";
    label.replaceChildren(face, `${user.name} · ${points} points`);
    label.hidden = false;
    document.querySelector("#login-open")?.remove();
    shop.user = user;
  },

  async loadProducts() {
    const { items, currency } = await shop.request("/api/products");
    shop.products = items;
    console.info("products loaded", { count: items.length, currency });
  },
};

const cart = {
  lines: JSON.parse(localStorage.getItem("cart") ?? "{}"),

  add(id, quantity = 1) {
    cart.lines[id] = (cart.lines[id] ?? 0) + quantity;
    localStorage.setItem("cart", JSON.stringify(cart.lines));
    console.log("cart changed", { ...cart.lines });
    cart.show();
  },

  items() {
    return Object.entries(cart.lines)
      .map(([id, quantity]) => ({ product: shop.products.find((p) => p.id === id), quantity }))
      .filter((line) => line.product);
  },

  subtotal() {
    return cart.items().reduce((sum, { product, quantity }) => sum + product.cents * quantity, 0);
  },

  // in the currency that the customer chose
  total(shipping = 0) {
    return Math.trunc((cart.subtotal() + shipping) * shop.rates[shop.currency]) / 100;
  },

  show(shipping = 0) {
    const list = document.querySelector("#cart-lines");
    list?.replaceChildren(...cart.items().map(({ product, quantity }) => {
      const line = document.createElement("li");
      const name = document.createElement("span");
      const price = document.createElement("span");
      name.textContent = `${quantity} × ${product.name}`;
      price.textContent = shop.money(product.cents * quantity);
      line.append(name, price);
      return line;
    }));
    document.querySelector("#cart-empty").hidden = cart.items().length > 0;
    document.querySelector("#cart-total").textContent = shop.format(cart.total(shipping));
  },
};

console.log(`Northwind Outfitters ${shop.version}`);
