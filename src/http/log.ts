import { type Logger, stdSerializers } from 'pino'

/** The log everybody writes to. Passwords, keys, tokens and message texts never go there. */
export type Log = Logger

/** How errors are written. In `detail` and `where` PostgreSQL quotes the row that it refuses, message texts and all. */
export const LOG_SERIALIZERS = {
  err(error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const { detail: _detail, where: _where, ...told } = stdSerializers.err(error)
    return told
  }
}
