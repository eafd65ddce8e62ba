import Type from 'typebox'
import { listCarriersAsked } from '../carriers/rcs-capabilities.store.ts'
import { findList } from '../contacts/contact-lists.store.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { countReach } from './rcs-lists.store.ts'

export const readListReach = operation({
  route: 'GET /contactlists/{id}/rcs',
  id: 'readListReach',
  tag: 'Beyond',
  permission: 'read',
  summary: 'RCS reach of a contact list',
  description:
    'How many contacts of a list can receive RCS, as far as that is known. Carriers are asked in the background, soon after contacts were added; `rcsCapabilityStatus` of the list is `ready` when all were asked about.',
  answer: Type.Object(
    {
      contacts_count: Type.Integer(),
      known: Type.Integer({ description: 'Of how many a carrier has said whether they can receive RCS.' }),
      reachable: Type.Integer({ description: 'Of how many it has said that they can.' })
    },
    { $id: 'ListReach' }
  ),
  example: { answer: { contacts_count: 1250, known: 1250, reachable: 812 } },
  async handle({ caller, params, database }) {
    const key = { accountId: caller.accountId, id: params.id }
    if (!(await findList(database, key))) throw notFound('contact list')
    const { contacts, known, reachable } = await countReach(database, {
      accountId: key.accountId,
      listId: key.id,
      carriers: await listCarriersAsked(database)
    })
    return { contacts_count: contacts, known, reachable }
  }
})
