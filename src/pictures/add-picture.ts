import Type from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import type { Sql } from '../database/database.ts'
import { Refusal } from '../errors.ts'
import { upload } from '../http/upload.ts'
import { badFile, readSmallFile, type UploadedFile } from '../http/uploaded-file.ts'
import { createCodes } from '../short-links/codes.ts'
import { lookAtPicture } from './look-at-picture.ts'
import { type Picture, PictureView, pictureExample, type ServiceUrl, toPictureView } from './picture.ts'
import { countPictures, insertPicture, type NewPicture, renewPicture } from './pictures.store.ts'

/** What the platform recommends as the most for the picture of a card. */
const FILE_BYTES_MAX = 2 * 1024 * 1024
const SIDE_MAX = 4_096
/** 400 MiB an account, at most. */
const PICTURES_MAX = 200

export const addPicture = (serviceUrl: ServiceUrl) =>
  upload({
    route: 'POST /pictures',
    id: 'addPicture',
    tag: 'Beyond',
    permission: 'send',
    summary: 'Upload a picture for RCS',
    description:
      'Keeps a picture and answers its address, to be given as `media_message_url`. The type is told by the content, not the name. The same picture again is the same record. A picture is kept as it is, with all that a camera wrote into it. It is removed when nobody has fetched it for as long as messages are kept.',
    file: 'JPEG, PNG or GIF; up to 2 MiB and 4,096 pixels a side.',
    body: Type.Object({}, { $id: 'PictureUpload' }),
    answer: PictureView,
    example: { body: {}, answer: pictureExample },
    refusals: { state_conflict: 'The account has 200 pictures, or the Idempotency-Key is in use.' },
    async handle({ caller: { accountId }, file, database, record }) {
      const picture = { accountId, sha256: Buffer.from(file.sha256, 'hex'), ...(await readPicture(file)) }
      return database.begin(async (database) => {
        // Under the lock, so that two pictures that come at once are counted one after the other.
        await lockAccount(database, accountId)
        const kept = (await renewPicture(database, picture)) ?? (await insertNew(database, picture))
        await record(database, { object: { kind: 'picture', id: kept.id } })
        return toPictureView(kept, serviceUrl())
      })
    }
  })

async function insertNew(sql: Sql, picture: Omit<NewPicture, 'code'>): Promise<Picture> {
  if ((await countPictures(sql, picture.accountId)) >= PICTURES_MAX) throw tooMany()
  return insertPicture(sql, { ...picture, code: createCodes(2).join('') })
}

async function readPicture(file: UploadedFile) {
  const content = await readSmallFile(file, FILE_BYTES_MAX)
  const looked = lookAtPicture(content)
  if (!looked) throw badFile('must be a whole JPEG, PNG or GIF')
  const { width, height } = looked
  if (Math.min(width, height) < 1 || Math.max(width, height) > SIDE_MAX) {
    throw badFile(`has ${width} × ${height} pixels, and a side may have 1 to ${SIDE_MAX}`)
  }
  return { ...looked, content }
}

function tooMany(): Refusal {
  return new Refusal(409, 'state_conflict', `The account has ${PICTURES_MAX} pictures; delete one first.`)
}
