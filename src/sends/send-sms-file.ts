import Type from 'typebox'
import { needs } from '../http/described-schemas.ts'
import { upload } from '../http/upload.ts'
import { fromFile } from './recipient-sources.ts'
import { missingContent, SMS_CONTENTS, sendFields } from './send.ts'
import { dryRunExample, SendAnswer, SendQuery, statusExample } from './send-answer.ts'
import { SEND_REFUSALS, type Sending, sendOrDryRun } from './send-sms.ts'

export const sendSmsFile = (sending: Sending) =>
  upload({
    route: 'POST /messages/sms/file',
    id: 'sendSmsFile',
    tag: 'Messages',
    permission: 'send',
    anyCallerRepeats: true,
    summary: 'Send SMS from a file',
    description:
      'Sends to the numbers of a file, up to 1,000,000. Their column is the one titled `recipient`, `tel`, `phone`, `mobile` or `telephone`, or else the first that holds numbers; every column is a variable, by its title.',
    file: 'CSV (separated by `,`, `;` or tab), TXT with one number a line, or XLSX (its first sheet); up to 100 MiB.',
    body: Type.Object(sendFields, { $id: 'MessagesFileUploadDto', ...needs(SMS_CONTENTS) }),
    missing: missingContent,
    query: SendQuery,
    answer: SendAnswer,
    example: { body: { content: 'Bonjour #prenom# !' }, answer: statusExample, others: { dry_run: dryRunExample } },
    refusals: SEND_REFUSALS,
    handle: ({ caller, body: fields, file, query, database, author }) =>
      sendOrDryRun(sending, {
        database,
        caller,
        author,
        fields,
        isDryRun: query.resumeBefore,
        toSource: (send) => fromFile(file, send),
        form: { kind: 'file' }
      })
  })
