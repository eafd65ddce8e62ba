import { createInboundMetrics } from '../carriers/inbound-metrics.ts'
import { readPaces } from '../carriers/paces.ts'
import type { Config } from '../config.ts'
import { createCallbackInbound, createSignal } from '../delivery-role.ts'
import { createFamilyAddresses } from '../looks/family-addresses.ts'
import { findFamilyOfPerson } from '../looks/looks.store.ts'
import type { Dependencies } from '../routes.ts'
import { createFindSite } from '../second-factors/site.ts'
import { fromSegments } from '../segments/from-segments.ts'
import { createAccept } from '../sends/accept.ts'
import type { SmppServer } from '../smpp-server/smpp-server.ts'
import { ownHostsOf, type SharedParts } from './shared-parts.ts'

/** What the operations need. */
export function dependenciesOf(
  {
    config,
    log,
    pool,
    groupPool,
    registry,
    register,
    carriers,
    agents,
    prices,
    looks,
    roles,
    keepEvents,
    history
  }: SharedParts,
  { tokens, callers, origin }: Pick<Dependencies, 'tokens' | 'callers'> & { origin(): string }
): Dependencies {
  const { routing, phones } = carriers
  const onQueued = createSignal(pool, { log, wake: () => roles.delivery?.wake() })
  const serviceUrl = () => config.publicUrl ?? origin()
  const addresses = createFamilyAddresses(looks, { serviceUrl, linkUrl: () => config.linkUrl ?? `${serviceUrl()}/s` })
  return {
    pool,
    tokens,
    callers,
    findSite: createFindSite(config.publicUrl, (host) => {
      return { name: looks.at(host).name, familyId: looks.familyAt(host) }
    }),
    serviceUrl,
    looks: { looks, addresses, ownHosts: ownHostsOf(config) },
    issuer: config.issuer,
    signOn: config.signOn,
    limitDefaults: config.limitDefaults,
    consent: config.consent,
    register,
    links: { isOn: config.mail !== undefined, consoleUrl: addresses.consoleUrl, findFamily: findFamilyOfPerson },
    sending: {
      accept: createAccept({ groupPool, routing, onQueued, seats: () => roles.delivery?.seats() }),
      routing,
      linkUrl: ({ topLevelId }) => addresses.linkUrl(topLevelId),
      readPaces: (sql) => readPaces(sql, routing),
      fromSegments
    },
    routing,
    agents,
    prices,
    callbacks: {
      inbound: createCallbackInbound({ pool, routing, keepEvents, history }),
      metrics: createInboundMetrics(registry),
      log
    },
    webhooks: { allowPrivate: config.webhookAllowPrivate, onQueued: () => roles.dispatch?.wake() },
    phones,
    smppAddress: () => smppAddressOf(config, roles.smpp)
  }
}

/** As this process listens; else as the settings say, for another process may. */
function smppAddressOf(
  { smpp, publicUrl }: Config,
  server: SmppServer | undefined
): ReturnType<Dependencies['smppAddress']> {
  if (!smpp) return undefined
  const host = publicUrl === undefined ? undefined : new URL(publicUrl).hostname
  return { host, port: server?.port ?? smpp.port, tlsPort: server?.tlsPort ?? smpp.tlsPort }
}
