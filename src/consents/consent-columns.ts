import { columnKey } from '../spreadsheets/columns.ts'
import type { Spreadsheet } from '../spreadsheets/spreadsheet.ts'
import {
  CONSENT_CHANNELS,
  CONSENT_SOURCES,
  type ConsentChannel,
  type ConsentSource,
  MARKETING,
  type NewConsent,
  PROOF_MAX,
  PURPOSE_MAX,
  WORDING_MAX
} from './consent.ts'
import { isInFuture, readGivenAt } from './given-at.ts'

/* The columns of a file of consents, by their titles in French and English. */

type Field = 'date' | 'source' | 'wording' | 'proof' | 'purpose' | 'channel' | 'withdrawn'

const TITLES: Record<Field, string[]> = {
  date: ['date', 'givenat', 'consentdate', 'consentedat', 'optindate', 'dateoptin', 'dateconsentement', 'dateaccord'],
  source: ['source', 'origin', 'origine', 'collecte'],
  wording: ['wording', 'text', 'texte', 'mention', 'formulation', 'libelle'],
  proof: ['proof', 'preuve', 'justificatif', 'url', 'lien'],
  purpose: ['purpose', 'finalite', 'but'],
  channel: ['channel', 'canal'],
  // Extracts have it. A person who withdrew a consent must not get it back by a file.
  withdrawn: ['withdrawnat', 'dateretrait', 'retireele']
}

const SOURCES: Record<string, ConsentSource> = {
  ...Object.fromEntries(CONSENT_SOURCES.map((source) => [source, source])),
  formulaire: 'form',
  web: 'form',
  site: 'form',
  boutique: 'shop',
  magasin: 'shop',
  store: 'shop',
  motcle: 'keyword'
}

const CHANNELS: Record<string, ConsentChannel> = {
  ...Object.fromEntries(CONSENT_CHANNELS.map((channel) => [channel, channel])),
  tous: 'all'
}

export type ConsentCells = Omit<NewConsent, 'phone'>

type Positions = Partial<Record<Field, number>>

/** Of two columns for one field, the first counts. */
export function toConsentColumns({ columns, numberColumn }: Spreadsheet): Positions {
  const positions: Positions = {}
  for (const { name, position } of columns) {
    if (position === numberColumn.position) continue
    const key = columnKey(name)
    for (const [field, titles] of Object.entries(TITLES) as [Field, string[]][]) {
      if (titles.includes(key)) positions[field] ??= position
    }
  }
  return positions
}

interface Defaults {
  purpose?: string
  channel?: ConsentChannel
  source?: ConsentSource
  wording?: string
  proof?: string
  givenAt: Date | undefined
}

/** Reads the consent of one row, or tells which cell is wrong. */
export function readConsentCells(
  positions: Positions,
  defaults: Defaults,
  now: Date
): (cells: readonly string[]) => ConsentCells | { problem: string; value: string } {
  return (cells) => {
    const cell = (field: Field) => {
      const position = positions[field]
      return position === undefined ? '' : (cells[position - 1] ?? '').trim()
    }
    const [date, source, channel] = [cell('date'), cell('source'), cell('channel')]
    const withdrawn = cell('withdrawn')
    if (withdrawn !== '') return { problem: 'was withdrawn', value: withdrawn }
    const givenAt = date === '' ? defaults.givenAt : readGivenAt(date)
    if (!givenAt) return { problem: date === '' ? 'no date' : 'not a date', value: date }
    if (isInFuture(givenAt, now)) return { problem: 'a date in the future', value: date }
    const knownSource = source === '' ? (defaults.source ?? 'import') : SOURCES[columnKey(source)]
    if (!knownSource) return { problem: `not one of ${CONSENT_SOURCES.join(', ')}`, value: source }
    const knownChannel = channel === '' ? (defaults.channel ?? 'all') : CHANNELS[columnKey(channel)]
    if (!knownChannel) return { problem: `not one of ${CONSENT_CHANNELS.join(', ')}`, value: channel }
    const wording = cell('wording') || (defaults.wording ?? '')
    const proof = cell('proof') || (defaults.proof ?? '')
    const purpose = cell('purpose') || (defaults.purpose ?? MARKETING)
    if (wording.length > WORDING_MAX) return { problem: 'too long a wording', value: wording }
    if (proof.length > PROOF_MAX) return { problem: 'too long a proof', value: proof }
    if (purpose.length > PURPOSE_MAX) return { problem: 'too long a purpose', value: purpose }
    return { purpose, channel: knownChannel, source: knownSource, givenAt, wording, proof }
  }
}
