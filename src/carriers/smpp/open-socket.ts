import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export interface Peer {
  host: string
  port: number
  tls?: PeerTls | undefined
}

export interface PeerTls {
  /** The text of the certificates to trust instead of the system's. */
  ca?: string | undefined
  /** The name that the certificate must have, when it is not the host. */
  serverName?: string | undefined
  /** False accepts any certificate: a machine in between can read everything. */
  verify?: boolean | undefined
}

/** Begins to connect; `onOpen` is called once PDUs may be written: with TLS, when the certificate was found good. */
export function openSocket({ host, port, tls }: Peer, onOpen: () => void): Socket {
  const socket = tls ? connectTls({ host, port, ...tlsOptions(host, tls) }, onOpen) : connect({ host, port }, onOpen)
  // All that is ready leaves in one write: waiting for more, as TCP does, only costs time.
  return socket.setNoDelay(true)
}

function tlsOptions(host: string, { ca, serverName, verify = true }: PeerTls) {
  const servername = serverName ?? host
  return {
    // RFC 6066, chapter 3: an address is no name. The certificate is then checked against the address.
    ...(isIP(servername) === 0 ? { servername } : {}),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: verify
  }
}
