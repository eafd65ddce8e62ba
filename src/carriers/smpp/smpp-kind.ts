import type { CarrierView } from '../carrier-view.ts'
import type { CarrierKind } from '../kind.ts'
import { readSmpp, type SmppCarrierSettings } from './read-smpp.ts'
import { readStatus } from './read-status.ts'
import { startSmppCarrier } from './smpp-carrier.ts'
import { SmppSettings } from './smpp-settings.ts'

const example: CarrierView = {
  name: 'main',
  type: 'smpp',
  channels: ['sms'],
  is_up: true,
  sending: 'on',
  sending_since: null,
  cost: 0.032,
  sessions: 1,
  message_id_format: 'auto',
  learned_id_form: 'dec',
  routes: [{ channel: 'sms', prefix: '', rank: 1 }],
  binds: [
    {
      slot: 1,
      state: 'bound',
      mode: 'transceiver',
      process: '6c9bd1c4-6a4e-4f0e-9a53-0d6f6f1d7a55',
      window: 100,
      window_used: 12,
      submits_per_second: 640.5,
      pace_per_second: null,
      bound_at: '2026-11-15T09:30:00.000Z',
      stalled_since: null,
      last_error: null
    }
  ],
  processes: []
}

/** An SMSC of an operator or an aggregator, over SMPP 3.4. */
export const smpp: CarrierKind<SmppCarrierSettings> = {
  name: 'smpp',
  channels: ['sms'],
  abilities: { repeatableSubmits: false, revoking: false, capabilityChecks: false, binds: true },
  settings: SmppSettings,
  read: readSmpp,
  traitsOf: ({ sender, stopMention, numbers, messageIdFormat, longMessages, sessions, cost, throughput }) => ({
    sender,
    agentId: '',
    stopMention,
    numbers,
    idFormat: messageIdFormat,
    sendsWhole: longMessages === 'payload',
    sessions,
    cost: cost ?? null,
    throughput,
    fallbackSeconds: undefined
  }),
  certificatesOf: ({ tls, caText: text }) =>
    typeof tls === 'object' && tls.ca !== undefined && text !== undefined ? { file: tls.ca, text } : undefined,
  readStatus,
  start: (settings, { events, limits, metrics, log }) =>
    startSmppCarrier({ settings, ca: settings.caText, events, limits, metrics, log }),
  example
}
