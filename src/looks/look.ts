import Type, { type Static } from 'typebox'
import { Nullable } from '../schemas/nullable.ts'

/** The name, colour and logo that pages and mails show. */
export interface Look {
  name: string
  /** As `#rrggbb`; null for the colour of Chappe. */
  colour: string | null
  logo: Logo | null
}

export interface Logo {
  mediaType: LogoType
  /** In hexadecimal. */
  sha256: string
}

export const LOGO_TYPES = ['image/png', 'image/jpeg'] as const
export type LogoType = (typeof LOGO_TYPES)[number]

/** The look of an installation whose operator has chosen none. */
export const BUILT_IN: Look = { name: 'Chappe', colour: null, logo: null }

/** The host names of a top-level account. */
export interface LookHosts {
  console: string | null
  links: string | null
}

export const NO_HOSTS: LookHosts = { console: null, links: null }

/** Where logos are fetched, without credentials. */
export const LOGOS_PATH = '/look/logo'

const ENDINGS: Record<LogoType, string> = { 'image/png': 'png', 'image/jpeg': 'jpg' }

/** Names the content, so browsers may keep it for good. */
export function logoName({ mediaType, sha256 }: Logo): string {
  return `${sha256.slice(0, 32)}.${ENDINGS[mediaType]}`
}

export function logoPath(logo: Logo | null): string | null {
  return logo && `${LOGOS_PATH}/${logoName(logo)}`
}

export const LookView = Type.Object(
  {
    is_own: Type.Boolean({
      description: 'Whether the top-level account has chosen this look; else it is that of the operator.'
    }),
    name: Type.String({ description: 'The name that pages and mails show.' }),
    colour: Nullable(
      Type.String({ description: 'Such as `#a61e4d`. The console makes readable shades of it. Null: Chappe’s blue.' })
    ),
    logo_path: Nullable(Type.String({ description: 'The path of the logo on this service; null without one.' })),
    console_url: Type.String({ description: 'The address of the console, which the operator sets.' }),
    link_url: Type.String({ description: 'The beginning of the short links in messages, which the operator sets.' })
  },
  { $id: 'Look' }
)

export const lookExample: Static<typeof LookView> = {
  is_own: true,
  name: 'Agence Durand',
  colour: '#a61e4d',
  logo_path: '/look/logo/5f2c9d0e8b7a6c5d4e3f2a1b0c9d8e7f.png',
  console_url: 'https://sms.agence.example/app',
  link_url: 'https://go.agence.example/s'
}
