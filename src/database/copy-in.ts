import { Writable } from 'node:stream'
import pg from 'pg'
import { failure } from './failure.ts'

/*
 * `copy … from stdin` for node-postgres. pg-copy-streams does not work on a connection that pipelines, so this is a
 * query of our own, with a stream that goes at the pace of the server.
 */

/** The methods of node-postgres's connection that its types leave out. */
interface CopyTarget {
  readonly stream: Writable
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(reason: string): void
}

export class CopyIn extends pg.Query {
  readonly #ready = Promise.withResolvers<CopyTarget>()
  readonly #ended = Promise.withResolvers<void>()
  #rows: Writable | undefined
  /** Called by node-postgres when the server has stored the rows or refused them, or the connection has closed. */
  readonly callback: (error: Error | null) => void

  /** `toNoted` gives an error as the connection tells it. */
  constructor(text: string, toNoted: (error: Error) => Error) {
    super(text)
    this.callback = (error) => {
      if (!error) return this.#ended.resolve()
      const noted = toNoted(error)
      this.#ready.reject(noted)
      this.#ended.reject(noted)
    }
    // Each has a reader only for a part of its life.
    this.#ready.promise.catch(() => undefined)
    this.#ended.promise.catch(() => undefined)
  }

  /** Settles when the server has stored the rows, or refused them. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Called by node-postgres when the server is ready for rows. */
  handleCopyInResponse(target: CopyTarget): void {
    this.#ready.resolve(target)
  }

  /** The stream for the rows, once the server is ready for them. */
  async open(): Promise<Writable> {
    const rows = streamTo(await this.#ready.promise, this.ended)
    this.#rows = rows
    // The server may refuse a row long before the last one is there.
    this.ended.catch((error) => rows.destroy(error))
    return rows
  }

  /** Takes the rows back, unless they are stored already. */
  abort(): void {
    this.#rows?.destroy(new Error('the transaction ended before its rows did'))
  }
}

function streamTo(target: CopyTarget, ended: Promise<void>): Writable {
  let isComplete = false
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { stream } = target
      if (!stream.writable) return done(failure('CONNECTION_CLOSED', 'the connection has closed'))
      target.sendCopyFromChunk(chunk)
      if (stream.writableNeedDrain) stream.once('drain', done)
      else done()
    },
    final(done) {
      isComplete = true
      target.endCopyFrom()
      ended.then(() => done(), done)
    },
    destroy(error, done) {
      if (!isComplete && target.stream.writable) target.sendCopyFail(error?.message ?? 'the rows ended too soon')
      // Only then is the connection free for the next statement.
      ended.then(
        () => done(error),
        () => done(error)
      )
    }
  })
}
