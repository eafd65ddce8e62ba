import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { EXIT, type Io } from './io.ts'

/** The surroundings of the real process. */
export function processIo(): Io {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe has left, such as `head`. Anything else, such as a full disk, loses the result.
    if (error.code === 'EPIPE') process.exit(EXIT.done)
    process.stderr.write(`chappe: the result can't be written: ${error.message}\n`)
    process.exit(EXIT.refused)
  })
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true
  return {
    env: process.env,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    ask: isTerminal ? askAtTerminal : undefined,
    readInput: () => text(process.stdin),
    isTerminal,
    signal: controller.signal
  }
}

async function askAtTerminal(question: string, { isHidden = false } = {}): Promise<string> {
  process.stderr.write(question)
  // What is typed is echoed to this stream.
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr
  const lines = createInterface({ input: process.stdin, output, terminal: true })
  try {
    return await lines.question('')
  } finally {
    lines.close()
    if (isHidden) process.stderr.write('\n')
  }
}
