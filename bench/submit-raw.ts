import { parseArgs } from 'node:util'
import { say } from './child.ts'
import { openClient } from './smpp-client.ts'

/*
 * The bare SMPP client in a process of its own, as Chappe has. It shows how many messages the SMPP server of a bench takes
 * when nothing else limits it.
 */

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '2775' },
    messages: { type: 'string', default: '100000' },
    sessions: { type: 'string', default: '2' },
    window: { type: 'string', default: '1000' }
  }
})
const count = Number(values.messages)
const client = await openClient({
  port: Number(values.port),
  systemId: 'bench',
  password: 'bench',
  binds: Number(values.sessions),
  window: Number(values.window)
})
await client.submit({
  count,
  toNumber: (index) => `336${10_000_000 + index}`,
  text: 'Bonjour, votre commande est prete.',
  withReceipts: true
})
await client.untilReceipts(count)
say(`submitted ${count}`)
// After this turn, in which the last answer is written.
setImmediate(() => client.close())
