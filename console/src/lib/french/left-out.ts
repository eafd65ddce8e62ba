import { type Sentence, translate } from './sentence.ts'

/** Why numbers are left out, in the order in which the service tells it; its parts are separated by commas. */
const PARTS: readonly Sentence[] = [
  [/^(\d+) invalid$/, '$1 invalides'],
  [/^(\d+) opted out$/, '$1 désinscrits'],
  [/^(\d+) without a consent$/, '$1 sans consentement'],
  [/^(\d+) that had as much marketing as the account allows$/, '$1 au-delà de la limite marketing'],
  [/^(\d+) that had enough messages within the hour$/, '$1 au-delà de la limite horaire'],
  [/^(\d+) in countries that this account may not write to$/, '$1 dans des pays interdits à ce compte'],
  [/^(\d+) without a price \((.+)\)$/, '$1 sans prix ($2)']
]

export function leftInFrench(parts: string): string {
  return parts
    .replace(/; a valid one is .*$/, '')
    .split(/, (?=\d)/)
    .map((part) => translate(PARTS, part) ?? part)
    .join(', ')
}
