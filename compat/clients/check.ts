// What each generated client does: it lists with two statuses, reads a page, and creates, changes, uploads to and deletes a report.
export type Report = { id: string; status: string; summary: string; version: number }
export type Answer<T> = { status: number; data: T }
export type Client = {
  create(summary: string): Promise<Answer<Report>>
  patch(id: string, status: "in_progress"): Promise<Answer<Report>>
  list(limit: number, cursor?: string): Promise<Answer<{ data: Report[]; pagination: { cursor: string | null; hasMore: boolean } }>>
  upload(id: string, text: string): Promise<Answer<{ id: string; size: number }>>
  remove(id: string): Promise<{ status: number }>
}

const want = (what: string, got: unknown, expected: unknown) => {
  if (got !== expected) throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(expected)}`)
}

export async function check(name: string, c: Client) {
  const first = await c.create(`${name} one`)
  const second = await c.create(`${name} two`)
  want("create", [first.status, second.status].join(), "201,201")
  const changed = await c.patch(second.data.id, "in_progress")
  want("patch", [changed.status, changed.data.status].join(), "200,in_progress")
  const page = await c.list(1)
  want("list of two statuses", [page.status, page.data.data[0].id, page.data.pagination.hasMore].join(), [200, second.data.id, true].join())
  const next = await c.list(1, page.data.pagination.cursor!)
  want("next page", [next.status, next.data.data[0].id].join(), [200, first.data.id].join())
  const text = "seen twice"
  const file = await c.upload(first.data.id, text)
  want("upload", [file.status, file.data.size].join(), [201, text.length].join())
  const stored = await fetch(`${process.env.URL}/v1/attachments/${file.data.id}`,
    { headers: { Authorization: `Bearer ${process.env.TOKEN}` } })
  want("uploaded text", await stored.text(), text)
  for (const report of [first, second]) want("delete", (await c.remove(report.data.id)).status, 204)
  console.log(`${name}: list, page, create, patch, upload, delete`)
}
