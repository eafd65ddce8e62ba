import { domainToASCII } from 'node:url'
import { type InputProblem, invalidInput } from '../errors.ts'
import type { LookHosts } from './look.ts'

const LENGTH_MAX = 253
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A host name in the form of DNS, or undefined if the text is none. An address of digits is none. */
export function readHostName(text: string): string | undefined {
  // It would read an address of digits in other forms, and cut an address off at a slash.
  if (/[/:@?#\\\s]/.test(text)) return undefined
  const host = domainToASCII(text)
  const labels = host.split('.')
  const isWhole = labels.length > 1 && host.length <= LENGTH_MAX && labels.every((label) => LABEL.test(label))
  return isWhole && !/^\d+$/.test(labels.at(-1) ?? '') ? host : undefined
}

/** The host names of a request, checked; all mistakes are told together. */
export function readHosts(given: LookHosts, ownHosts: readonly string[]): LookHosts {
  const problems: InputProblem[] = []
  function read(path: 'console_host' | 'link_host', text: string | null): string | null {
    if (text === null) return null
    const host = readHostName(text.trim())
    if (host === undefined) {
      problems.push({ path, message: 'must be a host name such as sms.agence.example, without https:// and a path' })
    } else if (ownHosts.includes(host)) problems.push({ path, message: 'is the operator’s own host name' })
    return host ?? null
  }
  const hosts = { console: read('console_host', given.console), links: read('link_host', given.links) }
  if (hosts.console !== null && hosts.console === hosts.links) {
    problems.push({ path: 'link_host', message: 'is the host of the console already: leave it null' })
  }
  if (problems.length > 0) throw invalidInput(problems)
  return hosts
}
