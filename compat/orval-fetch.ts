// send sends a request of the client that orval generates.
export const send = async <T>(path: string, init: RequestInit): Promise<T> => {
  const headers = new Headers(init.headers)
  headers.set("Authorization", `Bearer ${process.env.TOKEN}`)
  const response = await fetch(process.env.URL + path, { ...init, headers })
  const text = await response.text()
  return { status: response.status, headers: response.headers, data: text && JSON.parse(text) } as T
}
