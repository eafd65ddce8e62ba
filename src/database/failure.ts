import pg from 'pg'

/* Errors of a connection. The server's errors and the socket's have a code; those of node-postgres get one here. */

export function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/** An error of `client.connect()`. */
export function toConnectFailure(error: unknown): Error {
  const { code, message } = error as Error & { code?: unknown }
  if (code !== undefined) return error as Error
  if (message === 'timeout expired') return failure('CONNECT_TIMEOUT', 'the server did not answer in time')
  return message.startsWith('Connection terminated') ? toClosedFailure(error) : (error as Error)
}

/** An error of a statement whose connection has closed. */
export function toClosedFailure(error: unknown): Error {
  const { code, message } = error as Error & { code?: unknown }
  return code === undefined ? failure('CONNECTION_CLOSED', message) : (error as Error)
}

/** Whether the server no longer runs a prepared statement: its tables have changed, or the statement is gone. */
export function isStaleStatement(error: unknown): boolean {
  const isStale = (routine: string | undefined) =>
    routine === 'RevalidateCachedQuery' || routine === 'FetchPreparedStatement'
  return error instanceof pg.DatabaseError && isStale(error.routine)
}
