import Type from 'typebox'
import { needs } from '../http/described-schemas.ts'
import { upload } from '../http/upload.ts'
import { toForm } from './message-form.ts'
import { missingRcsContent, RCS_CONTENTS, rcsSendFields, readRcsSend, smsOnlyProblems } from './rcs-send.ts'
import { fromFile } from './recipient-sources.ts'
import { RcsSendAnswer, rcsDryRunExample, rcsStatusExample, SendQuery, withRcsCount } from './send-answer.ts'
import { acceptOrDryRun, SEND_REFUSALS, type Sending } from './send-sms.ts'

export const sendRcsFile = (sending: Sending) =>
  upload({
    route: 'POST /messages/rcs/file',
    id: 'sendRcsFile',
    tag: 'Beyond',
    permission: 'send',
    anyCallerRepeats: true,
    summary: 'Send RCS from a file',
    description:
      'Sends a text, a card or a carousel to the numbers of a file, up to 1,000,000. Their column is found as for `POST /messages/sms/file`; every column is a variable, by its title. `data`, `fallback` and `shorturl` are parts of JSON, or parts for each of their fields with brackets.',
    file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB.',
    body: Type.Object(rcsSendFields, { $id: 'MessagesRcsFileUploadDto', ...needs(RCS_CONTENTS) }),
    missing: (fields) => [...missingRcsContent(fields), ...smsOnlyProblems(fields)],
    query: SendQuery,
    answer: RcsSendAnswer,
    example: {
      body: {
        type: 'card',
        data: { title: 'Bonjour #prenom# !', media_message_url: 'https://sms.example.com/p/8sK2vQx0Lw3nBt7RzYc1.jpg' },
        fallback: { content: 'Bonjour #prenom# !' }
      },
      answer: rcsStatusExample,
      others: { dry_run: rcsDryRunExample }
    },
    refusals: {
      ...SEND_REFUSALS,
      not_found: 'There is no such RCS template, draft, message to replace, or agent that this account may use.'
    },
    async handle({ caller, body: fields, file, query, database, author }) {
      const form = () => toForm({ kind: 'rcs' }, fields, rcsSendFields)
      const send = await readRcsSend(database, fields, { caller, author, ...sending, form })
      const source = fromFile(file, send)
      return withRcsCount(
        await acceptOrDryRun(sending, { database, send, source, isDryRun: query.resumeBefore, keeping: undefined })
      )
    }
  })
