import { invalidInput } from '../errors.ts'
import { NOT_A_NUMBER, parsePhoneNumber } from './phone-number.ts'

/** The number that a path names. */
export function readNumber(text: string, country: string): string {
  const number = parsePhoneNumber(text, country)
  if (!number) throw invalidInput([{ path: 'number', message: NOT_A_NUMBER }])
  return number.e164
}
