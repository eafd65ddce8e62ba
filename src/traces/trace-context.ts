import type { IncomingHttpHeaders } from 'node:http'

/*
 * W3C Trace Context: the headers `traceparent` and `tracestate` of requests, and the same as one text that is stored with a
 * message and its events.
 */

/** A `traceparent` of version 00; then, after a space, the `tracestate` if there is one. */
export type TraceContext = string

// "traceparent Header Field Values": version, trace id, span id, flags. A later version may go on after another hyphen.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const TRACEPARENT_LENGTH = 55
/** A vendor should pass on 512 characters at least; we pass on no more. */
const TRACESTATE_LENGTH_MAX = 512
const MEMBERS_MAX = 32
const MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/
const SAMPLED = 1

/** The context of a request. Undefined when it has none, or one that is not valid: the request then begins a trace. */
export function readTraceContext({ traceparent, tracestate }: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, spanId, flags = '00', more] = TRACEPARENT.exec(traceparent) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED
  return toTraceContext({ traceId, spanId, isSampled, state: readState(tracestate) })
}

/** A state that is too long, or not valid, is left out, as the specification allows. */
function readState(tracestate: string | string[] | undefined): string {
  const text = [tracestate ?? []].flat().join(',')
  if (text.length > TRACESTATE_LENGTH_MAX) return ''
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  return members.length <= MEMBERS_MAX && members.every((member) => MEMBER.test(member)) ? members.join(',') : ''
}

export interface TraceParts {
  traceId: string
  spanId: string
  isSampled: boolean
  /** Empty without one. */
  state: string
}

export function toTraceContext({ traceId, spanId, isSampled, state }: TraceParts): TraceContext {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
  return state === '' ? traceparent : `${traceparent} ${state}`
}

export function toTraceParts(context: TraceContext): TraceParts {
  return {
    traceId: context.slice(3, 35),
    spanId: context.slice(36, 52),
    isSampled: context.slice(53, TRACEPARENT_LENGTH) === '01',
    state: context.slice(TRACEPARENT_LENGTH + 1)
  }
}

/** The headers that pass a context on. */
export function traceHeaders(context: TraceContext): Record<string, string> {
  const { state } = toTraceParts(context)
  const traceparent = context.slice(0, TRACEPARENT_LENGTH)
  return state === '' ? { traceparent } : { traceparent, tracestate: state }
}
