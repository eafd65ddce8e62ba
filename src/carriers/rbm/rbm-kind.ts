import { randomBytes } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { isAnyRcsMessage } from '../../messages/rcs-messages.store.ts'
import type { CarrierView } from '../carrier-view.ts'
import { keepMessageIdKey, listMessageIdKeys } from '../carriers.store.ts'
import type { CarrierKind } from '../kind.ts'
import { createEventNames } from './event-names.ts'
import { lookAtAgent } from './look-at-agent.ts'
import { fromRbmMessageId, messageIdKeysOf } from './message-ids.ts'
import { startRbmCarrier } from './rbm-carrier.ts'
import { RbmSettings } from './rbm-settings.ts'
import { readRbmEvent } from './read-event.ts'
import { type RbmCarrierSettings, readRbm } from './read-rbm.ts'
import { receiveRbmEvent } from './receive-event.ts'

const example: CarrierView = {
  name: 'rcs',
  type: 'rbm',
  channels: ['rcs'],
  is_up: true,
  sending: 'on',
  sending_since: null,
  cost: null,
  sessions: 0,
  message_id_format: null,
  learned_id_form: null,
  routes: [{ channel: 'rcs', prefix: '', rank: 1 }],
  binds: [],
  processes: [
    {
      process: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55',
      is_up: true,
      in_flight: 12,
      capacity: 100,
      submits_per_second: 180.2,
      pace_per_second: null,
      last_error: null
    }
  ]
}

/** An agent of Google's RCS Business Messaging. */
export const rbm: CarrierKind<RbmCarrierSettings> = {
  name: 'rbm',
  channels: ['rcs'],
  abilities: { repeatableSubmits: true, revoking: true, capabilityChecks: true, binds: false },
  settings: RbmSettings,
  read: readRbm,
  traitsOf: ({ agentId, fallbackDelay, cost }) => ({
    sender: '',
    agentId,
    stopMention: '',
    numbers: [],
    idFormat: null,
    sendsWhole: false,
    sessions: 0,
    cost: cost ?? null,
    throughput: 0,
    fallbackSeconds: fallbackDelay
  }),
  start: async (settings, { events, limits, capabilities, rcsFallbackSeconds, database, log }) =>
    startRbmCarrier({
      settings,
      fallbackSeconds: rcsFallbackSeconds,
      messageIdKey: await messageIdKeyOf(database, settings),
      cache: capabilities,
      limits,
      events,
      log
    }),
  callbacks: (context) => [receiveRbmEvent(context)],
  lookAtAgent,
  events: {
    read: (body, receivedAt) => readRbmEvent(JSON.parse(body), receivedAt),
    createNames: async (database, carriers) => createEventNames(carriers, await listMessageIdKeys(database))
  },
  async createIdReader(database, carriers) {
    const keys = messageIdKeysOf(carriers, await listMessageIdKeys(database))
    return (id) => fromRbmMessageId(id, keys)
  },
  example
}

/**
 * Before keys were stored, the token was the key. Where RCS messages were sent, it stays the key: some may be on their
 * way, and they are followed, revoked and sent again under their ids.
 */
async function messageIdKeyOf(database: Database, { name, webhookToken }: RbmSettings): Promise<string> {
  const key = (await isAnyRcsMessage(database)) ? webhookToken : randomBytes(32).toString('hex')
  return keepMessageIdKey(database, { carrier: name, key })
}
