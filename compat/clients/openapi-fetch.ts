import createClient from "openapi-fetch"
import type { paths } from "../gen/schema"
import { check, type Report } from "./check"

const client = createClient<paths>({ baseUrl: process.env.URL, headers: { Authorization: `Bearer ${process.env.TOKEN}` } })
const answer = async (call: Promise<{ data?: unknown; response: Response }>) => {
  const { data, response } = await call
  return { status: response.status, data: data as never }
}

await check("openapi-fetch", {
  create: (summary) => answer(client.POST("/v1/slices", { body: { summary } })),
  patch: (sliceId, status) => answer(client.PATCH("/v1/slices/{sliceId}", { params: { path: { sliceId } }, body: { status } })),
  list: (limit, cursor) => answer(client.GET("/v1/slices", { params: { query: { status: ["open", "in_progress"], limit, cursor } } })),
  upload: (sliceId, text) => answer(client.POST("/v1/slices/{sliceId}/attachments", {
    params: { path: { sliceId } }, body: { kind: "log", file: text },
    bodySerializer: () => {
      const form = new FormData();
      form.set("kind", "log");
      form.set("file", new File([text], "a.log"));
      return form
    },
  })),
  remove: (sliceId) => answer(client.DELETE("/v1/slices/{sliceId}", { params: { path: { sliceId } } })),
})
