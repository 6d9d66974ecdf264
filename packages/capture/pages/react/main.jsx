import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";
import { Bugslice, start } from "@bugslice/capture";
import { customers, deliver, items, open, pay } from "../shop.js";

start({ instance: window.instance, key: "svc_wst_test" });
Bugslice.set({ framework: "react" });

function Shop() {
  const [basket, setBasket] = useState([]);
  const [customer, setCustomer] = useState(0);
  const [note, setNote] = useState("");
  return h("main", null, h("h1", null, "Shop"), h("p", { "data-bugslice-mask": "" }, customers[customer]),
    items.map((item) => h("button", { key: item, onClick: () => setBasket([...basket, item]) }, `Add ${item}`)),
    h("ul", null, basket.map((item, n) => h("li", { key: n }, `In the basket: ${item}`))),
    h("input", { "aria-label": "Note", value: note, onChange: (event) => setNote(event.target.value) }), h("output", null, `${note.length} letters`),
    h("button", { onClick: () => setCustomer(1 - customer) }, "Change customer"), h("button", { onClick: deliver }, "Deliver"),
    h("button", { onClick: () => open("/checkout") }, "Go to checkout"), h("button", { onClick: () => pay({}) }, "Pay"));
}

createRoot(document.getElementById("app")).render(h(Shop));
