// The checkout: shipping rates, a discount, a gift card, the order.
"use strict";

const checkout = { codes: {}, code: null, shipping: 0 };

function percentOf(cents, terms) {
  return Math.round((cents * terms.percent) / 100);
}

function discounted(cents, discount) {
  return cents - percentOf(cents, discount.terms);
}

function applyDiscount(code) {
  const discount = checkout.codes[code];
  if (!discount) {
    document.querySelector("#discount-note").textContent = "We do not know that code.";
    return;
  }
  checkout.code = code;
  const total = discounted(cart.subtotal(), discount);
  document.querySelector("#discount-note").textContent = `${code} saves you ${shop.money(cart.subtotal() - total)}.`;
}

function onDiscount(event) {
  event.preventDefault();
  const button = document.querySelector("#discount-apply");
  button.disabled = true;
  button.textContent = "Applying…";
  applyDiscount(document.querySelector("#discount-code").value.trim());
  button.disabled = false;
  button.textContent = "Apply";
}

async function onGiftCard(event) {
  event.preventDefault();
  const note = document.querySelector("#gift-note");
  note.textContent = "Checking the card…";
  try {
    const response = await fetch("https://pay.northwind.example/v1/gift-cards/balance", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Shop-Version": shop.version },
      body: JSON.stringify({ card: document.querySelector("#gift-card").value }),
    });
    const { cents } = await response.json();
    note.textContent = `${shop.money(cents)} will be used.`;
  } catch (error) {
    console.error("gift card not checked", error);
    note.textContent = "We cannot check gift cards at the moment.";
  }
}

async function showRates() {
  const { rates } = await shop.request("/api/shipping?country=SE");
  document.querySelector("#rates").replaceChildren(...rates.map((rate, i) => {
    const label = document.createElement("label");
    const choice = document.createElement("input");
    const price = document.createElement("strong");
    choice.type = "radio";
    choice.name = "rate";
    choice.id = `rate-${rate.id}`;
    choice.value = rate.id;
    choice.checked = i === 0;
    choice.addEventListener("change", () => choose(rate));
    price.textContent = rate.cents ? shop.money(rate.cents) : "Free";
    label.append(choice, rate.name, price);
    return label;
  }));
  choose(rates[0]);
}

function storeHours(store) {
  return `${store.name} is open ${store.hours.weekdays} on weekdays.`;
}

function choose(rate) {
  const button = document.querySelector("#pay");
  button.disabled = true;
  button.textContent = "Calculating…";
  document.querySelector("#store-hours").textContent = rate.store ? storeHours(rate.store) : "";
  checkout.shipping = rate.cents;
  document.querySelector("#cart-shipping").textContent = shop.money(rate.cents);
  cart.show(rate.cents);
  offerToPay();
}

function offerToPay() {
  const button = document.querySelector("#pay");
  button.disabled = false;
  button.textContent = `Pay ${shop.format(cart.total(checkout.shipping))}`;
}

async function measure(step) {
  try {
    await shop.request("/api/metrics", { method: "POST", body: JSON.stringify({ step, visitor: document.cookie }) });
  } catch (error) {
    console.warn("metrics not sent", error);
  }
}

async function placeOrder(form) {
  const { name, email, password, cardNumber, cardExpiry, cvc, rate } = Object.fromEntries(new FormData(form));
  const order = {
    items: cart.items().map(({ product, quantity }) => ({ id: product.id, quantity })),
    customer: { name, email, password },
    payment: { cardNumber, cardExpiry, cvc },
    discount: checkout.code,
    rate,
  };
  try {
    const { number } = await shop.request("/api/orders", { method: "POST", body: JSON.stringify(order) });
    document.querySelector("#pay").textContent = "Thank you!";
    setTimeout(() => location.assign(`/account?order=${number}`), 900);
  } catch (error) {
    console.error("order failed", error, order);
    throw error;
  }
}

async function onOrder(event) {
  event.preventDefault();
  const form = event.target;
  await shop.request("/api/prices"); // they may have changed
  const button = document.querySelector("#pay");
  button.disabled = true;
  button.textContent = "Paying…";
  placeOrder(form).catch(() => {
    const banner = document.querySelector("#order-error");
    banner.textContent = "Something went wrong on our side. Your order was not placed, and nothing was charged.";
    banner.hidden = false;
    banner.scrollIntoView({ block: "center" });
    offerToPay();
  });
}

async function open() {
  await shop.showAccount();
  await shop.loadProducts();
  cart.show();
  checkout.codes = (await shop.request("/api/discounts")).codes;
  if (shop.user) await measure("checkout");
  await showRates();
}

document.querySelector("#discount").addEventListener("submit", onDiscount);
document.querySelector("#gift").addEventListener("submit", onGiftCard);
document.querySelector("#order").addEventListener("submit", onOrder);
open();
