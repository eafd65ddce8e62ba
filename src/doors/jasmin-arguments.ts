import type { Arguments } from './arguments.ts'
import { rejected } from './door.ts'

/* The arguments that Jasmin takes, in its order and with its patterns. User names and passwords may be longer here. */

interface Argument {
  isRequired?: true
  pattern?: RegExp
}

type ArgumentTable = Readonly<Record<string, Argument>>

export const USER_ARGUMENTS: ArgumentTable = {
  username: { isRequired: true, pattern: /^.{1,128}$/ },
  password: { isRequired: true, pattern: /^.{1,128}$/ }
}

const MESSAGE_ARGUMENTS: ArgumentTable = {
  to: { isRequired: true, pattern: /^\+?\d+$/ },
  from: {},
  coding: { pattern: /^(?:\d|10|13|14)$/ },
  ...USER_ARGUMENTS,
  priority: { pattern: /^[0-3]$/ },
  'validity-period': { pattern: /^\d+$/ },
  tags: { pattern: /^[-a-zA-Z0-9,]*$/ },
  content: {},
  'hex-content': {}
}

export const RATE_ARGUMENTS = MESSAGE_ARGUMENTS

export const SEND_ARGUMENTS: ArgumentTable = {
  ...MESSAGE_ARGUMENTS,
  sdt: { pattern: /^\d{15}[-+R]$/ },
  dlr: { pattern: /^(?:yes|no)$/ },
  'dlr-url': { pattern: /^https?:\/\/.*$/ },
  'dlr-level': { pattern: /^[1-3]$/ },
  'dlr-method': { pattern: /^(?:get|post)$/i }
}

const SHOWN_LENGTH_MAX = 200

/** Refuses missing, wrong and unknown arguments, in Jasmin's words. */
export function checkArguments(given: Arguments, table: ArgumentTable): void {
  const { names } = given
  const isKnown = (name: string) => Object.hasOwn(table, name)
  const [first] = names
  if (first === undefined) {
    throw rejected('Mandatory arguments not found, please refer to the HTTPAPI specifications.')
  }
  // Jasmin looks at its first argument, then at all that it knows, then at the other arguments.
  if (!isKnown(first)) throw unknown(first)
  for (const [name, { isRequired, pattern }] of Object.entries(table)) {
    const value = given.text(name)
    if (value !== undefined && pattern && !pattern.test(value)) {
      const shown = name === 'password' ? '' : value.slice(0, SHOWN_LENGTH_MAX)
      throw rejected(`Argument [${name}] has an invalid value: [${shown}].`)
    }
    if (value === undefined && isRequired) throw rejected(`Mandatory argument [${name}] is not found.`)
  }
  const other = names.find((name) => !isKnown(name))
  if (other !== undefined) throw unknown(other)
}

function unknown(name: string) {
  return rejected(`Argument [${name.slice(0, SHOWN_LENGTH_MAX)}] is unknown.`)
}
