import { createHmac, randomUUID } from 'node:crypto'
import type { PostedReport } from '../carrier.ts'
import type { Behaviour, StartPeer } from '../contract.samples.ts'
import {
  answer,
  PHONE,
  type RawPlatform,
  refuse,
  SILENT_LOG,
  startRawPlatform,
  startTestCarrier,
  WEBHOOK_TOKEN
} from './rbm.samples.ts'
import { receiveRbmEvent } from './receive-event.ts'

export const startPeer: StartPeer = async (t) => {
  const platform = await startRawPlatform(t)
  const { carrier, cache, settings } = startTestCarrier(t, platform, { timings: { sendMs: 300 } })
  cache.known.set(PHONE, true)
  while (!carrier.status().isUp) await new Promise((resolve) => setTimeout(resolve, 5))

  const reports: PostedReport[] = []
  let isStoring = true
  const operation = receiveRbmEvent({
    carriers: () => [settings],
    inbound: {
      async onReport(report) {
        if (!isStoring) throw new Error('no database')
        reports.push(report as PostedReport)
      },
      onReply: async () => undefined,
      onNotice: async () => undefined
    },
    metrics: { receipts: () => undefined, replies: () => undefined },
    log: SILENT_LOG
  })
  async function report(messageId: string): Promise<boolean> {
    const event = { eventType: 'DELIVERED', eventId: randomUUID(), messageId, senderPhoneNumber: PHONE }
    const data = Buffer.from(JSON.stringify(event))
    const signature = createHmac('sha512', WEBHOOK_TOKEN).update(data).digest('base64')
    const headers = { 'x-goog-signature': signature }
    const body = { message: { data: data.toString('base64') } }
    try {
      const params = { name: settings.name }
      const bodyBytes = JSON.stringify(body).length
      const admitted = operation.callback?.admit({ params, headers, query: {}, bodyBytes })
      await operation.handle({ params, body, headers, admitted } as never)
      return true
    } catch {
      return false // The platform gets a 5xx, and posts it again.
    }
  }

  const accept: RawPlatform['onCall'] = (_, response) => answer(response, 200, {})
  const behaviours: Record<Behaviour, RawPlatform['onCall']> = {
    accept,
    throttle: (_, response) => refuse(response, 429, 'RESOURCE_EXHAUSTED'),
    refuse: (_, response) => refuse(response, 404, 'NOT_FOUND'),
    'stay silent': () => undefined,
    'close mid-flight': (_, response) => response.socket?.resetAndDestroy(),
    'report first': (call, response) => {
      void report(call.query.get('messageId') ?? '').then(() => answer(response, 200, {}))
    }
  }
  return {
    carrier,
    peer: {
      behave(behaviour) {
        platform.onCall = behaviours[behaviour]
      },
      get receivedCount() {
        return new Set(platform.sends.map(({ query }) => query.get('messageId'))).size
      },
      report
    },
    reports: () =>
      reports.map(({ carrier, messageId, kind }) => ({
        carrier,
        carrierMessageId: messageId,
        isDelivered: kind === 'delivered'
      })),
    failToStore() {
      isStoring = false
    }
  }
}
