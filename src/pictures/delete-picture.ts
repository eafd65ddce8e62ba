import { Removed } from '../contacts/contact-list.ts'
import { notFound } from '../errors.ts'
import { operation } from '../http/operation.ts'
import { deletePicture as deleteRow } from './pictures.store.ts'

export const deletePicture = operation({
  route: 'DELETE /pictures/{id}',
  id: 'deletePicture',
  tag: 'Beyond',
  permission: 'send',
  summary: 'Delete a picture',
  description:
    'Removes a picture. Templates and messages that name it stay as they are; one that leaves later falls back to SMS if the platform can’t fetch it. The platform and phones may keep copies that they fetched before.',
  answer: Removed('PictureRemoved'),
  example: { answer: { success: true, message: 'The picture was deleted.' } },
  async handle({ caller: { accountId }, params: { id }, database, record }) {
    await database.begin(async (database) => {
      if (!(await deleteRow(database, { accountId, id }))) throw notFound('picture')
      await record(database, { object: { kind: 'picture', id } })
    })
    return { success: true, message: 'The picture was deleted.' }
  }
})
