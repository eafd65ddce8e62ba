import type { Logger } from 'pino'

/** The log everybody writes to. Passwords, keys, tokens and message texts never go there. */
export type Log = Logger
