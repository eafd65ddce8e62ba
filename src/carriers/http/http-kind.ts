import { randomBytes } from 'node:crypto'
import type { CarrierView } from '../carrier-view.ts'
import { keepMessageIdKey } from '../carriers.store.ts'
import type { CarrierKind } from '../kind.ts'
import { startHttpCarrier } from './http-carrier.ts'
import { HttpSettings } from './http-settings.ts'
import { startPolls } from './polls.ts'
import { type HttpCarrierSettings, readHttp } from './read-http.ts'
import { receiveHttpNews } from './receive-news.ts'

const example: CarrierView = {
  name: 'aggregator',
  type: 'http',
  channels: ['sms'],
  is_up: true,
  sending: 'on',
  sending_since: null,
  cost: 0.041,
  sessions: 0,
  message_id_format: 'as-is',
  learned_id_form: null,
  routes: [{ channel: 'sms', prefix: '', rank: 1 }],
  binds: [],
  processes: [
    {
      process: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55',
      is_up: true,
      in_flight: 3,
      capacity: 20,
      submits_per_second: 42.5,
      pace_per_second: 50,
      last_error: null
    }
  ]
}

/** A provider's HTTP interface for SMS, described in the carriers file. */
export const http: CarrierKind<HttpCarrierSettings> = {
  name: 'http',
  channels: ['sms'],
  // A carrier with `idempotent` repeats its requests itself. What stays without an answer is in doubt all the same: the
  // next try may go to another carrier.
  abilities: { repeatableSubmits: false, revoking: false, capabilityChecks: false, binds: false },
  settings: HttpSettings,
  read: readHttp,
  traitsOf: ({ sender, stopMention, numbers, idsPer, cost, throughput }) => ({
    sender,
    agentId: '',
    stopMention,
    numbers,
    idFormat: 'as-is',
    sendsWhole: idsPer === 'message',
    sessions: 0,
    cost: cost ?? null,
    throughput,
    fallbackSeconds: undefined
  }),
  start: async (settings, { events, limits, metrics, database, log }) =>
    startHttpCarrier({
      settings,
      idKey: await keepMessageIdKey(database, { carrier: settings.name, key: randomBytes(32).toString('hex') }),
      events,
      limits,
      metrics,
      startPolls: (onFailure) => startPolls({ settings, database, inbound: events, metrics, onFailure, log }),
      log
    }),
  callbacks: receiveHttpNews,
  example
}
