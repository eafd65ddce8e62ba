import type { MailLanguage } from './mail.ts'

/* The words of every kind of mail, in both languages, as plain text. */

/** What the words of each kind name. */
export interface MailFacts {
  invitation: { company: string; inviter: string; link: string; days: string }
  'password-reset': { link: string }
  'password-changed': { at: string }
  'second-factor-removed': { at: string; company: string }
  'limit-reached': { company: string; limit: string; level: string; used: string; max: string }
  'low-balance': { company: string; credits: string; left: string; threshold: string }
  'sender-decided': { company: string; sender: string; state: string; reason: string }
  'credits-asked': { company: string; asker: string; amount: string; credits: string; note: string }
  alarm: { company: string; state: string; kind: string; name: string; value: string; bound: string }
  'credits-answered': { company: string; amount: string; credits: string; state: string; note: string }
}

export type MailKind = keyof MailFacts

interface Words {
  subject: string
  text: string
}

/** `service` is the name by which the recipient knows the service. */
type Write<Kind extends MailKind> = (facts: MailFacts[Kind] & { service: string }) => Words

const KINDS: { [Kind in MailKind]: Record<MailLanguage, Write<Kind>> } = {
  invitation: {
    en: ({ company, inviter, link, days, service }) => ({
      subject: `Invitation to join ${company} on ${service}`,
      text: `${inviter} invites you to join the account “${company}” on ${service}.

Open this link to accept. It works once, within ${days} days:

${link}

If you did not expect this mail, ignore it.`
    }),
    fr: ({ company, inviter, link, days, service }) => ({
      subject: `Invitation à rejoindre ${company} sur ${service}`,
      text: `${inviter} vous invite à rejoindre le compte « ${company} » sur ${service}.

Ouvrez ce lien pour accepter. Il fonctionne une fois, pendant ${days} jours :

${link}

Si vous n’attendiez pas cet e-mail, ignorez-le.`
    })
  },
  'password-reset': {
    en: ({ link, service }) => ({
      subject: `Choose a new password for ${service}`,
      text: `Open this link to choose a new password. It works once, within one hour:

${link}

If you did not ask for this, ignore this mail: your password stays as it is.`
    }),
    fr: ({ link, service }) => ({
      subject: `Choisissez un nouveau mot de passe pour ${service}`,
      text: `Ouvrez ce lien pour choisir un nouveau mot de passe. Il fonctionne une fois, pendant une heure :

${link}

Si vous n’avez rien demandé, ignorez cet e-mail : votre mot de passe ne change pas.`
    })
  },
  'password-changed': {
    en: ({ at, service }) => ({
      subject: `Your ${service} password was changed`,
      text: `Your password was changed on ${at}, by a link that we sent to this address. All your sessions have ended.

If that was not you, choose another password and protect your mailbox.`
    }),
    fr: ({ at, service }) => ({
      subject: `Votre mot de passe ${service} a été modifié`,
      text: `Votre mot de passe a été modifié le ${at}, par un lien envoyé à cette adresse. Toutes vos sessions sont terminées.

Si ce n’était pas vous, choisissez un autre mot de passe et protégez votre messagerie.`
    })
  },
  'second-factor-removed': {
    en: ({ at, company, service }) => ({
      subject: `Your second factor on ${service} was removed`,
      text: `The second factor of your log-in was removed on ${at} by “${company}”, who manages your account. Your password alone logs you in now.

Set up a new second factor in the settings. If you did not ask for this, also choose another password.`
    }),
    fr: ({ at, company, service }) => ({
      subject: `Votre second facteur ${service} a été supprimé`,
      text: `Le second facteur de votre connexion a été supprimé le ${at} par « ${company} », qui gère votre compte. Votre mot de passe suffit désormais pour vous connecter.

Configurez un nouveau second facteur dans les réglages. Si vous n’avez rien demandé, choisissez aussi un autre mot de passe.`
    })
  },
  'limit-reached': {
    en: ({ company, limit, level, used, max, service }) => ({
      subject: `${company}: ${level} % of a limit is used on ${service}`,
      text: `The account “${company}” has used ${used} of ${max} ${LIMITS[limit]?.en ?? limit}.

${level === '100' ? 'More is refused until the limit is raised or begins anew.' : 'At 100 % more is refused.'}`
    }),
    fr: ({ company, limit, level, used, max, service }) => ({
      subject: `${company} : une limite est atteinte à ${level} % sur ${service}`,
      text: `Le compte « ${company} » a utilisé ${used} sur ${max} ${LIMITS[limit]?.fr ?? limit}.

${level === '100' ? 'Au-delà, tout est refusé jusqu’à ce que la limite soit relevée ou reparte de zéro.' : 'À 100 %, le reste est refusé.'}`
    })
  },
  'low-balance': {
    en: ({ company, credits, left, threshold, service }) => ({
      subject: `${company}: ${left} ${credits} credits are left on ${service}`,
      text: `The account “${company}” has ${left} ${credits} credits left. You asked to be told below ${threshold}.`
    }),
    fr: ({ company, credits, left, threshold, service }) => ({
      subject: `${company} : il reste ${left} crédits ${credits} sur ${service}`,
      text: `Il reste ${left} crédits ${credits} au compte « ${company} ». Vous avez demandé à être prévenu en dessous de ${threshold}.`
    })
  },
  'sender-decided': {
    en: ({ company, sender, state, reason, service }) => ({
      subject: `${company}: the sender ${sender} is ${SENDER_STATES[state]?.en ?? state} on ${service}`,
      text: `The sender ${sender} of the account “${company}” is ${SENDER_STATES[state]?.en ?? state}.${reason === '' ? '' : `\n\nThe reason: ${reason}`}`
    }),
    fr: ({ company, sender, state, reason, service }) => ({
      subject: `${company} : l’expéditeur ${sender} est ${SENDER_STATES[state]?.fr ?? state} sur ${service}`,
      text: `L’expéditeur ${sender} du compte « ${company} » est ${SENDER_STATES[state]?.fr ?? state}.${reason === '' ? '' : `\n\nMotif : ${reason}`}`
    })
  },
  alarm: {
    en: ({ company, state, kind, service, ...facts }) => {
      const sentence = ALARMS[kind]?.en(facts) ?? kind
      const subject = state === 'over' ? `${company}: over: ${sentence}` : `${company}: ${sentence}`
      const text = state === 'over' ? `This is over: ${sentence}` : sentence
      return { subject: `${subject} (${service})`, text: `${text}\n\nThe console has it under Alarms.` }
    },
    fr: ({ company, state, kind, service, ...facts }) => {
      const sentence = ALARMS[kind]?.fr(facts) ?? kind
      const subject = state === 'over' ? `${company} : terminé : ${sentence}` : `${company} : ${sentence}`
      const text = state === 'over' ? `C’est terminé : ${sentence}` : sentence
      return { subject: `${subject} (${service})`, text: `${text}\n\nVoyez la console, sous Alarmes.` }
    }
  },
  'credits-asked': {
    en: ({ company, asker, amount, credits, note, service }) => ({
      subject: `${company}: ${asker} asks for ${amount} ${credits} credits on ${service}`,
      text: `The account “${asker}” asks “${company}” for ${amount} ${credits} credits.${note === '' ? '' : `\n\nIts note: ${note}`}

Give or decline them in the console, under Credits.`
    }),
    fr: ({ company, asker, amount, credits, note, service }) => ({
      subject: `${company} : ${asker} demande ${amount} crédits ${credits} sur ${service}`,
      text: `Le compte « ${asker} » demande ${amount} crédits ${credits} à « ${company} ».${note === '' ? '' : `\n\nSa note : ${note}`}

Accordez ou refusez la demande dans la console, sous Crédits.`
    })
  },
  'credits-answered': {
    en: ({ company, amount, credits, state, note, service }) => ({
      subject: `${company}: ${amount} ${credits} credits were ${REQUEST_STATES[state]?.en ?? state} on ${service}`,
      text: `The request of the account “${company}” for ${amount} ${credits} credits was ${REQUEST_STATES[state]?.en ?? state}.${note === '' ? '' : `\n\nThe note: ${note}`}`
    }),
    fr: ({ company, amount, credits, state, note, service }) => ({
      subject: `${company} : demande de ${amount} crédits ${credits} ${REQUEST_STATES[state]?.fr ?? state} sur ${service}`,
      text: `La demande de ${amount} crédits ${credits} du compte « ${company} » est ${REQUEST_STATES[state]?.fr ?? state}.${note === '' ? '' : `\n\nNote : ${note}`}`
    })
  }
}

