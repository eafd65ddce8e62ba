import Type, { type Static } from 'typebox'
import { type FindManaged, findForOperator, findForParent } from '../accounts/managed-account.ts'
import { OPERATOR_ONLY } from '../accounts/operator.ts'
import type { Database } from '../database/database.ts'
import { type InputProblem, notFound, Refusal } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { operation } from '../http/operation.ts'
import type { MailedLinks } from '../people/mailed-links.ts'
import { isRefused, openFindings } from './findings.ts'
import { mailDecision } from './mail-decision.ts'
import { raiseRegisterVersion } from './register.store.ts'
import type { SenderRegisterReader } from './register.ts'
import { type Sender, type SenderState, SenderView, StateSchema, senderExample, toSenderView } from './sender.ts'
import { lockSender, updateSenderState } from './senders.store.ts'

const Decision = Type.Object(
  {
    state: Type.Enum(['approved', 'refused', 'disabled'], { description: 'What becomes of it.' }),
    reason: Type.Optional(
      Type.String({ maxLength: 500, description: 'Required unless `approved`. The account reads it.' })
    ),
    from: Type.Optional(
      Type.Enum([...StateSchema.enum], {
        description: 'The state that you saw. If somebody else has decided meanwhile, the answer is a 409.'
      })
    )
  },
  { $id: 'SenderDecision' }
)

/** What a state can become. */
const MOVES: Record<SenderState, readonly SenderState[]> = {
  waiting: ['approved', 'refused'],
  approved: ['disabled'],
  refused: ['approved'],
  disabled: ['approved']
}

export interface DecideParts {
  register: SenderRegisterReader
  /** Whether there is a mail server: then owners are told. */
  links: Pick<MailedLinks, 'isOn'>
}

export const decideAccountSender = (parts: DecideParts) =>
  decide(
    {
      route: 'PUT /accounts/{id}/senders/{sender_id}',
      id: 'decideAccountSender',
      summary: 'Decide on a sender (operator)',
      refusals: OPERATOR_ONLY
    },
    { ...parts, find: findForOperator }
  )

export const decideSubAccountSender = (parts: DecideParts) =>
  decide(
    {
      route: 'PUT /subaccount/{id}/senders/{sender_id}',
      id: 'decideSubAccountSender',
      summary: 'Decide on a sub-account’s sender',
      refusals: {}
    },
    { ...parts, find: findForParent }
  )

function decide<Route extends 'PUT /accounts/{id}/senders/{sender_id}' | 'PUT /subaccount/{id}/senders/{sender_id}'>(
  described: { route: Route; id: string; summary: string; refusals: Partial<typeof OPERATOR_ONLY> },
  { register, links, find }: DecideParts & { find: FindManaged }
) {
  return operation({
    ...described,
    tag: 'Beyond',
    permission: 'account',
    description:
      'Approves, refuses or disables a sender. No message leaves under a disabled one, in any mode: recipients that still wait end as cancelled with the code `sender_disabled`, and their credits come back. Approving a disabled one turns it on again. What the operator decides, only the operator changes. Owners of the account are told by mail.',
    body: Decision,
    missing: findMissingReason,
    answer: SenderView,
    example: { body: { state: 'approved', from: 'waiting' }, answer: { ...senderExample, state: 'approved' } },
    refusals: {
      ...described.refusals,
      state_conflict:
        'The sender’s state does not allow it, somebody else has decided, or its name is forbidden by now.'
    },
    async handle({ caller, params, body, database, afterCommit, record }) {
      const { id, sender_id: senderId } = params as { id: number; sender_id: number }
      const reason = body.state === 'approved' ? '' : (body.reason ?? '').trim()
      const answer = await database.begin(async (database) => {
        const account = await find(database, caller, id)
        const sender = await lockSender(database, { accountId: account.id, id: senderId })
        if (!sender) throw notFound('sender')
        refuseMove(sender, body, caller)
        const findings = await findingsFor(database, sender, { account, state: body.state })
        const change = { ...sender, state: body.state, reason, isByOperator: caller.isOperator }
        const decided = await updateSenderState(database, change)
        if (links.isOn) await mailDecision(database, decided)
        await record(database, {
          accountId: account.id,
          object: { kind: 'sender', id: sender.id },
          changes: {
            name: [sender.name, sender.name],
            state: [sender.state, body.state],
            reason: [null, reason || null]
          }
        })
        await raiseRegisterVersion(database)
        return toSenderView(decided, findings, { isForDecider: caller.isOperator })
      })
      afterCommit(() => register.wake())
      return answer
    }
  })
}

function findMissingReason({ state, reason }: Partial<Static<typeof Decision>>): InputProblem[] {
  if (state === undefined || state === 'approved') return []
  const isGiven = typeof reason !== 'string' ? reason !== undefined : reason.trim() !== ''
  return isGiven ? [] : [{ path: 'reason', message: 'is missing: say why, such as The name is that of a bank.' }]
}

function refuseMove(sender: Sender, { state, from }: Static<typeof Decision>, { isOperator }: Caller): void {
  const is = `The sender ${sender.name} is ${sender.state}`
  if (from !== undefined && from !== sender.state) throw conflict(`${is} by now: somebody else has decided.`)
  if (!MOVES[sender.state].includes(state)) throw conflict(`${is}, and can’t become ${state}.`)
  if (sender.isByOperator && !isOperator) throw conflict(`${is} by the operator, and only the operator changes that.`)
}

/** A name may have been forbidden or reserved since it was declared. */
async function findingsFor(
  database: Database,
  sender: Sender,
  { account, state }: { account: { id: number; parentId: number | null }; state: SenderState }
) {
  const findings = (await openFindings(database))({ ...sender, topLevelId: account.parentId ?? account.id })
  const refused = state === 'approved' ? findings.find(isRefused) : undefined
  if (refused) throw conflict(`The sender ${sender.name} ${refused.message}.`)
  return findings
}

function conflict(sentence: string): Refusal {
  return new Refusal(409, 'state_conflict', sentence)
}
