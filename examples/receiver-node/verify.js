// Verifies one message: node verify.js SECRET ID TIMESTAMP SIGNATURE, with the body on standard input. Prints verified or
// refused.
const fs = require("node:fs");
const { Webhook } = require("standardwebhooks");

const [secret, id, timestamp, signature] = process.argv.slice(2);
try {
  new Webhook(secret).verify(fs.readFileSync(0, "utf8"), {
    "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature,
  });
  console.log("verified");
} catch (error) {
  console.log(error.name === "WebhookVerificationError" || /signature/i.test(error.message) ? "refused" : error.stack);
}