const REQUEST_STATES: Record<string, Record<MailLanguage, string>> = {
  given: { en: 'given', fr: 'acceptée' },
  declined: { en: 'declined', fr: 'refusée' }
}

interface AlarmFacts {
  name: string
  value: string
  bound: string
}

/** By the whole days that are left; below zero when it is over. */
const ENDS: Record<MailLanguage, (days: number) => string> = {
  en: (days) =>
    days < 0 ? 'has ended' : days === 0 ? 'ends within a day' : `ends in ${days} day${days === 1 ? '' : 's'}`,
  fr: (days) =>
    days < 0 ? 'a expiré' : days === 0 ? 'expire sous 24 heures' : `expire dans ${days} jour${days === 1 ? '' : 's'}`
}

/** A sentence for each kind of alarm. */
const ALARMS: Record<string, Record<MailLanguage, (facts: AlarmFacts) => string>> = {
  carrier_down: {
    en: ({ name }) => `Nothing can be sent through the carrier ${name}.`,
    fr: ({ name }) => `Plus rien ne part par l’opérateur ${name}.`
  },
  delivery_rate_low: {
    en: ({ name, value, bound }) => `Through ${name}, ${value} % are delivered; in the past week it was ${bound} %.`,
    fr: ({ name, value, bound }) => `Par ${name}, ${value} % arrivent ; la semaine passée, c’était ${bound} %.`
  },
  queue_old: {
    en: ({ name, value }) => `Messages (${name}) wait for ${value} s for a carrier.`,
    fr: ({ name, value }) => `Des messages (${name}) attendent un opérateur depuis ${value} s.`
  },
  webhook_disabled: {
    en: ({ name }) => `The webhook ${name} was disabled, because its receiver does not answer.`,
    fr: ({ name }) => `Le webhook ${name} a été désactivé, car son destinataire ne répond pas.`
  },
  key_expires: {
    en: ({ name, value }) => `The API key ${name} ${ENDS.en(Number(value))}.`,
    fr: ({ name, value }) => `La clé d’API ${name} ${ENDS.fr(Number(value))}.`
  },
  certificate_expires: {
    en: ({ name, value }) => `The certificate ${name} ${ENDS.en(Number(value))}.`,
    fr: ({ name, value }) => `Le certificat ${name} ${ENDS.fr(Number(value))}.`
  },
  disk_low: {
    en: ({ name, value }) => `The disk of ${name} has ${value} % free.`,
    fr: ({ name, value }) => `Le disque de ${name} n’a plus que ${value} % de libre.`
  },
  database_large: {
    en: ({ value, bound }) => `The database has ${value} GB of ${bound} GB.`,
    fr: ({ value, bound }) => `La base de données occupe ${value} Go sur ${bound} Go.`
  }
}

