import { createApp } from "vue";
import { Bugslice, start } from "@bugslice/capture";
import Shop from "./Shop.vue";

start({ instance: window.instance, key: "svc_wst_test" });
Bugslice.set({ framework: "vue" });
const app = createApp(Shop);
app.config.errorHandler = (error) => { Bugslice.capture(error); }; // Vue keeps errors of handlers from the page
app.mount("#app");
