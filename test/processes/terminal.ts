import { spawn } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { createRequire } from 'node:module'

/*
 * Runs a command in a terminal of its own, whose keyboard is our standard input and whose screen is our standard output:
 * what script(1) does, for machines without it. Needs `node --experimental-ffi`, since Node can't make a terminal itself.
 */

interface Functions {
  posix_openpt(flags: number): number
  grantpt(fd: number): number
  unlockpt(fd: number): number
  ptsname(fd: number): bigint
}

const READ_AND_WRITE = 2 // O_RDWR, the same on Linux and macOS.

// Imported by name, types and bundlers would ask for a module that is not there without the flag.
const ffi = createRequire(import.meta.url)('node:ffi')
const int = { arguments: ['i32'], return: 'i32' }
const libc: Functions = ffi.dlopen(null, {
  posix_openpt: int,
  grantpt: int,
  unlockpt: int,
  ptsname: { arguments: ['i32'], return: 'pointer' }
}).functions

const master = libc.posix_openpt(READ_AND_WRITE)
if (master < 0 || libc.grantpt(master) !== 0 || libc.unlockpt(master) !== 0) throw new Error('no terminal can be made')
const terminal: string = ffi.toString(libc.ptsname(master))

// In a session of its own, the first terminal that the shell opens becomes the session's: Ctrl-C is a signal then.
const child = spawn('/bin/sh', ['-c', 'exec "$@" <"$0" >"$0" 2>&1', terminal, ...process.argv.slice(2)], {
  detached: true,
  stdio: 'ignore'
})
const screen = createReadStream('', { fd: master, autoClose: false })
screen.on('error', () => undefined) // EIO: nobody has the terminal open any more.
screen.pipe(process.stdout)
process.stdin.pipe(createWriteStream('', { fd: master, autoClose: false }))
child.once('exit', (code) => process.exit(code ?? 1))
