import type { TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { atEnd } from '../service/cleanup.ts'

/* A real SMTP server on loopback, with a mailbox that tests read. */

export interface ReceivedMail {
  from: string
  to: string[]
  /** The name and address that a reader sees. */
  sender: string
  messageId: string
  subject: string
  /** Decoded. */
  text: string
  /** The link in the text, and its token. */
  link: string
  token: string
}

export interface Mailbox {
  /** For CHAPPE_SMTP_URL. */
  url: string
  /** With CHAPPE_MAIL_FROM. */
  settings: Record<string, string>
  mails: ReceivedMail[]
  /** How the server answers the next mails, in this order; then it takes all. */
  answers: MailAnswer[]
}

export type MailAnswer =
  | { at: 'recipient' | 'data'; code: number }
  /** Takes the mail, and hangs up before it says so. */
  | { at: 'after-data' }

export async function startMailbox(t: TestContext, { password }: { password?: string } = {}): Promise<Mailbox> {
  const mails: ReceivedMail[] = []
  const answers: MailAnswer[] = []
  const refusal = ({ code }: { code: number }) => Object.assign(new Error('refused'), { responseCode: code })
  const server = new SMTPServer({
    authOptional: password === undefined,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth(auth, _session, done) {
      if (auth.password === password) done(null, { user: 'chappe' })
      else done(refusal({ code: 535 }))
    },
    onRcptTo(_address, _session, done) {
      const [next] = answers
      if (next?.at !== 'recipient') return done()
      answers.shift()
      done(refusal(next))
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const next = answers.shift()
        if (next?.at === 'data') return done(refusal(next))
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        mails.push(read(Buffer.concat(pieces).toString('latin1'), { from, to: rcptTo.map(({ address }) => address) }))
        if (next?.at !== 'after-data') return done()
        const { connections } = server as unknown as { connections: Set<{ _socket: { destroy(): void } }> }
        for (const connection of connections) connection._socket.destroy()
      })
    }
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(t, () => new Promise<void>((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as { port: number }
  const url = `smtp://${password === undefined ? '' : `chappe:${password}@`}127.0.0.1:${port}`
  return {
    url,
    settings: { CHAPPE_SMTP_URL: url, CHAPPE_MAIL_FROM: 'Chappe <no-reply@chappe.example>' },
    mails,
    answers
  }
}

function read(raw: string, envelope: { from: string; to: string[] }): ReceivedMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? ''
  const text = decode(rest.join('\r\n\r\n'), header('Content-Transfer-Encoding').toLowerCase())
  const link = /https?:\S+/.exec(text)?.[0] ?? ''
  return {
    ...envelope,
    sender: decodeWords(header('From')),
    messageId: header('Message-ID'),
    subject: decodeWords(header('Subject')),
    text,
    link,
    token: link.split('#')[1] ?? ''
  }
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString()
  const plain = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(plain, 'latin1').toString()
}

function decodeWords(text: string): string {
  return text
    .replaceAll(/\?= =\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, form: string, word: string) =>
      form.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : decode(word.replaceAll('_', ' '), 'quoted-printable')
    )
}
