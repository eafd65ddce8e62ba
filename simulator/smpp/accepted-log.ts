import { decodeText, type TextEncoding } from '../../src/smpp/alphabets.ts'
import type { SegmentBytes } from './long-messages.ts'

/** The segments that the carrier accepted for one number. */
export interface AcceptedSegments {
  count: number
  /** The number of submits of each segment. The key is its text, after `2/3 ` for the second of three. */
  segments: Map<string, number>
}

/** Records accepted segments, so that a test can check that each came exactly once. It grows for ever, so it is optional. */
export class AcceptedLog {
  readonly isOn: boolean
  /** By number, as digits. */
  readonly byNumber = new Map<string, AcceptedSegments>()

  constructor({ isOn }: { isOn: boolean }) {
    this.isOn = isOn
  }

  add(digits: string, { bytes, segment }: SegmentBytes, dataCoding: number, defaultEncoding: TextEncoding): void {
    if (!this.isOn) return
    const text = decodeText(bytes, dataCoding, { defaultEncoding })
    const key = segment ? `${segment.position}/${segment.total} ${text}` : text
    let accepted = this.byNumber.get(digits)
    if (!accepted) {
      accepted = { count: 0, segments: new Map() }
      this.byNumber.set(digits, accepted)
    }
    accepted.count++
    accepted.segments.set(key, (accepted.segments.get(key) ?? 0) + 1)
  }

  /** The segments that came more than once. */
  repeated(): { number: string; segment: string; count: number }[] {
    const repeated: { number: string; segment: string; count: number }[] = []
    for (const [number, { segments }] of this.byNumber) {
      for (const [segment, count] of segments) if (count > 1) repeated.push({ number, segment, count })
    }
    return repeated
  }
}
