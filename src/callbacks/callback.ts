/*
 * A callback: an address that a message asks to be called with its delivery reports. The doors of Kannel and Jasmin
 * take such addresses. Kannel numbers the reports by bits, so that a mask names several.
 */

export const REPORTS = { delivered: 1, undelivered: 2, accepted: 8, refused: 16 } as const

export type Report = (typeof REPORTS)[keyof typeof REPORTS]

export type DoorName = 'kannel' | 'jasmin'

/** What a message asks for. */
export interface Callback {
  door: DoorName
  /** As the client wrote it, with its places for values. */
  url: string
  method: 'GET' | 'POST'
  /** The reports that are asked for. */
  mask: number
  /** Values of the request that a callback repeats. */
  fields: Readonly<Record<string, string>>
  /** Numbers as the client wrote them, by the number in E.164, where they differ. */
  givenNumbers: Readonly<Record<string, string>>
  keptUntil: Date
}

/** A change of a recipient that may be reported. */
export interface Reported {
  accountId: number
  messageId: number
  position: number
  report: Report
  state: number
}
