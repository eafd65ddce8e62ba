import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeClientTypes } from './api-types.ts'

/** `npm run client:types` */
await writeFile(join(import.meta.dirname, '../packages/client/src/api-types.ts'), writeClientTypes())
