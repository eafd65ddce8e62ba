import { call, type Schemas } from '../../../lib/api.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { upload } from '../../../lib/upload.ts'

export type Sender = Schemas['Sender']
export type SenderRequest = Schemas['SenderRequest']
export type Finding = Schemas['SenderFinding']
export type ServiceNumber = Schemas['ServiceNumber']
export type ListEntry = Schemas['SenderListEntry']

export const sendersQuery = { queryKey: ['senders', 'own'], queryFn: () => call('listSenders') }
export const numbersQuery = { queryKey: ['senders', 'numbers'], queryFn: () => call('listNumbers') }
export const rulesQuery = {
  queryKey: ['senders', 'rules'],
  queryFn: () => call('listCountryRules'),
  staleTime: Number.POSITIVE_INFINITY
}

export async function addProof(id: number, file: File): Promise<void> {
  const form = new FormData()
  form.set('file', file)
  await upload('addSenderProof', form, { path: { id } })
}

/** Whose sender it is, and from where one looks at it. */
export type ProofOf = { by: 'account' } | { by: 'operator' | 'parent'; accountId: number }

export async function saveProof(id: number, of: ProofOf): Promise<void> {
  const proof =
    of.by === 'account'
      ? await call('readSenderProof', { path: { id } })
      : await call(of.by === 'operator' ? 'readAccountSenderProof' : 'readSubAccountSenderProof', {
          path: { id: of.accountId, sender_id: id }
        })
  const bytes = Uint8Array.from(atob(proof.content), (character) => character.charCodeAt(0))
  saveFile(new Blob([bytes], { type: proof.type }), proof.file)
}
