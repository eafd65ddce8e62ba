import Type, { type Static } from 'typebox'
import { lockAccount } from '../accounts/accounts.store.ts'
import { checkSender, type OurNumbers, senderField } from '../compliance/sender.ts'
import type { Sql } from '../database/database.ts'
import { type InputProblem, invalidInput, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import { hasNumberingPlan } from '../phone-numbers/phone-number.ts'
import { isRefused, openFindings } from './findings.ts'
import { PurposeSchema, SenderView, senderExample, toSenderView } from './sender.ts'
import { countSenders, insertSender } from './senders.store.ts'

const SENDERS_MAX = 200

const CountryList = Type.Array(Type.String({ pattern: '^[A-Z]{2}$', 'x-words': 'two capital letters, such as FR' }), {
  maxItems: 250,
  description: 'Countries that it is for, by ISO code; empty or absent for every country.'
})

const Declaration = Type.Object(
  {
    name: senderField('The case counts on the phone, and not in comparisons.'),
    countries: Type.Optional(CountryList),
    use: Type.Optional(PurposeSchema),
    proof: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Why the account may use it, such as a trade mark with its number.' })
    ),
    link: Type.Optional(Type.String({ maxLength: 2048, description: 'A page that shows it; http or https.' }))
  },
  { $id: 'SenderDeclaration' }
)

export const declareSender = (numbers: OurNumbers) =>
  operation({
    route: 'POST /senders',
    id: 'declareSender',
    tag: 'Beyond',
    permission: 'account',
    summary: 'Declare a sender',
    description:
      'Asks for a name or number to be approved: by the operator, or by the account above. `findings` tells what speaks against it. A name that the operator forbids, or reserves for another account, is refused at once. A file can be added as a proof afterwards.',
    body: Declaration,
    answer: SenderView,
    example: {
      body: {
        name: senderExample.name,
        countries: senderExample.countries,
        use: senderExample.use,
        proof: senderExample.proof,
        link: senderExample.link
      },
      answer: senderExample
    },
    refusals: { state_conflict: 'The account has declared it already, or has as many senders as it may.' },
    async handle({ caller, body, database, record }) {
      const { accountId, topLevelId } = caller
      const { name, use = 'any', proof = '', link = '' } = body
      const countries = [...new Set(body.countries ?? [])].sort()
      refuseBad({ ...body, countries }, caller, numbers)
      return database.begin(async (database) => {
        await lockAccount(database, accountId)
        const findings = (await openFindings(database))({ accountId, topLevelId, name, countries })
        const refused = findings.find(isRefused)
        if (refused) throw invalidInput([{ path: 'name', message: refused.message }])
        await refuseTooMany(database, accountId)
        const sender = await insertSender(database, { accountId, name, countries, use, proof, proofLink: link })
        if (!sender) throw new Refusal(409, 'state_conflict', `The sender ${name} is declared already.`)
        await record(database, {
          object: { kind: 'sender', id: sender.id },
          changes: { name: [null, name], use: [null, use], countries: [null, countries] }
        })
        return toSenderView(sender, findings)
      })
    }
  })

async function refuseTooMany(sql: Sql, accountId: number): Promise<void> {
  if ((await countSenders(sql, accountId)) < SENDERS_MAX) return
  throw new Refusal(409, 'state_conflict', `An account can have ${SENDERS_MAX} senders: withdraw one first.`)
}

function refuseBad(
  { name, countries, link }: Static<typeof Declaration> & { countries: string[] },
  { country }: Caller,
  { ourNumbers }: OurNumbers
): void {
  const problems: InputProblem[] = []
  const unknown = countries.find((country) => !hasNumberingPlan(country))
  if (unknown !== undefined) {
    problems.push({ path: 'countries', message: `holds ${unknown}, which is no country; one is FR` })
  }
  const places = countries.length > 0 ? countries : [country]
  const problem = places.map((country) => checkSender(name, { country, ourNumbers })).find((one) => one !== undefined)
  if (problem !== undefined) problems.push({ path: 'name', message: problem })
  if (link && !isWebAddress(link)) {
    problems.push({ path: 'link', message: 'must be an address such as https://shop.example/legal' })
  }
  if (problems.length > 0) throw invalidInput(problems)
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol)
}
