import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The receiver of `bench:webhooks`: counts posts and the events in them; GET tells the counts. */
let [posts, events] = [0, 0]
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ posts, events }))
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    posts++
    events += JSON.parse(Buffer.concat(chunks).toString()).data.length
    response.end()
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`running at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
