// A shop of one page, for the traces: its checkout fails.
import { createServer } from 'node:http';

const page = `<!doctype html><html lang="en"><head><title>Shop</title><link rel="stylesheet" href="/shop.css"></head><body>
<h1>Cart</h1><img src="/logo.svg" alt="Logo" width="40" height="40">
<label>Code <input id="code"></label>
<label>Password <input id="pin" type="password"></label>
<label><input id="terms" type="checkbox"> Terms</label>
<select id="size"><option>Small</option><option>Large</option></select>
<button id="order">Order</button><p id="total">Total: 20</p><shop-badge></shop-badge>
<script>
customElements.define('shop-badge', class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<b>Open all day</b>'; }
});
console.log('cart ready', { items: 2 });
document.getElementById('order').onclick = async () => {
  console.warn('ordering');
  const answer = await fetch('/api/orders', { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ code: document.getElementById('code').value }) });
  document.getElementById('total').textContent = 'Order failed';
  fetch('http://127.0.0.1:9/metrics').catch(() => console.error('no metrics'));
  throw new TypeError('order is undefined: ' + answer.status);
};
</script></body></html>`;
const files = {
  '/': ['text/html; charset=utf-8', page],
  '/shop.css': ['text/css', 'body { font: 16px sans-serif; background: #fff7e6 } #order { color: #842 }'],
  '/logo.svg': ['image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="teal"/></svg>'],
};

export const shop = createServer((request, response) => {
  const [type, body] = files[request.url] ?? ['application/json', '{"error":"no stock"}'];
  response.writeHead(files[request.url] ? 200 : 500, { 'Content-Type': type });
  response.end(body);
});
