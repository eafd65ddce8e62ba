import { Agent, request } from 'node:http'
import { timed } from './child.ts'

/** Keep-alive POSTs of one body, as fast as possible; returns the seconds they took. */
export async function postBare(
  target: string,
  body: string,
  { count, connections }: { count: number; connections: number }
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(target, { method: 'POST', agent, headers }, (response) => {
        response.resume()
        response.on('end', resolve)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  let left = count
  const { seconds } = await timed(() =>
    Promise.all(
      Array.from({ length: connections }, async () => {
        while (left-- > 0) await post()
      })
    )
  )
  agent.destroy()
  return seconds
}
