import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'

/*
 * Whether messages are handed over to a carrier. Its links stay: answers, receipts and replies come all the time.
 *
 *   on        the routes decide
 *   paused    messages of its routes wait for it
 *   draining  another carrier of the route sends them, where one is up; the others wait
 */
export const SENDING = ['on', 'paused', 'draining'] as const
export type Sending = (typeof SENDING)[number]
export type PauseMode = Exclude<Sending, 'on'>

export interface CarrierPause {
  carrier: string
  mode: PauseMode
  since: Date
}

export const sendingFields = {
  sending: Type.Enum(SENDING, {
    description:
      'Whether messages are handed over to it: `on`, `paused` (its messages wait for it) or `draining` (another carrier of the route takes them, where one is up).'
  }),
  sending_since: Nullable(
    Type.String({ format: 'date-time', description: 'Since when it is paused or draining; null while it is `on`.' })
  )
}

export const SendingView = Type.Object({ name: Type.String(), ...sendingFields }, { $id: 'CarrierSending' })

export function toSendingView(name: string, pause: CarrierPause | undefined): Static<typeof SendingView> {
  return { name, sending: pause?.mode ?? 'on', sending_since: pause?.since.toISOString() ?? null }
}

/** How the carriers of an installation send, by name. */
export class Pauses {
  readonly #pauses: ReadonlyMap<string, CarrierPause>

  constructor(pauses: readonly CarrierPause[]) {
    this.#pauses = new Map(pauses.map((pause) => [pause.carrier, pause]))
  }

  of(carrier: string): CarrierPause | undefined {
    return this.#pauses.get(carrier)
  }

  /** Whether nothing may be handed over to it. */
  isStopped(carrier: string): boolean {
    return this.#pauses.has(carrier)
  }

  /** Whether other carriers of its routes take its place, as if it were down. */
  givesWay(carrier: string): boolean {
    return this.#pauses.get(carrier)?.mode === 'draining'
  }

  isSame(other: Pauses): boolean {
    const modes = (pauses: Pauses) => [...pauses.#pauses.values()].map(({ carrier, mode }) => `${carrier} ${mode}`)
    return modes(this).join() === modes(other).join()
  }
}
