import Type from 'typebox'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'

/** Where customers bind. Undefined without an SMPP server. */
export interface SmppAddress {
  host: string | undefined
  port: number | undefined
  tlsPort: number | undefined
}

export const readSmppServer = (address: () => SmppAddress | undefined) =>
  operation({
    route: 'GET /smpp/server',
    id: 'readSmppServer',
    tag: 'Beyond',
    permission: 'read',
    summary: 'Read where to bind over SMPP',
    description: 'Whether this service takes binds over SMPP, and where.',
    answer: Type.Object(
      {
        enabled: Type.Boolean(),
        host: Nullable(Type.String({ description: 'Null: the host of this API.' })),
        port: Nullable(Type.Integer({ description: 'Without TLS. Null: there is none.' })),
        tls_port: Nullable(Type.Integer({ description: 'With TLS. Null: there is none.' }))
      },
      { $id: 'SmppServer' }
    ),
    example: { answer: { enabled: true, host: 'sms.example.com', port: 2775, tls_port: 3550 } },
    async handle() {
      const { host = null, port = null, tlsPort = null } = address() ?? {}
      return { enabled: port !== null || tlsPort !== null, host, port, tls_port: tlsPort }
    }
  })
