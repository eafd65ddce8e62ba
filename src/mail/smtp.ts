import { createTransport } from 'nodemailer'

/** What is known after an attempt. A mail that may have arrived is sent again: a second copy does less harm than none. */
export type MailOutcome =
  | { kind: 'sent' }
  /** The server refuses this recipient or this mail, and will refuse it again. */
  | { kind: 'refused'; reason: string }
  | { kind: 'retry'; reason: string }

export interface OutgoingMail {
  id: string
  to: string
  /** Shown in place of the name in CHAPPE_MAIL_FROM. */
  senderName: string | undefined
  subject: string
  text: string
}

export interface MailServer {
  send(mail: OutgoingMail): Promise<MailOutcome>
}

const TIMEOUT_MS = 15_000

/** A mail server by its URL, such as `smtps://user:password@mail.example:465`. Each mail has a connection of its own. */
export function createMailServer({ url, from }: { url: string; from: string }): MailServer {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Our mails are plain text: nothing in them may make this process read a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true
  })
  const address = from.replace(/^.*<|>\s*$/g, '').trim()
  const domain = address.replace(/^.*@/, '')
  return {
    async send({ id, to, senderName, subject, text }) {
      try {
        await transport.sendMail({
          from: senderName === undefined ? from : { name: senderName, address },
          // An object, so that no list of addresses is read out of one.
          to: { name: '', address: to },
          subject,
          text: `${text}\n`,
          // The same at every attempt: a server that gets the mail twice can tell.
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' }
        })
        return { kind: 'sent' }
      } catch (error) {
        return outcomeOf(error as SmtpError)
      }
    }
  }
}

interface SmtpError extends Error {
  code?: string
  command?: string
  responseCode?: number
}

/** Only codes: the words of a server may repeat the address. */
function outcomeOf({ code = 'unknown', command = '', responseCode = 0 }: SmtpError): MailOutcome {
  const reason = [code, command, responseCode === 0 ? '' : responseCode].filter((word) => word !== '').join(' ')
  // A refused log-in or sender is the operator's to repair, and the mail then leaves.
  const isOfMail = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
  return { kind: isOfMail ? 'refused' : 'retry', reason }
}
