import { defineWords, useWords } from '../../../lib/language.ts'
import type { RuleActs } from '../../../ui/rule-acts.tsx'
import { AUTOMATIONS, type Automation, deleteAutomation, turn } from '../api/automations.ts'

const words = defineWords(
  {
    hint: 'The automation no longer runs, and its history is lost. The messages that it sent are kept.',
    confirm: 'Delete the automation'
  },
  {
    hint: 'Elle ne s’exécutera plus, et son historique est perdu. Les messages envoyés sont conservés.',
    confirm: 'Supprimer l’automatisation'
  }
)

/** What can be done with an automation besides a change. */
export function useAutomationActs(automation: Automation): RuleActs {
  return {
    rule: automation,
    queryKey: AUTOMATIONS,
    turn: (isOn) => turn(automation, isOn),
    remove: () => deleteAutomation(automation.id),
    removal: useWords(words)
  }
}
