// The orders of a customer, and returns.
"use strict";

async function showOrders() {
  const { items } = await shop.request("/api/orders");
  document.querySelector("#orders").replaceChildren(...items.map((order) => {
    const row = document.createElement("tr");
    for (const text of [order.number, order.summary, shop.money(order.cents), order.state]) {
      const cell = document.createElement("td");
      cell.textContent = text;
      row.append(cell);
    }
    return row;
  }));
}

async function onReturn(event) {
  event.preventDefault();
  const note = document.querySelector("#return-note");
  const progress = document.querySelector("#return-progress");
  document.querySelector("#return-send").disabled = true;
  progress.hidden = false;
  progress.value = 100;
  note.textContent = "Sending your photo…";
  const { reference } = await shop.request("/api/returns", { method: "POST", body: new FormData(event.target) });
  note.textContent = `Thank you. Your return is ${reference}.`;
}

document.querySelector("#return").addEventListener("submit", onReturn);
document.querySelector("#return-photo").addEventListener("change", (event) => {
  const [file] = event.target.files;
  console.info("photo chosen", { type: file.type, bytes: file.size });
});
document.querySelector("#thanks").hidden = !new URLSearchParams(location.search).has("order");

shop.showAccount();
showOrders();
