import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeCollection } from './collection.ts'

/** `npm run docs:collection` */
await writeFile(join(import.meta.dirname, '../docs/examples/chappe.postman_collection.json'), writeCollection())
