// What the pages of all frameworks do: the texts and the calls.
export const customers = ["Ada Lovelace", "Grace Hopper"];
export const items = ["Tea", "Coffee", "Cocoa"];

// deliver asks the shop's server, which fails.
export const deliver = () => fetch("/api/deliver", { method: "POST", body: JSON.stringify({ to: "home" }) });

// open goes to a page of the application without loading a document.
export const open = (path) => history.pushState({}, "", path);

// pay fails as an application does.
export function pay(basket) {
  return basket.total.amount;
}
