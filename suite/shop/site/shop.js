// What both pages share: the account, the cart, and how requests are made.
"use strict";

const shop = {
  version: "4.2.0",
  token: sessionStorage.getItem("token"),
  products: [],

  money(cents) {
    return new Intl.NumberFormat("en-IE", { style: "currency", currency: "EUR" }).format(cents / 100);
  },

  async request(path, options = {}) {
    const headers = { Accept: "application/json", ...options.headers };
    if (shop.token) headers.Authorization = `Bearer ${shop.token}`;
    if (options.body) headers["Content-Type"] = "application/json";
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
    label.textContent = `${user.name} · ${points} points`;
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

  add(id) {
    cart.lines[id] = (cart.lines[id] ?? 0) + 1;
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

  show(shipping = 0) {
    const list = document.querySelector("#cart-lines");
    list.replaceChildren(...cart.items().map(({ product, quantity }) => {
      const line = document.createElement("li");
      const name = document.createElement("span");
      const price = document.createElement("span");
      name.textContent = `${quantity} × ${product.name}`;
      price.textContent = shop.money(product.cents * quantity);
      line.append(name, price);
      return line;
    }));
    document.querySelector("#cart-empty").hidden = cart.items().length > 0;
    document.querySelector("#cart-total").textContent = shop.money(cart.subtotal() + shipping);
  },
};

console.log(`Kettle & Crumb ${shop.version}`);
