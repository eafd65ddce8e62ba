#!/usr/bin/env node
import { main, tell } from '../src/cli/main.ts'
import { processIo } from '../src/cli/process-io.ts'

const argv = process.argv.slice(2)
const io = processIo()
// A file that changes while it is uploaded: no call of ours can catch what Node throws then.
process.once('uncaughtException', (error) => process.exit(tell(error, argv.includes('--json'), io)))
process.exitCode = await main(argv, io)
