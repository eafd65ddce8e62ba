import { http } from './http/http-kind.ts'
import type { CarrierKind } from './kind.ts'
import { rbm } from './rbm/rbm-kind.ts'
import { smpp } from './smpp/smpp-kind.ts'

/** Every kind of carrier. GET /carriers lists carriers in this order. */
export const CARRIER_KINDS: readonly CarrierKind[] = [smpp, rbm, http]
