import { rejected } from './door.ts'

/* Times of SMPP (3.4, paragraph 7.1.1): YYMMDDhhmmsstnnp. `R` is from now on; + and - are quarters of an hour to UTC. */

const FORM = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d)(\d\d)([-+R])$/
const QUARTER_MS = 15 * 60_000
const CENTURY = 2000

/** The moment of a scheduled delivery time. */
export function readMoment(text: string, now: Date): Date {
  const found = FORM.exec(text)
  if (!found) throw wrong(text)
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0, tenths = 0, quarters = 0] = found
    .slice(1, 9)
    .map(Number)
  if (found[9] === 'R') {
    const later = new Date(now)
    later.setUTCFullYear(later.getUTCFullYear() + years, later.getUTCMonth() + months, later.getUTCDate() + days)
    return new Date(later.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000 + tenths * 100)
  }
  const sign = found[9] === '+' ? 1 : -1
  const moment = Date.UTC(CENTURY + years, months - 1, days, hours, minutes, seconds, tenths * 100)
  // A date that does not exist becomes another one.
  const written = new Date(moment).toISOString().replaceAll(/\D/g, '').slice(2, 14)
  if (written !== text.slice(0, 12)) throw wrong(text)
  return new Date(moment - sign * quarters * QUARTER_MS)
}

function wrong(text: string) {
  return rejected(`Argument [sdt] has an invalid value: [${text}].`)
}
