// The checkout: shipping rates, a discount, the order.
"use strict";

const checkout = { codes: {}, shipping: 0 };

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
    price.textContent = shop.money(rate.cents);
    label.append(choice, rate.name, price);
    return label;
  }));
  choose(rates[0]);
}

function choose(rate) {
  checkout.shipping = rate.cents;
  document.querySelector("#cart-shipping").textContent = shop.money(rate.cents);
  cart.show(rate.cents);
  offerToPay();
}

function offerToPay() {
  const button = document.querySelector("#pay");
  button.disabled = false;
  button.textContent = `Pay ${shop.money(cart.subtotal() + checkout.shipping)}`;
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
    rate,
  };
  try {
    await shop.request("/api/orders", { method: "POST", body: JSON.stringify(order) });
    location.assign("/done");
  } catch (error) {
    console.error("order failed", error, order);
    throw error;
  }
}

function onOrder(event) {
  event.preventDefault();
  const button = document.querySelector("#pay");
  button.disabled = true;
  button.textContent = "Paying…";
  placeOrder(event.target).catch(() => {
    const banner = document.querySelector("#order-error");
    banner.textContent = "Something went wrong on our side. Your order was not placed, and nothing was charged.";
    banner.hidden = false;
    banner.scrollIntoView({ block: "center" });
    offerToPay();
  });
}

async function open() {
  console.warn("The form of addresses \"v1\" is deprecated and goes away on %s", "2027-01-31");
  await shop.showAccount();
  await shop.loadProducts();
  cart.show();
  checkout.codes = (await shop.request("/api/discounts")).codes;
  await measure("checkout");
  await showRates();
}

document.querySelector("#discount").addEventListener("submit", onDiscount);
document.querySelector("#order").addEventListener("submit", onOrder);
open();
