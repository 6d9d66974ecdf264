import { createAttachment, createSlice, deleteSlice, listSlices, updateSlice } from "../gen/orval"
import { check } from "./check"

const answer = async (call: Promise<unknown>) => (await call) as never

await check("orval", {
  create: (summary) => answer(createSlice({ summary })),
  patch: (id, status) => answer(updateSlice(id, { status })),
  list: (limit, cursor) => answer(listSlices({ status: ["open", "in_progress"], limit, cursor })),
  upload: (id, text) => answer(createAttachment(id, new Blob([text], { type: "application/octet-stream" }))),
  remove: (id) => answer(deleteSlice(id)),
})
const report = await createSlice({ summary: "orval three" })
const refused = await createAttachment((report.data as { id: string }).id, { file: new Blob(["text"]) })
if (refused.status !== 415 && refused.status !== 422)
  throw new Error(`a form that was not encoded: ${refused.status}, want 415 (422 from a validating proxy)`)
