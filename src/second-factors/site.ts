/** The web site that passkeys are made for: a browser uses them nowhere else. */
export interface Site {
  origin: string
  /** Its host without the port: the relying party id of WebAuthn. */
  host: string
}

/** Finds the site of a request: CHAPPE_PUBLIC_URL, or without it the origin that the client asked. */
export type FindSite = (requestOrigin: string) => Site

export function createFindSite(publicUrl: string | undefined): FindSite {
  return (requestOrigin) => {
    const { origin, hostname } = URL.parse(publicUrl ?? requestOrigin) ?? new URL('http://localhost')
    return { origin, host: hostname }
  }
}
