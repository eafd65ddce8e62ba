import { Text, Timeline } from '@mantine/core'
import type { Schemas } from '../../../lib/api.ts'
import { useFormats } from '../../../lib/format.ts'
import { counted, defineWords, useWords } from '../../../lib/language.ts'

const words = defineWords(
  {
    steps: {
      accepted: 'Accepted',
      scheduled: 'Scheduled',
      taken: 'Accepted by the carrier',
      sent: 'Sent to the carrier',
      receipt: 'Delivery report',
      delivered: 'Delivered',
      read: 'Read',
      clicked: 'Link opened',
      failed: 'Failed',
      expired: 'Expired',
      rejected: 'Rejected',
      refused: 'Refused: the next carrier is tried',
      retry: 'Will retry',
      in_doubt: 'Unconfirmed: the connection to the carrier was cut',
      resent: 'Sent again',
      fallback: 'Sent as SMS instead',
      revoked: 'RCS revoked',
      revoke_failed: 'The RCS could not be revoked',
      late_report: 'Late delivery report',
      sms_stopped: 'The RCS was delivered, its SMS was stopped',
      covered: 'Covered by a conversation',
      delivered_after_all: 'The RCS was delivered after all',
      stopped: 'Opted out',
      cancelled: 'Cancelled'
    } as Record<string, string>,
    /** The service has these texts in English. */
    details: {} as Record<string, string>,
    took: (segments: number, credits: number) =>
      `${counted('en', segments, 'segment', 'segments')}, ${counted('en', credits, 'credit', 'credits')}`
  },
  {
    steps: {
      accepted: 'Accepté',
      scheduled: 'Programmé',
      taken: 'Accepté par l’opérateur',
      sent: 'Envoyé à l’opérateur',
      receipt: 'Accusé de réception',
      delivered: 'Remis',
      read: 'Lu',
      clicked: 'Lien ouvert',
      failed: 'Échec',
      expired: 'Expiré',
      rejected: 'Rejeté',
      refused: 'Refusé : l’opérateur suivant est essayé',
      retry: 'Nouvel essai plus tard',
      in_doubt: 'Non confirmé : la connexion à l’opérateur a été coupée',
      resent: 'Renvoyé',
      fallback: 'Envoyé en SMS à la place',
      revoked: 'RCS retiré',
      revoke_failed: 'Le RCS n’a pas pu être retiré',
      late_report: 'Un accusé tardif',
      sms_stopped: 'RCS remis, SMS arrêté',
      covered: 'Couvert par une conversation',
      delivered_after_all: 'Le RCS a finalement été remis',
      stopped: 'Désinscrit',
      cancelled: 'Annulé'
    } as Record<string, string>,
    details: {
      'as RCS': 'en RCS',
      'by RCS': 'par RCS',
      'From then on it may leave.': 'Peut partir à partir de ce moment.',
      'It could not leave in time.': 'N’a pas pu partir à temps.',
      'Its sender was disabled before the message left.': 'L’expéditeur a été désactivé avant le départ.',
      'The number had opted out before the message left.': 'Le numéro s’était désinscrit avant le départ.',
      'The number opted out by a reply.': 'Le numéro s’est désinscrit par une réponse.',
      'The number opted out by a link.': 'Le numéro s’est désinscrit par un lien.',
      'The number opted out by a button.': 'Le numéro s’est désinscrit par un bouton.',
      'The number opted out by hand.': 'Le numéro a été désinscrit à la main.',
      'The number opted out by a file.': 'Le numéro a été désinscrit par un fichier.',
      'The number opted out in the menu of its RCS app.': 'Le numéro s’est désinscrit dans son application RCS.',
      'The person had no consent any more when the message was to leave.':
        'La personne n’avait plus de consentement au moment du départ.',
      'The link, for the first time.': 'Le lien, pour la première fois.',
      'By a cancel.': 'Par une annulation.',
      'A receipt shows that the carrier has it.': 'Un accusé montre que l’opérateur l’a.',
      'No delivery report came in time.': 'Aucun accusé à temps.',
      'No receipt came within 3 days.': 'Aucun accusé en 3 jours.',
      'No carrier of RCS leads to this number.': 'Aucun opérateur RCS ne mène à ce numéro.',
      'This account may no longer use the agent.': 'Ce compte ne peut plus utiliser l’agent.',
      'Its time was over, and the platform may have it.': 'Sa validité était passée, et la plateforme l’a peut-être.',
      'Nothing came to light, and the account does not want anything twice.':
        'Rien n’est établi, et le compte ne veut aucun doublon.',
      'Nothing came to light, and the account does not want anything lost.':
        'Rien n’est établi, et le compte ne veut rien perdre.',
      'Nothing came to light, and the message was cancelled.': 'Rien n’est établi, et le message a été annulé.',
      'No delivery report came in time: it was revoked.': 'Aucun accusé à temps : le RCS a été retiré.',
      'No delivery report came in time, but the platform has nothing to revoke.':
        'Aucun accusé à temps, mais la plateforme n’a rien à retirer.',
      'The number opted out, and the RCS was revoked before it arrived.':
        'Le numéro s’est désinscrit, et le RCS a été retiré avant son arrivée.',
      'Its time was over, and the RCS was revoked before it arrived.':
        'Sa validité était passée, et le RCS a été retiré avant son arrivée.',
      'The RCS arrived while its SMS was still queued.': 'Le RCS est arrivé alors que son SMS attendait encore.',
      'It was revoked before it arrived.': 'Retiré avant son arrivée.',
      'It was too late to revoke it.': 'Trop tard pour le retirer.',
      'The RCS was delivered although it had fallen back to SMS.': 'Le RCS a été remis bien que le SMS l’ait remplacé.'
    } as Record<string, string>,
    took: (segments: number, credits: number) =>
      `${counted('fr', segments, 'segment', 'segments')}, ${counted('fr', credits, 'crédit', 'crédits')}`
  }
)

/** The timeline of a recipient. */
export function Steps({
  steps,
  timeZone
}: {
  steps: readonly Schemas['TimelineStep'][]
  timeZone: string | undefined
}) {
  const say = useWords(words)
  const formats = useFormats(timeZone)
  return (
    <Timeline bulletSize={16} lineWidth={2} active={steps.length}>
      {steps.map((step, index) => (
        <Timeline.Item key={index} title={say.steps[step.step] ?? step.step}>
          <Text size="sm" c="dimmed">
            {formats.exact(step.at)}
            {step.last_at && ` – ${formats.exact(step.last_at)} · × ${step.times}`}
            {step.carrier && ` · ${step.carrier}`}
          </Text>
          {step.detail && (
            <Text size="sm" className="words">
              {detailIn(say, step.detail)}
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  )
}

function detailIn(say: (typeof words)['en'], detail: string): string {
  const [, segments, credits] = /^(\d+) segments?, (\d+) credits?$/.exec(detail) ?? []
  return credits === undefined ? (say.details[detail] ?? detail) : say.took(Number(segments), Number(credits))
}
