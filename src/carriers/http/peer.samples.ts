import { createHmac, randomUUID } from 'node:crypto'
import { RawBody } from '../../http/callback.ts'
import type { Receipt } from '../carrier.ts'
import type { Behaviour, StartPeer } from '../contract.samples.ts'
import {
  answerJson,
  type OnRequest,
  PHONE,
  SILENT_LOG,
  startProvider,
  startTestCarrier,
  toCarrier
} from './http.samples.ts'
import { receiveHttpNews } from './receive-news.ts'

export const startPeer: StartPeer = async (t) => {
  const accept: OnRequest = (_, response) => answerJson(response, 200, { id: randomUUID() })
  const provider = await startProvider(t, accept)
  const { carrier, settings } = await startTestCarrier(t, toCarrier(provider.url, { answerTimeout: 0.3 }))
  const reports: Receipt[] = []
  let isStoring = true
  const [receipts] = receiveHttpNews({
    carriers: () => [settings],
    inbound: {
      async onReport(report) {
        if (!isStoring) throw new Error('no database')
        if (!('kept' in report)) reports.push(report)
      },
      onReply: async () => undefined,
      onNotice: async () => undefined
    },
    metrics: { receipts: () => undefined, replies: () => undefined },
    log: SILENT_LOG
  })
  async function report(id: string): Promise<boolean> {
    const text = JSON.stringify({ reports: [{ id, state: 'DELIVERED', to: PHONE }] })
    const headers = { 'x-signature': createHmac('sha256', 'h-1').update(text).digest('hex') }
    try {
      const params = { name: carrier.name }
      const admitted = receipts?.callback?.admit({ params, headers, query: {}, bodyBytes: text.length })
      await receipts?.handle({ params, body: new RawBody(text, 'json'), headers, admitted } as never)
      return true
    } catch {
      return false // The provider gets a 5xx, and posts it again.
    }
  }
  const behaviours: Record<Behaviour, OnRequest> = {
    accept,
    throttle: (_, response) => answerJson(response, 429, {}),
    refuse: (_, response) => answerJson(response, 400, { error: { code: 'bad_number' } }),
    'stay silent': () => undefined,
    'close mid-flight': (_, response) => response.socket?.resetAndDestroy(),
    'report first': (_, response) => {
      const id = randomUUID()
      void report(id).then(() => answerJson(response, 200, { id }))
    }
  }
  return {
    carrier,
    peer: {
      behave(behaviour) {
        provider.onRequest = behaviours[behaviour]
      },
      get receivedCount() {
        return new Set(provider.got.map(({ headers }) => headers['idempotency-key'])).size
      },
      report
    },
    reports: () =>
      reports.map(({ carrier, carrierMessageId, state }) => ({
        carrier,
        carrierMessageId,
        isDelivered: state === 'delivered'
      })),
    failToStore() {
      isStoring = false
    }
  }
}
