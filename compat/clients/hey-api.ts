import { client } from "../gen/hey/client.gen"
import { createAttachment, createSlice, deleteSlice, listSlices, updateSlice } from "../gen/hey/sdk.gen"
import { check } from "./check"

client.setConfig({ baseUrl: process.env.URL, auth: () => process.env.TOKEN })
const answer = async (call: Promise<{ data?: unknown; response?: Response }>) => {
  const { data, response } = await call
  return { status: response!.status, data: data as never }
}

await check("@hey-api/openapi-ts", {
  create: (summary) => answer(createSlice({ body: { summary } })),
  patch: (sliceId, status) => answer(updateSlice({ path: { sliceId }, body: { status } })),
  list: (limit, cursor) => answer(listSlices({ query: { status: ["open", "in_progress"], limit, cursor } })),
  upload: (sliceId, text) => answer(createAttachment({ path: { sliceId }, body: { kind: "log", file: new File([text], "a.log") } })),
  remove: (sliceId) => answer(deleteSlice({ path: { sliceId } })),
})
