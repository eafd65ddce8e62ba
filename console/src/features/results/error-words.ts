import { defineWords, useWords } from '../../lib/language.ts'
import { useSentences } from '../../lib/refusals.ts'
import { classOfError } from './error-classes.ts'

/** Words for what is wrong, by the classes of `src/carriers/refusal-class.ts`, and for the codes of the service itself. */
const words = defineWords(
  {
    throttled: 'Too many messages at once',
    number: 'Invalid number',
    sender: 'Sender refused',
    content: 'Content refused',
    access: 'Access refused by the carrier',
    carrier: 'Failure at the carrier',
    code: (code: string) => `Code ${code}`,
    own: {
      rcs_unreachable: 'Phone without RCS',
      rcs_no_agent: 'No RCS agent for this number',
      rcs_not_delivered: 'RCS not delivered in time',
      no_receipt: 'No delivery report',
      in_doubt: 'Not confirmed by the carrier',
      expired: 'Expired before it was sent',
      too_long: 'Message too long for the carrier',
      binary_unsupported: 'Binary data not supported by the carrier',
      UNDELIV: 'Not delivered',
      REJECTD: 'Rejected by the network',
      EXPIRED: 'Expired on the network',
      DELETED: 'Deleted by the network',
      UNKNOWN: 'Unknown to the network'
    }
  },
  {
    throttled: 'Trop de messages à la fois',
    number: 'Numéro invalide',
    sender: 'Expéditeur refusé',
    content: 'Contenu refusé',
    access: 'Accès refusé par l’opérateur',
    carrier: 'Panne chez l’opérateur',
    code: (code: string) => `Code ${code}`,
    own: {
      rcs_unreachable: 'Téléphone sans RCS',
      rcs_no_agent: 'Aucun agent RCS pour ce numéro',
      rcs_not_delivered: 'RCS non délivré à temps',
      no_receipt: 'Aucun accusé de réception',
      in_doubt: 'Non confirmé par l’opérateur',
      expired: 'Expiré avant l’envoi',
      too_long: 'Message trop long pour l’opérateur',
      binary_unsupported: 'Données binaires non prises en charge par l’opérateur',
      UNDELIV: 'Non délivré',
      REJECTD: 'Rejeté par le réseau',
      EXPIRED: 'Expiré sur le réseau',
      DELETED: 'Supprimé par le réseau',
      UNKNOWN: 'Inconnu du réseau'
    }
  }
)

/** Tells an error of a message: "Invalid number (ESME_RINVDSTADR)", "Code 001"; the sentence of a provider as it is. */
export function useErrorWords(): (error: string) => string {
  const say = useWords(words)
  const translate = useSentences()
  return (error) => {
    const name = classOfError(error)
    if (name) return `${say[name]} (${error})`
    if (Object.hasOwn(say.own, error)) return say.own[error as keyof typeof say.own]
    return /^[A-Z0-9_.-]+$/i.test(error) && /[\d_]/.test(error) ? say.code(error) : translate(error)
  }
}
