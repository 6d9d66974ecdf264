import "@angular/compiler";
import { Component, ErrorHandler, provideZonelessChangeDetection, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { customers, deliver, items, open, pay } from "../shop.js";

(window.Bugslice ||= []).push(["set", { framework: "angular" }]);

class Shop {
  items = items;
  customers = customers;
  basket = signal([]);
  customer = signal(0);
  note = signal("");
  deliver = deliver;
  open = open;
  pay = pay;
  add(item) { this.basket.update((all) => [...all, item]); }
}

const template = `<main>
  <h1>Shop</h1>
  <p data-bugslice-mask>{{ customers[customer()] }}</p>
  @for (item of items; track item) { <button (click)="add(item)">Add {{ item }}</button> }
  <ul>@for (item of basket(); track $index) { <li>In the basket: {{ item }}</li> }</ul>
  <input aria-label="Note" (input)="note.set($event.target.value)"><output>{{ note().length }} letters</output>
  <button (click)="customer.set(1 - customer())">Change customer</button>
  <button (click)="deliver()">Deliver</button>
  <button (click)="open('/checkout')">Go to checkout</button>
  <button (click)="pay({})">Pay</button>
</main>`;

bootstrapApplication(Component({ selector: "#app", template })(Shop), { providers: [provideZonelessChangeDetection(),
  { provide: ErrorHandler, useValue: { handleError: (error) => window.Bugslice.capture(error) } }] }); // Angular keeps errors of handlers
