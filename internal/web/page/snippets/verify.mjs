import { createHmac, timingSafeEqual } from "node:crypto";

export function verified(secret, headers, body) {
  const id = headers["webhook-id"], sent = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1000 - sent) < 300)) return false;
  const mac = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"));
  const want = Buffer.from("v1," + mac.update(`${id}.${sent}.`).update(body).digest("base64"));
  const given = headers["webhook-signature"].split(" ").map((text) => Buffer.from(text));
  return given.some((g) => g.length === want.length && timingSafeEqual(g, want));
}
