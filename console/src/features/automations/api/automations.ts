import { queryOptions } from '@tanstack/react-query'
import { call, type Schemas } from '../../../lib/api.ts'

export type Automation = Schemas['Automation']
export type AutomationRun = Schemas['AutomationRun']
export type AutomationInput = Schemas['AutomationDto']

export const AUTOMATIONS = ['automations']

export const pageAutomations = (query: { page: number; limit: number }, signal: AbortSignal) =>
  call('listAutomations', { query, signal })

export const automationQuery = (id: number) =>
  queryOptions({
    queryKey: [...AUTOMATIONS, id],
    queryFn: ({ signal }) => call('readAutomation', { path: { id }, signal })
  })

export const pageRuns = (id: number, query: { page: number; limit: number }, signal: AbortSignal) =>
  call('pageAutomationRuns', { path: { id }, query, signal })

/** Makes an automation, or replaces one that is there. */
export const saveAutomation = (id: number | undefined, body: AutomationInput, idempotencyKey: string) =>
  id === undefined
    ? call('createAutomation', { body, idempotencyKey })
    : call('updateAutomation', { path: { id }, body, idempotencyKey })

/** The same automation, on or off. */
export function turn({ id, name, schedule, contactlist, segments, once, channel, message }: Automation, isOn: boolean) {
  const body = {
    name,
    schedule,
    once,
    is_on: isOn,
    ...(contactlist && { contactlist }),
    ...(segments && { segments }),
    [channel]: message
  }
  return call('updateAutomation', { path: { id }, body })
}

export const deleteAutomation = (id: number) => call('deleteAutomation', { path: { id } })
