import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { settingsTable } from './settings-table.ts'

/** `npm run docs:settings`: writes docs/settings.md. */
await writeFile(join(import.meta.dirname, '../docs/settings.md'), settingsTable())
