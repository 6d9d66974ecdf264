import { mount } from "svelte";
import Shop from "./Shop.svelte";

(window.Bugslice ||= []).push(["set", { framework: "svelte" }]);
mount(Shop, { target: document.getElementById("app") });
