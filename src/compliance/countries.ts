/*
 * What operators and regulators publish on senders and marketing, country by country, with the publication and its date.
 * This file holds data only; `country-rules.ts` and `allowed-hours.ts` apply it. A country that is not listed gets
 * ELSEWHERE. Where a publication leaves a doubt, `note` says so, and the stricter reading stands in the data.
 */

export interface CountryRules {
  /** ISO 3166. */
  country: string
  /** Territories with the same rules, by the codes of the phone library. */
  territories: readonly string[]
  /** The address of the publication; empty for the rules of countries that are not listed. */
  source: string
  /** The date of the publication or, for a law that is amended, of its last change that these rules know. */
  date: string
  names: NameRules
  /** Short codes that are meant for one kind of message. */
  shortCodes: readonly ShortCodes[]
  /** What numbers can do as senders. */
  numbers: string
  /** Null where no publication bounds the hours of marketing by SMS. */
  hours: Hours | null
  /** Whether marketing must say how to opt out. */
  optOut: 'required' | 'advised'
  tolerated: readonly string[]
  forbidden: readonly string[]
  /** What is uncertain, or left to the people who send. Empty for nothing. */
  note: string
}

export interface NameRules {
  /**
   * `allowed`: any name of the right form. `registered`: only a name that stands in the country's register, which Chappe
   * can't see. `none`: the networks show no names.
   */
  status: 'allowed' | 'registered' | 'none'
  /** The form that operators take. */
  form: keyof typeof NAME_FORMS
  /** The register and its address, for people. */
  register: string
}

export interface ShortCodes {
  prefix: string
  digits: number
  use: 'marketing' | 'transactional'
}

/** A kind of day: `advised-against` is for accounts that turn it on. */
export type Day = 'allowed' | 'advised-against' | 'forbidden'

/** By the clock on the wall of the recipient. */
export interface Hours {
  start: string
  /** Up to but not including this time, unless the account sets another. */
  end: string
  /** The latest end that an account may set; equal to `end` where it may set none. */
  endMax: string
  sundays: Day
  holidays: Day
  /**
   * The time zones of each place. Marketing leaves when all zones of its place are within the hours: a number does not
   * tell more. France is not here: its zones have calendars too.
   */
  zones: Readonly<Record<string, readonly string[]>>
}

/** 11 is what the address field of GSM 03.40 holds of 7-bit characters. */
export const NAME_FORMS = {
  plain: { pattern: /^(?=.*[A-Za-z])[A-Za-z0-9]{3,11}$/, words: '3 to 11 letters and digits' },
  signs: {
    pattern: /^(?! )(?=.*[A-Za-z])[A-Za-z0-9 ._-]{3,11}(?<! )$/,
    words: '3 to 11 letters, digits, spaces, dots, dashes and underscores'
  },
  'six-letters': { pattern: /^[A-Za-z]{6}$/, words: '6 letters' }
} as const

const ALLOWED: NameRules = { status: 'allowed', form: 'signs', register: '' }
const NO_NAMES: NameRules = { status: 'none', form: 'signs', register: '' }
const REGISTERED = (register: string): NameRules => ({ status: 'registered', form: 'signs', register })
const OWN_NUMBERS = 'Numbers and short codes of this service.'
const CONSENT = 'Marketing without the consent that the law asks for.'

/** For countries that are not listed: no rule of ours stops messages that their operators would take. */
export const ELSEWHERE: CountryRules = {
  country: '',
  territories: [],
  source: '',
  date: '2026-11-16',
  names: ALLOWED,
  shortCodes: [],
  numbers: OWN_NUMBERS,
  hours: null,
  optOut: 'required',
  tolerated: [],
  forbidden: [],
  note: 'Nobody has collected the rules of this country for Chappe: ask your carrier before a campaign.'
}

