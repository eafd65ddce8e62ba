import { STATUSES, type StatusName } from '../../smpp/commands.ts'
import type { Behaviour, StartPeer } from '../contract.samples.ts'
import { startPair } from './carrier.samples.ts'

export const startPeer: StartPeer = async (t) => {
  const { carrier, events, smsc } = await startPair(t, { answerTimeout: 0.3 })
  const link = () => smsc.links.at(-1)
  const deliver = (id: string) =>
    link()?.deliver({ esmClass: 0x04, shortMessage: Buffer.from(`id:${id} stat:DELIVRD err:000`) }) ?? 0
  const accept = smsc.onSubmit
  const answer = (status: StatusName): typeof accept => {
    return (submit, link) => link.answer(submit, status)
  }
  const behaviours: Record<Behaviour, typeof accept> = {
    accept,
    throttle: answer('ESME_RTHROTTLED'),
    refuse: answer('ESME_RINVDSTADR'),
    'stay silent': () => undefined,
    'close mid-flight': (_, link) => link.socket.resetAndDestroy(),
    'report first': (submit, link) => {
      deliver('early')
      link.answer(submit, 'ESME_ROK', 'early')
    }
  }
  return {
    carrier,
    peer: {
      behave(behaviour) {
        smsc.onSubmit = behaviours[behaviour]
      },
      get receivedCount() {
        return smsc.submits.length
      },
      async report(carrierMessageId) {
        const sequence = deliver(carrierMessageId)
        for (;;) {
          const answered = link()?.answers.find(([answered]) => answered === sequence)
          if (answered) return answered[1] === STATUSES.ESME_ROK
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      }
    },
    reports: () =>
      events.receipts.map(({ carrier, carrierMessageId, state }) => ({
        carrier,
        carrierMessageId,
        isDelivered: state === 'delivered'
      })),
    failToStore() {
      events.store = async () => {
        throw new Error('no database')
      }
    }
  }
}
