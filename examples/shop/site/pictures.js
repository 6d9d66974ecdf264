// Pictures of the products, drawn as SVG in the page, so that a replay shows them without the shop.
"use strict";

const pictures = {
  jacket: `<path d="M43 20l-17 10-8 44 12 3 5-22v33h50V55l5 22 12-3-8-44-17-10-8 6H51z" fill="#d9822b"/>
    <path d="M51 26c2 8 16 8 18 0l6-5c-3-8-27-8-30 0z" fill="#b5651d"/>
    <path d="M60 32v56M41 62h12M67 62h12" stroke="#7c4210" stroke-width="2.5" stroke-linecap="round"/>`,
  boots: `<path d="M40 14h27l2 34c8 6 27 6 30 20v10H40c-4-18-4-44 0-64z" fill="#8a5a3b"/><path d="M39 14h29v9H39z" fill="#5f3c26"/>
    <path d="M37 78h63v9H37z" fill="#2d2a28"/><path d="M58 32h11M58 40h12M62 48h14" stroke="#f1e3c6" stroke-width="2.5" stroke-linecap="round"/>`,
  socks: `<path d="M36 12h20v40l20 16c10 9-3 22-13 15L40 66c-4-4-5-7-4-14z" fill="#4d7c8a"/><path d="M36 12h20v9H36z" fill="#f1e3c6"/>
    <path d="M36 27h20M36 34h20" stroke="#f1e3c6" stroke-width="3"/><path d="M64 78c3-8 8-11 14-9 6 8-4 20-15 14z" fill="#d9822b"/>`,
  backpack: `<path d="M44 24c0-18 32-18 32 0" fill="none" stroke="#24443c" stroke-width="5"/><rect x="32" y="20" width="56" height="68" rx="16" fill="#2f5d50"/>
    <path d="M32 44h56" stroke="#24443c" stroke-width="3"/><rect x="42" y="54" width="36" height="26" rx="6" fill="#3d7767"/>
    <path d="M52 54v9M68 54v9" stroke="#d9822b" stroke-width="4" stroke-linecap="round"/><rect x="54" y="30" width="12" height="7" rx="2" fill="#d9822b"/>`,
  flask: `<rect x="46" y="24" width="28" height="64" rx="8" fill="#a63d40"/><rect x="50" y="10" width="20" height="16" rx="4" fill="#2d2a28"/>
    <path d="M46 40h28" stroke="#7c2a2d" stroke-width="3"/><path d="M52 66l8-12 8 12z" fill="#f1e3c6"/>
    <path d="M52 48v30" stroke="#d57a7c" stroke-width="3" stroke-linecap="round"/>`,
  tent: `<path d="M60 20L14 84h92z" fill="#d9822b"/><path d="M60 20L40 84h40z" fill="#f1c27d"/><path d="M60 20l-9 64h18z" fill="#5f3c26"/>
    <path d="M60 20v-7M14 84l-6 5M106 84l6 5" stroke="#2d2a28" stroke-width="3" stroke-linecap="round"/>`,
  beanie: `<circle cx="60" cy="18" r="9" fill="#f1e3c6"/><path d="M28 64c0-56 64-56 64 0z" fill="#4d7c8a"/>
    <path d="M46 30c-4 9-6 20-6 34M60 24v40M74 30c4 9 6 20 6 34" stroke="#3a606c" stroke-width="2.5" fill="none"/>
    <rect x="24" y="62" width="72" height="20" rx="7" fill="#35545e"/>`,
  lantern: `<path d="M44 30c0-24 32-24 32 0" fill="none" stroke="#2d2a28" stroke-width="4"/><path d="M42 30h36l4 10H38z" fill="#24443c"/>
    <rect x="42" y="40" width="36" height="36" rx="4" fill="#fbe6a9"/><path d="M60 46c8 10 8 22 0 24-8-2-8-14 0-24z" fill="#e8a33d"/>
    <path d="M38 76h44l3 12H35z" fill="#24443c"/>`,
  stove: `<path d="M40 40h40l4 22H36z" fill="#9aa5a8"/><path d="M36 34h48v8H36z" fill="#7b878b"/>
    <path d="M48 76l-12 12M72 76l12 12M60 70v18" stroke="#2d2a28" stroke-width="4" stroke-linecap="round"/>
    <path d="M60 62c6 6 5 12 0 14-5-2-6-8 0-14z" fill="#4d9de0"/><path d="M84 46h16" stroke="#7b878b" stroke-width="5" stroke-linecap="round"/>`,
};

function picture(product) {
  const frame = document.createElement("div");
  frame.className = `picture ${product.tint}`;
  frame.innerHTML = `<svg viewBox="0 0 120 100" role="img" aria-label="${product.name}">${pictures[product.id]}</svg>`;
  return frame;
}
