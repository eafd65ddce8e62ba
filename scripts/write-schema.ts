import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../src/database/database.ts'
import { dumpSchema } from '../src/database/dump-schema.ts'
import { startEmbeddedServer } from '../src/database/embedded-server.ts'
import { migrate } from '../src/database/migrate.ts'

/** `npm run schema`: writes src/database/schema.sql from the migrations. */
const folder = await mkdtemp(join(tmpdir(), 'chappe-schema-'))
const server = await startEmbeddedServer(folder)
try {
  const database = connect({ url: server.url, applicationName: 'schema', connectionsMax: 1 })
  await migrate(database)
  await writeFile(join(import.meta.dirname, '../src/database/schema.sql'), await dumpSchema(database))
  await database.close(1)
} finally {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}
