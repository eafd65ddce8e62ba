import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DoorName } from '../callbacks/callback.ts'
import { toRefusal } from '../http/error-answers.ts'
import type { Log } from '../http/log.ts'
import type { LoadShedding } from '../http/overload.ts'
import { requestFields } from '../http/trace-requests.ts'
import { Arguments } from './arguments.ts'
import { authorOf, type Door, type DoorAnswer, type DoorParts, type DoorRoute, findDoorCaller } from './door.ts'
import { jasmin } from './jasmin.ts'
import { kannel } from './kannel.ts'

const DOORS: readonly Door[] = [kannel, jasmin]
/** A stranger may send this body. Ten segments of text and a few thousand numbers fit. */
const BODY_BYTES_MAX = 64 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    /** The arguments of a request to a door, read once. */
    doorArguments: Arguments | null
  }
}

/** Adds the routes of some doors, inside of the frame: its limits, log lines and metrics hold for them. */
export async function registerDoors(
  app: FastifyInstance,
  { names, load, log, ...parts }: DoorParts & { names: ReadonlySet<DoorName>; load: LoadShedding; log: Log }
): Promise<void> {
  // A context of its own: doors read bodies in their own way.
  await app.register(async (app) => {
    app.decorateRequest('doorArguments', null)
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    for (const door of DOORS) {
      if (names.has(door.name)) for (const route of door.routes(parts)) addRoute(app, route, { parts, load, log })
    }
  })
}

function addRoute(
  app: FastifyInstance,
  route: DoorRoute,
  { parts, load, log }: { parts: DoorParts; load: LoadShedding; log: Log }
): void {
  app.route({
    method: route.methods,
    url: route.path,
    bodyLimit: BODY_BYTES_MAX,
    config: { operation: route.id },
    errorHandler(error, request, reply) {
      const refusal = toRefusal(error, (problem) =>
        log.error({ ...requestFields(request), err: problem }, 'request failed')
      )
      if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds))
      return send(reply, route.refuse(refusal, request.doorArguments ?? undefined))
    },
    // Before the request takes its place: from then on it counts for its account.
    preValidation: async (request, reply) => {
      const given = route.readArguments(request)
      request.doorArguments = given
      route.check?.(given)
      if (route.permission === undefined) return
      request.caller = await findDoorCaller(parts, route, { given, address: request.ip, reply })
    },
    handler: (request, reply) => load.run(reply, () => answer(route, request, reply))
  })
}

async function answer(route: DoorRoute, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { caller, doorArguments } = request
  const given = doorArguments ?? new Arguments()
  // A route without a permission is open, and asks for no caller.
  const author = caller && authorOf(route, caller, request.ip)
  const parts = { given, caller, author } as Parameters<DoorRoute['handle']>[0]
  return send(reply, await route.handle(parts))
}

function send(reply: FastifyReply, { status, body, type }: DoorAnswer): FastifyReply {
  return reply.status(status).type(`${type}; charset=utf-8`).header('cache-control', 'no-store').send(body)
}