const SENDER_STATES: Record<string, Record<MailLanguage, string>> = {
  approved: { en: 'approved', fr: 'accepté' },
  refused: { en: 'refused', fr: 'refusé' },
  disabled: { en: 'disabled', fr: 'désactivé' }
}

const LIMITS: Record<string, Record<MailLanguage, string>> = {
  requests_per_second: { en: 'requests a second', fr: 'requêtes par seconde' },
  credits_per_day: { en: 'credits a day', fr: 'crédits par jour' },
  sub_accounts: { en: 'sub-accounts', fr: 'sous-comptes' },
  people: { en: 'people', fr: 'personnes' },
  keys: { en: 'keys', fr: 'clés' },
  webhooks: { en: 'webhooks', fr: 'webhooks' }
}

/** The words of a mail; undefined for a kind that this version does not know. */
export function writeMail(
  kind: string,
  language: MailLanguage,
  facts: Record<string, string>,
  service = 'Chappe'
): Words | undefined {
  const write = Object.hasOwn(KINDS, kind) ? KINDS[kind as MailKind][language] : undefined
  // The facts were stored with the kind, by `queueMail`, which pairs their types.
  return write?.({ ...facts, service } as never)
}

/** The longest name that a mail shows. Customers choose names, and a whole advertisement would fit into a longer one. */
const NAME_LENGTH_MAX = 60

/** A name that somebody typed, as a mail may show it: one short line. */
export function nameInMail(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  if (line.length <= NAME_LENGTH_MAX) return line
  // PostgreSQL stores no half of a surrogate pair: one such name would keep back the mails of all accounts.
  return `${line.slice(0, NAME_LENGTH_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** A time as a mail shows it: `2026-11-16 08:02 UTC`. */
export function momentInMail(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
