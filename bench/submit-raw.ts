import { createConnection } from 'node:net'
import { parseArgs } from 'node:util'
import { say } from './child.ts'
import * as smpp from './smpp-pdu.ts'

/*
 * A bare SMPP client: submits messages with a window on each session, and answers receipts. It shows how many messages
 * the SMPP server of a bench takes when nothing else limits it. It runs in a process of its own, as Chappe does.
 */

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '2775' },
    messages: { type: 'string', default: '100000' },
    sessions: { type: 'string', default: '2' },
    window: { type: 'string', default: '1000' }
  }
})
const messages = Number(values.messages)
const sessions = Number(values.sessions)
const TEXT = 'Bonjour, votre commande est prete.'

await Promise.all(Array.from({ length: sessions }, (_, index) => runSession(messagesOf(index))))
say(`submitted ${messages}`)

function messagesOf(session: number): number {
  return Math.floor(messages / sessions) + (session < messages % sessions ? 1 : 0)
}

function runSession(count: number): Promise<void> {
  const socket = createConnection({ host: '127.0.0.1', port: Number(values.port), noDelay: true })
  let submitted = 0
  let received = 0
  const submitNext = (out: Buffer[]) => {
    if (submitted < count) out.push(toSubmit(++submitted))
  }
  socket.write(smpp.toPdu(smpp.BIND_TRANSCEIVER, 1, 'bench\0bench\0\0\x34\x01\x01\0'))
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => (received === count ? resolve() : reject(new Error('the server closed the connection'))))
    smpp.readPdus(socket, ({ command, sequence }, out) => {
      if (command === smpp.RESPONSE + smpp.SUBMIT_SM) submitNext(out)
      else if (command === smpp.RESPONSE + smpp.BIND_TRANSCEIVER) {
        for (let open = 0; open < Number(values.window); open++) submitNext(out)
      } else if (command === smpp.DELIVER_SM) {
        out.push(smpp.toPdu(smpp.RESPONSE + smpp.DELIVER_SM, sequence, '\0'))
        received++
        // After this turn, in which the last answer is written.
        if (received === count) setImmediate(() => socket.end())
      }
    })
  })
}

function toSubmit(sequence: number): Buffer {
  const destination = `336${10_000_000 + sequence}`
  // registered_delivery 1 asks for a receipt.
  const rest = `\0\0\0\0\0\0\x01\0\0\0${String.fromCharCode(TEXT.length)}${TEXT}`
  return smpp.toPdu(smpp.SUBMIT_SM, sequence, `\0\x05\0BENCH\0\x01\x01${destination}${rest}`)
}
