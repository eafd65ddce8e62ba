import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { metricsTable } from './metrics-table.ts'

/** `npm run docs:metrics`: writes docs/metrics.md. */
await writeFile(join(import.meta.dirname, '../docs/metrics.md'), metricsTable())
