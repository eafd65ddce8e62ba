import Type, { type Static } from 'typebox'
import { operation } from '../http/operation.ts'
import { Nullable } from '../schemas/nullable.ts'
import { COUNTRIES, type CountryRules, ELSEWHERE, FRANCE, NAME_FORMS } from './countries.ts'

const DaySchema = (what: string) =>
  Type.Enum(['allowed', 'advised-against', 'forbidden'], {
    description: `${what}; \`advised-against\`: only for accounts that turn them on.`
  })

const RulesView = Type.Object(
  {
    country: Type.String({ description: 'ISO 3166 code; empty for every country that is not listed.' }),
    territories: Type.Array(Type.String(), { description: 'Territories with the same rules.' }),
    source: Type.String({ description: 'The address of the publication; empty where there is none.' }),
    date: Type.String({ description: 'The date of the publication, or of its last change that these rules know.' }),
    names: Type.Object({
      status: Type.Enum(['allowed', 'registered', 'none'], {
        description:
          '`registered`: only names in the country’s own register, which Chappe can’t see. `none`: phones show no names.'
      }),
      form: Type.String({ description: 'What a name looks like, in words.' }),
      register: Type.String({ description: 'The country’s register; empty without one.' })
    }),
    short_codes: Type.Array(
      Type.Object({
        prefix: Type.String(),
        digits: Type.Integer(),
        use: Type.Enum(['marketing', 'transactional'])
      }),
      { description: 'Short codes that are meant for one kind of message; the mode `enforce` insists on it.' }
    ),
    numbers: Type.String(),
    hours: Nullable(
      Type.Object(
        {
          start: Type.String(),
          end: Type.String({ description: 'Up to but not including this time.' }),
          end_max: Type.String({ description: 'The latest end that an account may set.' }),
          sundays: DaySchema('Sundays'),
          holidays: DaySchema('Public holidays')
        },
        { description: 'When marketing may leave, by the recipient’s clock. Null: at any time.' }
      )
    ),
    opt_out: Type.Enum(['required', 'advised'], { description: 'Whether marketing must say how to opt out.' }),
    tolerated: Type.Array(Type.String()),
    forbidden: Type.Array(Type.String()),
    note: Type.String({ description: 'What is uncertain, or left to the people who send.' })
  },
  { $id: 'CountryRules' }
)

function toRulesView({ names, shortCodes, hours, optOut, ...rules }: CountryRules): Static<typeof RulesView> {
  return {
    country: rules.country,
    territories: [...rules.territories],
    source: rules.source,
    date: rules.date,
    names: { status: names.status, form: NAME_FORMS[names.form].words, register: names.register },
    short_codes: shortCodes.map(({ prefix, digits, use }) => ({ prefix, digits, use })),
    numbers: rules.numbers,
    hours: hours && {
      start: hours.start,
      end: hours.end,
      end_max: hours.endMax,
      sundays: hours.sundays,
      holidays: hours.holidays
    },
    opt_out: optOut,
    tolerated: [...rules.tolerated],
    forbidden: [...rules.forbidden],
    note: rules.note
  }
}

export const listCountryRules = operation({
  route: 'GET /countries/rules',
  id: 'listCountryRules',
  tag: 'Beyond',
  permission: 'any',
  summary: 'Rules on senders and marketing by country',
  description:
    'What operators and regulators publish, each with its source and date, as this service applies it. `elsewhere` holds for countries that are not listed. The forms of names outside of France, and the uses of short codes, bind only accounts in the mode `warn` or `enforce` of the sender register; the hours bind every account.',
  answer: Type.Object({ countries: Type.Array(RulesView), elsewhere: RulesView }, { $id: 'CountryRulesList' }),
  example: { answer: { countries: [toRulesView(FRANCE)], elsewhere: toRulesView(ELSEWHERE) } },
  async handle() {
    return { countries: COUNTRIES.map(toRulesView), elsewhere: toRulesView(ELSEWHERE) }
  }
})
