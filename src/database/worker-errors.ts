import type pg from 'pg'
import { DISK_FULL } from './storage.ts'

/*
 * Citus passes on an error of a worker with its sentence, and without some of its parts: never with the constraint, and without the
 * code if the worker refused a COPY or was lost. An `insert … select` without `on conflict` is a COPY too. The code
 * and the constraint are read from the sentence instead, as PostgreSQL words it in English.
 */

/** The name of a constraint in the shards of a cluster ends with the shard's id. */
const SHARD_ID = /_\d{6,}$/
const CONSTRAINT_IN_SHARD = /\b\w+_\d{6,}\b/

const UNIQUE_VIOLATION = '23505'
const SERIALIZATION_FAILURE = '40001'
const CONNECTION_FAILURE = '08006'
const INTERNAL_ERROR = 'XX000'
const IO_ERROR = '58030'

/** A worker that was lost in the middle of a COPY. */
const COPY_LOST = /^failed to (COPY to shard|complete COPY)/

/** Codes of errors that the service goes on from. */
const CODES: readonly (readonly [RegExp, string])[] = [
  [/^duplicate key value violates unique constraint/, UNIQUE_VIOLATION],
  [/^deadlock detected/, '40P01'],
  [/^could not serialize access/, SERIALIZATION_FAILURE],
  // A shard was split, or was moved, since the statement was planned.
  [/^could not find valid entry for shard/, SERIALIZATION_FAILURE],
  [/^canceling statement due to lock timeout/, '55P03'],
  [/^canceling statement due to/, '57014'],
  [/^terminating connection due to/, '57P01'],
  [/No space left on device$/, DISK_FULL],
  [/^failure on connection marked as essential/, CONNECTION_FAILURE],
  // Of libpq, by which the nodes speak to each other.
  [/^(server closed the connection|no connection to the server|connection not open)/, CONNECTION_FAILURE],
  [/^could not (receive data from|send data to) server/, CONNECTION_FAILURE],
  [/^SSL (SYSCALL error|error|connection has been closed)/, CONNECTION_FAILURE]
]

/** Gives an error the parts that Citus has left out. */
export function completeError(error: pg.DatabaseError): void {
  const { message } = error
  if (error.code === INTERNAL_ERROR) {
    const found = CODES.find(([sentence]) => sentence.test(message))
    if (found) error.code = found[1]
  }
  if (error.code === IO_ERROR && COPY_LOST.test(message)) error.code = CONNECTION_FAILURE
  if (error.code === UNIQUE_VIOLATION) error.constraint ??= CONSTRAINT_IN_SHARD.exec(message)?.[0]
  if (error.constraint !== undefined) error.constraint = error.constraint.replace(SHARD_ID, '')
}
