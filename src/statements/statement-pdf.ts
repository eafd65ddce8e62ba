import type { Static } from 'typebox'
import { MESSAGE_TYPE_NAMES } from '../credits/credit.ts'
import { type Report, type Table, writeReport } from '../reports/report.ts'
import { formatsOf, type ReportLanguage } from '../reports/report-language.ts'
import type { StatementView } from './statement.ts'

const EN = {
  title: (month: string) => `Statement of credits, ${month}`,
  /** The name of a document, without separators of thousands. */
  number: (number: number) => `Statement number ${number}`,
  provisional: 'Provisional: the month is not closed, and the sums may change.',
  account: (name: string, id: number) => `Account: ${name === '' ? '' : `${name}, `}number ${id}`,
  period: (from: string, to: string) => `From ${from} to ${to} (UTC)`,
  closed: (moment: string) => `Closed on ${moment} UTC`,
  balances: 'Balances',
  columns: ['Opening', 'Added', 'Removed', 'Used', 'Refunded', 'Closing'],
  countries: 'Credits used by country',
  senders: 'Credits used by sender',
  subAccounts: 'Sub-accounts',
  used: ['Used', 'Refunded'],
  below: ['Received', 'Given', 'Used', 'Refunded'],
  unknown: 'Unknown',
  others: (count: string) => `${count} others`,
  subAccount: (id: number) => `Sub-account ${id}`,
  none: 'None',
  foot: 'Chappe'
}

const FR: typeof EN = {
  title: (month) => `Relevé de crédits, ${month}`,
  number: (number) => `Relevé numéro ${number}`,
  provisional: 'Provisoire : le mois n’est pas clos, les montants peuvent changer.',
  account: (name, id) => `Compte : ${name === '' ? '' : `${name}, `}numéro ${id}`,
  period: (from, to) => `Du ${ordinal(from)} au ${to} (UTC)`,
  closed: (moment) => `Clos le ${ordinal(moment)} UTC`,
  balances: 'Soldes',
  columns: ['Ouverture', 'Ajoutés', 'Retirés', 'Utilisés', 'Remboursés', 'Clôture'],
  countries: 'Crédits utilisés par pays',
  senders: 'Crédits utilisés par expéditeur',
  subAccounts: 'Sous-comptes',
  used: ['Utilisés', 'Remboursés'],
  below: ['Reçus', 'Donnés', 'Utilisés', 'Remboursés'],
  unknown: 'Inconnu',
  others: (count) => `${count} autres`,
  subAccount: (id) => `Sous-compte ${id}`,
  none: 'Aucun',
  foot: 'Chappe'
}

/** French writes the first day of a month as an ordinal: 1er octobre 2026. */
function ordinal(day: string): string {
  return day.replace(/^1(?= )/, '1er')
}

/** Rows of a table. The rest is one row, so that the table adds up. */
const ROWS_MAX = 100

/** The statement for people, as PDF. */
export function writeStatementPdf(
  statement: Static<typeof StatementView>,
  { language, logo }: { language: ReportLanguage; logo: Buffer | undefined }
): Promise<Buffer> {
  const say = language === 'fr' ? FR : EN
  const { number, month, day, moment, country } = formatsOf(language, 'UTC')
  const { account, issuer, balances, closed_at: closedAt } = statement
  const type = (msgType: 1 | 2) => MESSAGE_TYPE_NAMES[msgType]
  const table = (title: string, columns: readonly string[], rows: readonly Row[]): Table => {
    return { title, columns: ['', ...columns], rows: toCells(rows, say, number), none: say.none }
  }
  const report: Report = {
    head: { lines: [issuer.name, ...issuer.address.split('\n')].filter((line) => line !== ''), logo },
    title: say.title(month(statement.month)),
    about: [
      statement.number === null ? say.provisional : say.number(statement.number),
      say.account(account.name, account.id),
      say.period(day(statement.from), day(statement.to)),
      ...(closedAt === null ? [] : [say.closed(moment(new Date(closedAt)))])
    ],
    figures: [],
    charts: [],
    tables: [
      table(
        say.balances,
        say.columns,
        balances.map(({ msgType, opening, added, removed, used, refunded, closing }) => {
          return { name: type(msgType), amounts: [opening, added, removed, used, refunded, closing] }
        })
      ),
      table(
        say.countries,
        say.used,
        statement.countries.map(({ msgType, country: code, used, refunded }) => {
          return {
            name: `${type(msgType)} · ${code === null ? say.unknown : country(code)}`,
            amounts: [used, refunded]
          }
        })
      ),
      table(
        say.senders,
        say.used,
        statement.senders.map(({ msgType, sender, used, refunded }) => {
          return { name: `${type(msgType)} · ${sender ?? say.unknown}`, amounts: [used, refunded] }
        })
      ),
      ...(statement.sub_accounts.length === 0
        ? []
        : [
            table(
              say.subAccounts,
              say.below,
              statement.sub_accounts.map(({ msgType, subaccount_id: id, name, added, removed, used, refunded }) => {
                return {
                  name: `${type(msgType)} · ${name || say.subAccount(id)}`,
                  amounts: [added, removed, used, refunded]
                }
              })
            )
          ])
    ],
    foot: issuer.name || say.foot
  }
  return writeReport(report, language)
}

interface Row {
  name: string
  amounts: number[]
}

function toCells(rows: readonly Row[], say: typeof EN, number: (value: number) => string): string[][] {
  const [shown, others] = [rows.slice(0, ROWS_MAX), rows.slice(ROWS_MAX)]
  const rest = others.reduce<number[]>(
    (sums, { amounts }) => amounts.map((amount, index) => amount + (sums[index] ?? 0)),
    []
  )
  const all = others.length === 0 ? shown : [...shown, { name: say.others(number(others.length)), amounts: rest }]
  return all.map(({ name, amounts }) => [name, ...amounts.map(number)])
}