export const FRANCE: CountryRules = {
  country: 'FR',
  territories: ['GP', 'MQ', 'GF', 'RE', 'YT', 'BL', 'MF', 'PM', 'NC', 'PF', 'WF'],
  source:
    'https://af2m.org/la-charte-de-deontologie-applicable-aux-services-de-business-messaging-est-effective-depuis-le-1er-septembre-2024',
  date: '2026-03-01',
  names: { status: 'allowed', form: 'plain', register: '' },
  shortCodes: [
    { prefix: '36', digits: 5, use: 'marketing' },
    { prefix: '38', digits: 5, use: 'transactional' }
  ],
  numbers: 'Short codes and numbers of this service; never a mobile number (06, 07).',
  hours: {
    start: '08:00',
    end: '20:00',
    endMax: '21:30',
    sundays: 'advised-against',
    holidays: 'advised-against',
    zones: {}
  },
  optOut: 'required',
  tolerated: [
    'Marketing until 21:30, for an account that sets it.',
    'Marketing on Sundays and public holidays, for an account that turns it on; the charter advises against it.'
  ],
  forbidden: ['Names with spaces or signs.', 'Mobile numbers (06, 07) as senders.', CONSENT],
  note: 'The address is that of the association’s page on its charter; the edition of March 2026 goes to its members.'
}

