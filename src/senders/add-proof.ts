import Type from 'typebox'
import { notFound } from '../errors.ts'
import { upload } from '../http/upload.ts'
import { badFile, readSmallFile, type UploadedFile } from '../http/uploaded-file.ts'
import { openFindings } from './findings.ts'
import { SenderView, senderExample, toSenderView } from './sender.ts'
import { findSender, lockSender, upsertProof } from './senders.store.ts'

const FILE_BYTES_MAX = 2 * 1024 * 1024
const FILE_NAME_MAX = 120

export const addSenderProof = upload({
  route: 'POST /senders/{id}/proof',
  id: 'addSenderProof',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Add a file as a proof of a sender',
  description:
    'Stores one file with the sender; a second one replaces it. The type is told by the content, not the name.',
  file: 'PDF, PNG or JPEG; up to 2 MiB.',
  body: Type.Object({}, { $id: 'SenderProofUpload' }),
  answer: SenderView,
  example: { body: {}, answer: { ...senderExample, file: 'trade-mark.pdf' } },
  async handle({ caller: { accountId, topLevelId }, params, file, database, record }) {
    const proof = await readProof(file)
    const key = { accountId, id: params.id }
    return database.begin(async (database) => {
      if (!(await lockSender(database, key))) throw notFound('sender')
      await upsertProof(database, key, proof)
      await record(database, { object: { kind: 'sender', id: params.id }, changes: { proof: 'hidden' } })
      const sender = await findSender(database, key)
      if (!sender) throw notFound('sender')
      return toSenderView(sender, (await openFindings(database))({ topLevelId, ...sender }))
    })
  }
})

async function readProof(file: UploadedFile) {
  const content = await readSmallFile(file, FILE_BYTES_MAX)
  const found = MEDIA_TYPES.find(({ magic }) => content.subarray(0, magic.length).equals(magic))
  if (!found) throw badFile('must be a PDF, a PNG or a JPEG')
  const fileName = file.name.replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '').slice(0, FILE_NAME_MAX) || `proof.${found.ending}`
  return { fileName, mediaType: found.type, content }
}

/** The first bytes of each type. */
const MEDIA_TYPES = [
  { type: 'application/pdf', ending: 'pdf', magic: Buffer.from('%PDF-') },
  { type: 'image/png', ending: 'png', magic: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
  { type: 'image/jpeg', ending: 'jpg', magic: Buffer.from([0xff, 0xd8, 0xff]) }
]
