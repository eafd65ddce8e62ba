import Type from 'typebox'
import { PERSON_ONLY, refuseKeysAndViewers } from '../accounts/person-only.ts'
import { operation } from '../http/operation.ts'
import { findReadMark, updateNoticesRead } from '../people/memberships.store.ts'
import { ID_MAX } from '../schemas/ids.ts'
import { NOTHING_READ } from './notice.ts'
import { countNotices, findNewestId } from './notices.store.ts'

export const markNoticesRead = operation({
  route: 'PUT /notices/read',
  id: 'markNoticesRead',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Mark notices as read',
  description:
    'Marks a notice and all before it as read by the person who asks, in every browser. Others of the account have marks of their own.',
  body: Type.Object(
    { id: Type.Integer({ minimum: 1, maximum: ID_MAX, description: 'The newest notice that was read.' }) },
    { $id: 'NoticesRead' }
  ),
  answer: Type.Object({ unread: Type.Integer({ description: 'How many are unread now.' }) }),
  example: { body: { id: 12 }, answer: { unread: 0 } },
  refusals: PERSON_ONLY,
  async handle({ caller, body: { id }, database }) {
    const { personId } = refuseKeysAndViewers(caller)
    const { accountId } = caller
    return database.begin(async (database) => {
      // An id that no notice has yet must not mark what comes later.
      const readTo = await findNewestId(database, { accountId, upTo: id })
      await updateNoticesRead(database, { accountId, personId, readTo })
      const mark = (await findReadMark(database, { accountId, personId })) ?? NOTHING_READ
      return { unread: await countNotices(database, { accountId, isUnread: true, mark }) }
    })
  }
})
