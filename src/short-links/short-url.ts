import Type, { type Static } from 'typebox'
import type { InputProblem } from '../errors.ts'
import { readWebAddress, WEB_ADDRESS_LENGTH_MAX } from '../web-addresses/web-address.ts'

const SHORT_URL_MODES = ['unique', 'common'] as const
export type ShortUrlMode = (typeof SHORT_URL_MODES)[number]

export const ShortUrl = Type.Object(
  {
    mode: Type.Enum(SHORT_URL_MODES, {
      description: '`unique`: a link for each recipient; `common`: one for all.'
    }),
    url: Type.String({
      maxLength: WEB_ADDRESS_LENGTH_MAX,
      description: 'Where the link leads: an http or https address. A `unique` one may hold `#name#`, percent-encoded.'
    })
  },
  { $id: 'shortUrlDto' }
)
export type ShortUrl = Static<typeof ShortUrl>

/** Problems of the address that a schema cannot find. */
export function checkShortUrl({ url }: ShortUrl, path = 'shorturl'): InputProblem[] {
  const read = readWebAddress(url)
  return 'problem' in read ? [{ path: `${path}.url`, message: read.problem }] : []
}

/** Stands in place of the address of a link that opts its recipient out. No customer can give it: it is no web address. */
export const OPT_OUT_TARGET = 'chappe:stop'
