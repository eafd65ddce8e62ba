import type { Config, Role } from './config.ts'
import type { RequestParts } from './process/serve-http.ts'
import type { SharedParts } from './process/shared-parts.ts'
import type { StartedParts } from './process/started-parts.ts'
import { startSmppServer } from './smpp-server/smpp-server.ts'
import type { ServerTimings } from './smpp-server/timings.ts'

/** The role that takes binds of customers. */
const SMPP_ROLE = 'smpp' satisfies Role

/** Whether this process takes binds: it has the role, and the settings say where. */
export function takesBinds(config: Config): config is Config & { smpp: NonNullable<Config['smpp']> } {
  return config.roles.has(SMPP_ROLE) && config.smpp !== undefined
}

/** Takes binds of customers, if this process has the role and the settings say where. */
export async function startSmppRole(
  shared: SharedParts,
  started: StartedParts,
  { timings, ...requests }: RequestParts & { timings: ServerTimings | undefined }
): Promise<void> {
  const { config, pool, suspended, registry, log, roles } = shared
  if (!takesBinds(config)) return
  const { smpp: settings } = config
  const defaults = { ...config.limitDefaults, consent: config.consent }
  roles.smpp = await startSmppServer({ settings, pool, ...requests, suspended, defaults, registry, log, timings })
  started.add({ name: 'SMPP binds', stop: roles.smpp.stop })
}
