import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'

/** An HTTP server that answers every GET with an empty 200, as cheaply as possible. */
export async function answerAll(): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    let rest = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      const requests = (rest + chunk).split('\r\n\r\n')
      rest = requests.pop() ?? ''
      if (requests.length > 0) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'.repeat(requests.length))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
