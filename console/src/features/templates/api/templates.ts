import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export const smsTemplatesQuery = queryOptions({
  queryKey: ['templates', 'sms'],
  queryFn: () => call('listSmsTemplates')
})
export const rcsTemplatesQuery = queryOptions({
  queryKey: ['templates', 'rcs'],
  queryFn: () => call('listRcsTemplates')
})

export const deleteTemplate = (id: number) => call('deleteTemplate', { path: { id } })

export function saveSmsTemplate({ id, ...body }: Schemas['ModelsDto'] & { id?: number }) {
  return id === undefined ? call('createSmsTemplate', { body }) : call('updateSmsTemplate', { path: { id }, body })
}

export function saveRcsTemplate({ id, ...body }: Schemas['RcsDto'] & { id?: number }) {
  return id === undefined ? call('createRcsTemplate', { body }) : call('updateRcsTemplate', { path: { id }, body })
}