export const COUNTRIES: readonly CountryRules[] = [
  FRANCE,
  {
    ...ELSEWHERE,
    country: 'GB',
    territories: ['GG', 'JE', 'IM'],
    source: 'https://ico.org.uk/for-organisations/direct-marketing-and-privacy-and-electronic-communications/',
    date: '2003-12-11',
    forbidden: [CONSENT, 'Hiding who sends a marketing message.'],
    note: 'The Privacy and Electronic Communications Regulations 2003 set no hours. Operators block names of banks and public bodies from others.'
  },
  {
    ...ELSEWHERE,
    country: 'DE',
    source: 'https://www.gesetze-im-internet.de/uwg_2004/__7.html',
    date: '2021-10-01',
    forbidden: [CONSENT, 'Hiding who sends a marketing message.'],
    note: 'Section 7 of the UWG sets no hours for SMS.'
  },
  {
    ...ELSEWHERE,
    country: 'ES',
    source: 'https://www.boe.es/buscar/doc.php?id=BOE-A-2025-2870',
    date: '2025-02-15',
    names: REGISTERED('Registro de Alias of the CNMC, https://www.cnmc.es'),
    forbidden: [CONSENT, 'Names that are not in the register: operators block them.', 'Generic names.'],
    note: 'Order TDF/149/2025. Operators block other names since 2026; two dates were announced, 7 June and 15 September.'
  },
  {
    ...ELSEWHERE,
    country: 'IT',
    territories: ['VA'],
    source: 'https://www.agcom.it/node/1149/printable/print',
    date: '2013-10-16',
    names: REGISTERED('Registro Alias of AGCOM, https://alias.agcom.it'),
    forbidden: [CONSENT, 'Names that are not in the register.', 'Names of public bodies, for others.'],
    note: 'Resolution 42/13/CIR and those after it. The register tells upper from lower case.'
  },
  {
    ...ELSEWHERE,
    country: 'BE',
    source: 'https://www.bipt.be',
    date: '2026-11-16',
    forbidden: [CONSENT],
    note: 'The address is that of the regulator. Operators may ask for proof of a name; no hours are published for SMS.'
  },
  {
    ...ELSEWHERE,
    country: 'NL',
    source: 'https://wetten.overheid.nl/BWBR0009950/',
    date: '2021-07-01',
    forbidden: [CONSENT, 'Hiding who sends a marketing message.'],
    note: 'Article 11.7 of the Telecommunicatiewet sets no hours for SMS.'
  },
  {
    ...ELSEWHERE,
    country: 'CH',
    source: 'https://www.fedlex.admin.ch/eli/cc/1988/223_223_223/de',
    date: '2021-01-01',
    forbidden: [CONSENT, 'Marketing without the right sender or an easy opt-out free of charge.'],
    note: 'Article 3, paragraph 1, letter o of the UWG sets no hours for SMS.'
  },
  {
    ...ELSEWHERE,
    country: 'PT',
    source: 'https://www.anacom.pt',
    date: '2026-11-16',
    forbidden: [CONSENT],
    note: 'Law 41/2004, article 13-A, asks for consent and sets no hours. The address is that of the regulator.'
  },
  {
    ...ELSEWHERE,
    country: 'IE',
    source: 'https://www.comreg.ie',
    date: '2025-07-03',
    names: REGISTERED('SMS Sender ID Registry of ComReg, https://www.comreg.ie'),
    forbidden: [CONSENT, 'Names that are not in the register: phones show “Likely Scam” instead.'],
    note: 'Blocking was announced for 3 October 2025 and put off; the stricter reading stands here. The address is that of the regulator.'
  },
  {
    ...ELSEWHERE,
    country: 'PL',
    source: 'https://isap.sejm.gov.pl/isap.nsf/DocDetails.xsp?id=WDU20230001703',
    date: '2023-08-24',
    forbidden: [CONSENT, 'Names of public bodies, and look-alikes of them: operators block them.'],
    note: 'The Act on combating abuse in electronic communication protects names of public bodies. Others need no register.'
  },
  {
    ...ELSEWHERE,
    country: 'US',
    territories: ['PR', 'VI', 'GU', 'AS', 'MP'],
    source: 'https://www.ecfr.gov/current/title-47/section-64.1200',
    date: '2024-03-26',
    names: NO_NAMES,
    numbers: 'Short codes, toll-free numbers and registered 10-digit numbers of this service.',
    hours: {
      start: '08:00',
      end: '21:00',
      endMax: '21:00',
      sundays: 'allowed',
      holidays: 'allowed',
      zones: {
        US: ['America/New_York', 'America/Los_Angeles'],
        'US-AK': ['America/Anchorage', 'America/Adak'],
        'US-HI': ['Pacific/Honolulu'],
        PR: ['America/Puerto_Rico'],
        VI: ['America/St_Thomas'],
        GU: ['Pacific/Guam'],
        AS: ['Pacific/Pago_Pago'],
        MP: ['Pacific/Saipan']
      }
    },
    forbidden: [CONSENT, 'Names as senders.'],
    note: 'A number does not tell its time zone: on the mainland, marketing leaves while it is between 8:00 and 21:00 in New York and in Los Angeles. Some states, such as Texas and Florida, end earlier or begin later on Sundays.'
  },
  {
    ...ELSEWHERE,
    country: 'CA',
    source: 'https://laws-lois.justice.gc.ca/eng/acts/E-1.6/',
    date: '2014-07-01',
    names: NO_NAMES,
    numbers: 'Short codes, toll-free numbers and 10-digit numbers of this service.',
    forbidden: [CONSENT, 'Names as senders.', 'Marketing without the name of the sender and a way to opt out.'],
    note: 'The anti-spam law (CASL) sets no hours; those of the rules on telemarketing are for calls.'
  },
  {
    ...ELSEWHERE,
    country: 'IN',
    source: 'https://www.trai.gov.in',
    date: '2025-02-12',
    names: {
      status: 'registered',
      form: 'six-letters',
      register: 'Headers on the DLT platform of an Indian operator, with the templates of the texts'
    },
    hours: {
      start: '10:00',
      end: '21:00',
      endMax: '21:00',
      sundays: 'allowed',
      holidays: 'allowed',
      zones: { IN: ['Asia/Kolkata'] }
    },
    forbidden: [CONSENT, 'Headers and texts that are not registered.'],
    note: 'Telecom Commercial Communications Customer Preference Regulations, 2018, as amended in 2025; the address is that of the regulator. A person may choose narrower hours, which only the Indian operators know. Headers of marketing are often numeric: ask the operator.'
  },
  {
    ...ELSEWHERE,
    country: 'SG',
    source:
      'https://www.sgnic.sg/announcements/sgnic-news/announcement-details/2023/04/10/sender-ids-not-registered-with-the-ssir-will-be-blocked-after-six-months-transition-period-from-31-january-2023',
    date: '2023-01-31',
    names: REGISTERED('Singapore SMS Sender ID Registry (SSIR), https://www.sgnic.sg'),
    forbidden: [CONSENT, 'Names that are not in the register.'],
    note: 'Marketing also needs a check of the Do Not Call Registry. No hours are published for SMS.'
  },
  {
    ...ELSEWHERE,
    country: 'AU',
    territories: ['CX', 'CC'],
    source: 'https://www.acma.gov.au/sms-sender-id-register',
    date: '2026-07-01',
    names: REGISTERED('SMS Sender ID Register of the ACMA, https://www.acma.gov.au/sms-sender-id-register'),
    forbidden: [CONSENT, 'Names that are not in the register: phones show “Unverified” instead.'],
    note: 'The Spam Act 2003 sets no hours; those of telemarketing are for calls.'
  },
  {
    ...ELSEWHERE,
    country: 'MA',
    source: 'https://www.anrt.ma',
    date: '2026-11-16',
    names: REGISTERED('The operators of Morocco, through your carrier'),
    forbidden: [CONSENT],
    note: 'The address is that of the regulator. Operators take names that were declared to them; the stricter reading stands here. Law 09-08 asks for consent.'
  }
]
