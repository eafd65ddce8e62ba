import { defineWords, useWords } from '../../../lib/language.ts'
import type { RuleActs } from '../../../ui/rule-acts.tsx'
import { AUTO_REPLIES, type AutoReply, deleteAutoReply, turn } from '../api/auto-replies.ts'

const words = defineWords(
  {
    hint: 'Nobody gets this answer any more, and its history is lost. The messages that it sent are kept.',
    confirm: 'Delete the auto-reply'
  },
  {
    hint: 'Plus personne ne recevra cette réponse, et son historique est perdu. Les messages envoyés sont conservés.',
    confirm: 'Supprimer la réponse automatique'
  }
)

/** What can be done with an auto-reply besides a change. */
export function useAutoReplyActs(autoReply: AutoReply): RuleActs {
  return {
    rule: autoReply,
    queryKey: AUTO_REPLIES,
    turn: (isOn) => turn(autoReply, isOn),
    remove: () => deleteAutoReply(autoReply.id),
    removal: useWords(words)
  }
}
