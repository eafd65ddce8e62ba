/** The web site that a request came to. */
export interface Site {
  origin: string
  /** Its host without the port: the relying party id of WebAuthn. A browser uses passkeys at the host they were made for. */
  host: string
  /** The name that its pages show. */
  name: string
  /** The top-level account whose own site this is; undefined for the operator's. */
  familyId: number | undefined
}

/** Finds the site of a request by the origin that the client asked. */
export type FindSite = (requestOrigin: string) => Site

/** What a host name decides: the family that has it as its own, and the name of the pages. */
export type FindFamilySite = (host: string) => Pick<Site, 'name' | 'familyId'>

/**
 * The host name of a request only picks one of the known sites. Any other host is the operator's: CHAPPE_PUBLIC_URL, or
 * without it the origin that the client asked.
 */
export function createFindSite(publicUrl: string | undefined, findFamilySite: FindFamilySite): FindSite {
  return (requestOrigin) => {
    const asked = URL.parse(requestOrigin) ?? new URL('http://localhost')
    const site = findFamilySite(asked.hostname)
    const own = publicUrl === undefined ? asked : new URL(publicUrl)
    if (site.familyId === undefined) return { origin: own.origin, host: own.hostname, ...site }
    const at = new URL(own)
    at.hostname = asked.hostname
    return { origin: at.origin, host: at.hostname, ...site }
  }
}
