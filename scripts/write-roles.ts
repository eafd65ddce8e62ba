import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolesTable } from './roles-table.ts'

/** `npm run docs:roles`: writes docs/roles.md. */
await writeFile(join(import.meta.dirname, '../docs/roles.md'), rolesTable())
