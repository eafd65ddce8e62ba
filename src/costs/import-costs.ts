import Type from 'typebox'
import { OPERATOR_ONLY, refuseUnlessOperator } from '../accounts/operator.ts'
import { invalidInput } from '../errors.ts'
import { CheckQuery } from '../http/check-query.ts'
import { extract } from '../http/extract.ts'
import { upload } from '../http/upload.ts'
import type { UploadedFile } from '../http/uploaded-file.ts'
import { formatMoney, isCurrency, MONEY_PROBLEM, parseMoney } from '../prices/money.ts'
import { placeOf } from '../spreadsheets/columns.ts'
import { counted } from '../spreadsheets/counted.ts'
import { badFile } from '../spreadsheets/row.ts'
import { openTable } from '../spreadsheets/spreadsheet.ts'
import { type CarrierCost, insertCosts, listCosts } from './costs.store.ts'

const COSTS_MAX = 20_000
const PROBLEMS_MAX = 100

const CarrierCostView = Type.Object(
  {
    carrier: Type.String({ description: 'Its name in the carriers file.' }),
    channel: Type.Enum(['sms', 'rcs']),
    prefix: Type.String({ description: 'The beginning of the numbers, without `+`; `*` for all others.' }),
    cost: Type.String({ description: 'Of a segment of SMS, or of an RCS.' }),
    currency: Type.String()
  },
  { $id: 'CarrierCost' }
)

export const importCarrierCosts = upload({
  route: 'POST /carrier-costs',
  id: 'importCarrierCosts',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Import the costs of carriers (operator)',
  description:
    'Stores what carriers cost, in place of all costs before, from a file with the titles `carrier`, `channel`, `prefix`, `cost`, `currency`. `cost` is for a segment of SMS or an RCS, with up to 6 decimals; `prefix` is digits, or `*` for all other numbers. Costs of one carrier and channel are in one currency. A file with a fault is refused as a whole, with the lines at fault. Messages that were folded before keep their cost.',
  file: 'CSV (separated by `,`, `;` or tab) or XLSX (its first sheet); up to 20,000 costs.',
  body: Type.Object({}, { $id: 'CarrierCostsUpload' }),
  query: CheckQuery,
  answer: Type.Object(
    { success: Type.Boolean(), message: Type.String(), costs: Type.Integer() },
    { $id: 'CarrierCostsImported' }
  ),
  example: { body: {}, answer: { success: true, message: '240 costs stored.', costs: 240 } },
  refusals: OPERATOR_ONLY,
  async handle({ caller, query, file, database, record }) {
    refuseUnlessOperator(caller)
    const costs = await readCosts(file, caller.country)
    const { length } = costs
    if (query.check) {
      return { success: true, message: `${counted(length, 'cost')}, no mistakes. Nothing was stored.`, costs: length }
    }
    await database.begin(async (database) => {
      const before = await listCosts(database)
      await insertCosts(database, costs)
      await record(database, { changes: { costs: [before.length, length] } })
    })
    return { success: true, message: `${counted(length, 'cost')} stored.`, costs: length }
  }
})

export const extractCarrierCosts = extract({
  route: 'GET /carrier-costs',
  id: 'extractCarrierCosts',
  tag: 'Beyond',
  permission: 'account',
  summary: 'Costs of carriers, full extract (operator)',
  description: 'What carriers cost now: as JSON or, with `Accept: text/csv`, as a CSV file that can be imported.',
  row: CarrierCostView,
  example: { answer: [{ carrier: 'main', channel: 'sms', prefix: '33', cost: '0.0325', currency: 'EUR' }] },
  refusals: OPERATOR_ONLY,
  async *handle({ caller, database }) {
    refuseUnlessOperator(caller)
    yield (await listCosts(database)).map(({ carrier, channel, prefix, currency, amount }) => ({
      carrier,
      channel,
      prefix: prefix === '' ? '*' : prefix,
      cost: formatMoney(BigInt(amount), currency),
      currency
    }))
  }
})

const TITLES = ['carrier', 'channel', 'prefix', 'cost', 'currency'] as const

async function readCosts(file: UploadedFile, country: string): Promise<CarrierCost[]> {
  const { columns, rows } = await openTable(file, { country })
  const places = TITLES.map((title) => placeOf(columns, title))
  if (places.includes(-1)) throw badFile(`must begin with a line of titles: ${TITLES.join(',')}`)
  const costs = new Map<string, CarrierCost>()
  const currencies = new Map<string, string>()
  const problems: { path: string; message: string }[] = []
  for await (const batch of rows) {
    for (const { line, cells } of batch) {
      const [carrier = '', channel = '', prefix = '', cost = '', currency = ''] = places.map((at) =>
        (cells[at] ?? '').trim()
      )
      const read = readCost({ carrier, channel: channel.toLowerCase(), prefix, cost, currency: currency.toUpperCase() })
      const problem = typeof read === 'string' ? read : add(read, costs, currencies)
      if (problem !== undefined) problems.push({ path: 'file', message: `line ${line}: ${problem}` })
      if (problems.length >= PROBLEMS_MAX) throw invalidInput(problems)
      if (costs.size > COSTS_MAX) throw badFile(`has more than ${COSTS_MAX} costs`, line)
    }
  }
  if (problems.length > 0) throw invalidInput(problems)
  if (costs.size === 0) throw badFile('has no costs: its first line holds titles, and each other line a cost')
  return [...costs.values()]
}

/** A cost, or why a line is none. */
function readCost(cells: Record<(typeof TITLES)[number], string>): CarrierCost | string {
  const { carrier, channel, currency } = cells
  if (carrier === '' || carrier.length > 100) return 'carrier must be the name of a carrier, such as main'
  if (channel !== 'sms' && channel !== 'rcs') return 'channel must be sms or rcs'
  const prefix = cells.prefix === '*' ? '' : cells.prefix.replace(/^\+/, '')
  if (cells.prefix !== '*' && !/^[1-9]\d{0,11}$/.test(prefix)) return 'prefix must be 1 to 12 digits, such as 33, or *'
  const amount = parseMoney(cells.cost)
  if (amount === undefined) return `cost ${MONEY_PROBLEM}`
  if (!isCurrency(currency)) return 'currency must be a code of ISO 4217, such as EUR'
  return { carrier, channel, prefix, currency, amount: Number(amount) }
}

function add(cost: CarrierCost, costs: Map<string, CarrierCost>, currencies: Map<string, string>): string | undefined {
  const owner = `${cost.channel} ${cost.carrier}`
  const key = `${owner} ${cost.prefix}`
  if (costs.has(key)) return `${cost.carrier} has two costs for ${cost.prefix || '*'}`
  const currency = currencies.get(owner) ?? cost.currency
  if (currency !== cost.currency) return `${cost.carrier} has costs in ${currency} and in ${cost.currency}`
  currencies.set(owner, currency)
  costs.set(key, cost)
  return undefined
}
