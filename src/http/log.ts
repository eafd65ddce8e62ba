import { type Logger, stdSerializers } from 'pino'

/** The log of the process. Passwords, keys, tokens and message texts never go there. */
export type Log = Logger

/**
 * How errors are written: without `detail` and `where`, in which PostgreSQL quotes the refused row with its message
 * texts.
 */
export const LOG_SERIALIZERS = {
  err(error: unknown): unknown {
    if (!(error instanceof Error)) return error
    const { detail: _detail, where: _where, ...told } = stdSerializers.err(error)
    return told
  }
}
