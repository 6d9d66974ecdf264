// Receives webhook messages of Bugslice: node server.js, with the secret of the webhook in WEBHOOK_SECRET. It verifies each
// message by the standardwebhooks package and prints its type and id.
const http = require("node:http");
const { Webhook } = require("standardwebhooks");

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // a message may arrive twice, with the same id

http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    let event;
    try {
      event = webhook.verify(Buffer.concat(chunks).toString("utf8"), request.headers);
    } catch {
      response.writeHead(401).end();
      return;
    }
    const id = request.headers["webhook-id"];
    if (!seen.has(id)) {
      seen.add(id);
      console.log(event.type, id);
    }
    response.writeHead(204).end();
  });
}).listen(Number(process.env.PORT || 8090), "127.0.0.1");
