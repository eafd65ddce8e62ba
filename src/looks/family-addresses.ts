import { atHost, type Looks } from './looks.ts'

/** The operator's own addresses: those of the settings, or of the socket. */
export interface OwnAddresses {
  serviceUrl(): string
  linkUrl(): string
}

/** Where the console and the links of a family of accounts are. */
export interface FamilyAddresses {
  consoleUrl(topLevelId: number | undefined): string
  linkUrl(topLevelId: number): string
}

/**
 * With a host name of its own, a family has the operator's addresses at that host. Without one for links, its links are at the
 * operator's: a console host might be closed to strangers.
 */
export function createFamilyAddresses(looks: Looks, own: OwnAddresses): FamilyAddresses {
  const hostsOf = (topLevelId: number | undefined) => looks.hostsOf(topLevelId ?? 0)
  return {
    consoleUrl: (topLevelId) => `${atHost(own.serviceUrl(), hostsOf(topLevelId).console)}/app`,
    linkUrl: (topLevelId) => atHost(own.linkUrl(), hostsOf(topLevelId).links)
  }
}
