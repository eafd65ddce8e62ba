import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** Room for 100,000 numbers; a larger file is not a carriers file. */
const BYTES_MAX = 2 * 1024 * 1024

/** The text of a file, or its problem, in words that follow its name. A byte order mark is left out. */
export function readText(path: string): { text: string } | { problem: string } {
  try {
    const stats = statSync(path)
    // A pipe or a device could keep us waiting for ever.
    if (!stats.isFile()) return { problem: "can't be read: it is no file" }
    if (stats.size > BYTES_MAX) return { problem: `is larger than ${BYTES_MAX / 1024 / 1024} MiB` }
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8 text' : toReadProblem(error) }
  }
}

/** Why a file could not be read, in words that follow its name. */
export function toReadProblem(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return `can't be read: ${SYSTEM_ERRORS[code] ?? message}`
}

const SYSTEM_ERRORS: Record<string, string> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is no file',
  EACCES: 'access is denied',
  ERR_INVALID_ARG_VALUE: 'that is no name of a file'
}

/** The certificates to trust, or the problem of the file. */
export function readCertificates(folder: string, name: string): { text: string } | { problem: string } {
  const read = readText(resolve(folder, name))
  if ('problem' in read || CERTIFICATE.test(read.text)) return read
  return { problem: 'holds no certificate in PEM' }
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/

/** Whether it is an http or https address. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol)
}
