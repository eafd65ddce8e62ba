import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeConsoleTypes } from './api-types.ts'

/** `npm run console:types` */
await writeFile(join(import.meta.dirname, '../console/src/lib/api-types.ts'), writeConsoleTypes())
