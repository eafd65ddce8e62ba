#!/usr/bin/env node
import { main } from '../src/cli/main.ts'
import { processIo } from '../src/cli/process-io.ts'

process.exitCode = await main(process.argv.slice(2), processIo())
