import type { FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { networkOf } from './networks.ts'
import type { LoadLimits } from './overload.ts'
import { Room } from './room.ts'

/*
 * Bodies of requests without credentials: log-ins, and events of carriers. Only received bytes are counted, by the
 * network they come from: a body that is announced and never sent holds nothing, and a network that sends much leaves
 * as much for all others. A body must come within seconds, where a customer has minutes for a file.
 */

export type StrangerBodies = ReturnType<typeof createStrangerBodies>

/** Watches these bodies. `onLate` is called for a body that did not come in time. */
export function createStrangerBodies(
  { strangerBytesMax, strangerBodyMaxMs }: LoadLimits,
  onLate: (request: FastifyRequest) => void
) {
  const room = new Room(strangerBytesMax)
  return {
    /** Lets a body come in, or refuses it while its network, or all together, hold too much. */
    receive(request: FastifyRequest): Refusal | undefined {
      const { raw } = request
      const network = networkOf(request.ip)
      const asker = { accountId: network, topLevelId: network }
      if (!room.hasRoom(asker, 1)) return OVERLOADED
      let bytes = 0
      const timer = setTimeout(() => onLate(request), strangerBodyMaxMs)

      function count(chunk: Buffer): void {
        if (!room.hasRoom(asker, chunk.length)) return void raw.destroy()
        room.take(asker, chunk.length)
        bytes += chunk.length
      }
      function release(): void {
        clearTimeout(timer)
        room.giveBack(asker, bytes)
        bytes = 0
      }
      raw.on('data', count)
      raw.once('end', release)
      raw.once('close', release)
      return undefined
    }
  }
}

const OVERLOADED = new Refusal(503, 'unavailable', 'Too many requests without credentials are coming in; ask again.', {
  retryAfterSeconds: 1
})
