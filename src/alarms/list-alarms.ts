import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { PageQuery, pageWindow, toPage } from '../http/paging.ts'
import { AlarmPage, alarmExample, toAlarmView } from './alarm.ts'
import { countRaised, listRaised } from './alarms.store.ts'

export const listAlarms = operation({
  route: 'GET /alarms',
  id: 'listAlarms',
  tag: 'Beyond',
  permission: 'read',
  summary: 'Alarms',
  description:
    'What is wrong, and what was, newest first: disabled webhooks and keys that end soon, and for the operator also carriers, queues, delivery rates, certificates and space. An alarm is raised once and lasts until its cause is gone.',
  query: Type.Object({
    ...PageQuery.properties,
    open: Type.Optional(Type.Boolean({ description: 'Only alarms that last, or only those that are over.' }))
  }),
  answer: AlarmPage,
  example: { answer: toPage([alarmExample], { page: 1, limit: 10, totalItems: 1 }) },
  mayLag: true,
  async handle({ caller: { accountId }, query: { open: isOpen, ...page }, database }) {
    const filter = { accountId, isOpen }
    const totalItems = await countRaised(database, filter)
    const alarms = await listRaised(database, filter, pageWindow({ ...page, totalItems }))
    return toPage(alarms.map(toAlarmView), { ...page, totalItems })
  }
})
