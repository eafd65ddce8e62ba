import { strict as assert } from 'node:assert'
import { registerHooks } from 'node:module'

/*
 * The driver `postgres` 3.4.9, mended while it is loaded: a restart of the database under load ended our process, or left a
 * request waiting for ever. Upstream: porsager/postgres #1154, #1208. Of several hosts, it took a standby for a server that
 * can be written to, and when none could be used it tried them for ever, without a pause and without telling anybody.
 * Everything that uses the driver imports it from here.
 */

type Mend = [broken: string, whole: string]

const MENDED: Record<string, Mend[]> = {
  'connection.js': [
    [
      // A statement for a connection that has closed fails; its socket is gone, and nobody could catch what that throws.
      `function nextWrite(fn) {
    const x = socket.write(chunk, fn)`,
      `function nextWrite(fn) {
    if (socket === null) {
      chunk = nextWriteTimer = null
      error(Errors.connection('CONNECTION_CLOSED', options))
      return false
    }
    const x = socket.write(chunk, fn)`
    ],
    [
      // Statements that leave in the same turn of the event loop travel in one write, as far as they fit: a write costs
      // more than most statements.
      'if (fn || chunk.length >= 1024)',
      'if (fn || chunk.length >= 65536)'
    ],
    [
      // What was not written yet must not become the beginning of the next connection.
      `    incomings = null
    clearImmediate(nextWriteTimer)`,
      `    incomings = null
    clearImmediate(nextWriteTimer)
    chunk = nextWriteTimer = null`
    ],
    [
      // Whatever still waited for this connection fails with it. What was left would be taken for the first statement of
      // the next connection, whose answers then went to the wrong one.
      `    if (initial)
      return reconnect()

    !hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))`,
      `    const gone = Errors.connection('CONNECTION_CLOSED', options)
    stream && (stream.destroy(gone), stream = null)
    final && (final(gone), final = null)
    query && queryError(query, gone)
    while (sent.length)
      queryError(sent.shift(), gone)
    query = results = errorResponse = null

    // A server, or what stands before it, that takes a connection and closes it again was tried for ever.
    if (initial && tried < port.length)
      return reconnect()
    if (initial) {
      queryError(initial, gone)
      initial = null
      hadError = true
    }
`
    ],
    [
      // How many of the hosts were tried for the statement that waits for this connection.
      `    , hostIndex = 0
`,
      `    , hostIndex = 0
    , tried = 0
    , abandoned = false
`
    ],
    [
      `      initial = query
      reconnect()`,
      `      initial = query
      tried = 0
      reconnect()`
    ],
    [
      // What the watch over connections looks at (watch.ts).
      `    count: 0,
    id
  }
`,
      `    count: 0,
    id,
    look: () => ({ socket, pid: backend.pid, isAsking: !!(query || sent.length), isEnding: terminated }),
    abandon() {
      abandoned = true
      socket && socket.destroy()
    }
  }
`
    ],
    [
      `    terminated = false
    backendParameters = {}`,
      `    if (abandoned)
      return
    terminated = false
    backendParameters = {}`
    ],
    [
      // Each round begins with the host that was the right one last.
      `    connectTimer.start()

    if (options.socket)`,
      `    connectTimer.start()
    hostIndex = ((options.shared.host || 0) + tried++) % port.length

    if (options.socket)`
    ],
    [
      `    socket.port = port[hostIndex]

    hostIndex = (hostIndex + 1) % port.length
`,
      `    socket.port = port[hostIndex]
`
    ],
    [
      `    errored(Errors.connection('CONNECT_TIMEOUT', options, socket))
    socket.destroy()`,
      `    error(Errors.connection('CONNECT_TIMEOUT', options, socket))
    socket && socket.destroy()`
    ],
    [
      // Nobody is told while there is another host to try.
      'if (connection.queue === queues.connecting && options.host[retries + 1])',
      'if (initial && tried < port.length && !terminated)'
    ],
    [
      `        else if (tryNext(target_session_attrs, backendParameters))
          return terminate()
      }
`,
      `        else if (tryNext(target_session_attrs, backendParameters)) {
          error(Errors.generic('25006', 'the server takes no writes: it is a standby, or read-only'))
          return socket.destroy()
        }
      }
      options.shared.host = hostIndex
`
    ],
    [
      // Since PostgreSQL 14 a standby says so by in_hot_standby alone.
      `(x === 'read-write' && xs.default_transaction_read_only === 'on') ||`,
      `(x === 'read-write' && (xs.default_transaction_read_only === 'on' || xs.in_hot_standby === 'on')) ||`
    ],
    [
      `      errorResponse = Errors.postgres(parseError(x))
    } else {
      errored(Errors.postgres(parseError(x)))
    }`,
      `      errorResponse = Errors.postgres(parseError(x))
      options.onfailure && options.onfailure(errorResponse)
    } else {
      // A server that starts, stops or is full: another host may do. A wrong password is wrong everywhere.
      const failure = Errors.postgres(parseError(x))
      ;/^5[37]/.test(failure.code) ? error(failure) : errored(failure)
    }`
    ],
    [
      // Somebody has ended a commit's wait for the synchronous standby. PostgreSQL calls it done, with a warning; a failover
      // would lose it, so to us it is not.
      `  function NoticeResponse(x) {
`,
      `  function NoticeResponse(x) {
    if (query && parseError(x).routine === 'SyncRepWaitForLSN')
      errorResponse = Errors.generic('08007', 'the commit was not confirmed by the synchronous standby')
`
    ],
    [
      // A connection that closes while it asks for its types: whoever waits for it is told elsewhere, and nobody catches this.
      'return fetchArrayTypes()',
      'return fetchArrayTypes().catch(() => undefined)'
    ],
    [
      // What the server says against a COPY after its last row: nobody was told, and the COPY waited for ever.
      `    stream && (stream.destroy(err), stream = null)
    query && queryError(query, err)
    initial &&`,
      `    stream && (stream.destroy(err), stream = null)
    final && (final(err), final = null)
    query && queryError(query, err)
    initial &&`
    ],
    [
      // A COPY whose connection has closed has nobody left to tell that it failed.
      `  function CopyInResponse() {
    stream = new Stream.Writable({
      autoDestroy: true,
      write(chunk, encoding, callback) {
        socket.write(b().d().raw(chunk).end(), callback)
      },
      destroy(error, callback) {
        callback(error)
        socket.write(b().f().str(error + b.N).end())
        stream = null
      },`,
      `  function CopyInResponse() {
    stream = new Stream.Writable({
      autoDestroy: true,
      write(chunk, encoding, callback) {
        socket
          ? socket.write(b().d().raw(chunk).end(), callback)
          : callback(Errors.connection('CONNECTION_CLOSED', options))
      },
      destroy(error, callback) {
        callback(error)
        error && socket && socket.write(b().f().str(error + b.N).end())
        stream = null
      },`
    ]
  ],
  'index.js': [
    [
      `    options,
    reserve,`,
      `    options,
    connections,
    reserve,`
    ],
    [
      'onclose         : o.onclose,',
      `onclose         : o.onclose,
    onfailure       : o.onfailure,`
    ],
    [
      // When a connection can't be made and there is no other, those who wait for one are told now: one after the other,
      // each would wait for an attempt of its own.
      `  function onclose(c, e) {
    move(c, closed)`,
      `  function onclose(c, e) {
    if (c.queue === connecting && open.length + busy.length + full.length + reserved.length === 0)
      while (queries.length)
        queries.shift().reject(e)
    move(c, closed)`
    ],
    // A transaction whose connection has closed is over. Its rollback went to the same connection, which by then may be
    // opening anew for somebody else, whose statement then never got an answer.
    [
      `    let savepoints = 0
      , connection`,
      `    let savepoints = 0
      , lost = null
      , connection`
    ],
    [
      'new Promise((_, reject) => connection.onclose = reject)',
      `new Promise((_, reject) => connection.onclose = e => {
          lost = e
          while (queries.length)
            queries.shift().reject(e)
          reject(e)
        })`
    ],
    [
      `        q.catch(e => uncaughtError || (uncaughtError = e))
`,
      `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (lost)
          return q.reject(lost)
`
    ]
  ]
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const file = /\/postgres\/src\/(\w+\.js)$/.exec(url)?.[1]
    const mends = file === undefined ? undefined : MENDED[file]
    if (!mends) return loaded
    let source = String(loaded.source)
    for (const [broken, whole] of mends) {
      assert.equal(source.split(broken).length, 2, 'the driver has changed: see whether it still needs to be mended')
      source = source.replace(broken, () => whole)
    }
    return { ...loaded, source }
  }
})

const { default: postgres } = await import('postgres')

export { postgres }
