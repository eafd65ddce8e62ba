import type { PhoneNumber } from '../phone-numbers/phone-number.ts'
import type { Calendar, MetropolitanCalendar } from './holidays.ts'

/** A part of France that shares its clock and its holidays. There is one object for each, so a group can have it as key. */
export interface FrenchTerritory {
  timeZone: string
  calendar: Calendar
}

/**
 * The part of France of a number; undefined if abroad. Metropolitan mobiles have no region: the account says whether they keep the
 * holidays of Alsace-Moselle.
 */
export function frenchTerritoryOf(
  { country }: Pick<PhoneNumber, 'country'>,
  { calendar }: { calendar: MetropolitanCalendar }
): FrenchTerritory | undefined {
  return country === 'FR' ? METROPOLITAN[calendar] : OVERSEAS.get(country)
}

/** Whether a country is France or one of its territories. */
export function isFrench(country: string): boolean {
  return country === 'FR' || OVERSEAS.has(country)
}

const METROPOLITAN: Record<MetropolitanCalendar, FrenchTerritory> = {
  national: { timeZone: 'Europe/Paris', calendar: 'national' },
  'alsace-moselle': { timeZone: 'Europe/Paris', calendar: 'alsace-moselle' }
}

/**
 * By the country of the phone library, which tells Mayotte from La Réunion. Mobiles of Saint-Martin and Saint-Barthélemy
 * are numbered like those of Guadeloupe and taken for them: the clock is the same, some holidays are not.
 */
const OVERSEAS = new Map<string, FrenchTerritory>([
  ['GP', { timeZone: 'America/Guadeloupe', calendar: 'guadeloupe' }],
  ['MQ', { timeZone: 'America/Martinique', calendar: 'martinique' }],
  ['GF', { timeZone: 'America/Cayenne', calendar: 'guyane' }],
  ['RE', { timeZone: 'Indian/Reunion', calendar: 'reunion' }],
  ['YT', { timeZone: 'Indian/Mayotte', calendar: 'mayotte' }],
  ['BL', { timeZone: 'America/St_Barthelemy', calendar: 'saint-barthelemy' }],
  ['MF', { timeZone: 'America/Marigot', calendar: 'saint-martin' }],
  ['PM', { timeZone: 'America/Miquelon', calendar: 'national' }],
  ['NC', { timeZone: 'Pacific/Noumea', calendar: 'nouvelle-caledonie' }],
  // No number tells the Marquesas (30 minutes ahead of Tahiti) or the Gambier Islands (an hour).
  ['PF', { timeZone: 'Pacific/Tahiti', calendar: 'polynesie' }],
  ['WF', { timeZone: 'Pacific/Wallis', calendar: 'wallis-et-futuna' }]
])
