/*
 * Every page of the console, below /app, and something to show on each. pages.test.ts compares them with the routes of the console, so
 * that no page is forgotten.
 */

/** Calls the service as the operator; an answer that refuses is an error. */
// biome-ignore lint/suspicious/noExplicitAny: whatever the operation answers.
export type Ask = (method: 'POST' | 'PUT', path: string, body?: unknown) => Promise<any>

export interface Paths {
  /** Pages of somebody who is logged in. Neighbours have different headings or tabs. */
  inside: string[]
  /** Pages of somebody who is not. */
  outside: string[]
}

/** Makes one of everything that has a page, where message 1 is there already, and tells all pages. */
export async function fillPages(ask: Ask): Promise<Paths> {
  const contact = { tel: '+33639980001', champ_prenom: 'Inès', champ_nom: 'Moreau', champ_ville: 'Lyon' }
  const { id: list } = await ask('POST', '/contactlists', { name: 'Lyonnais' })
  // A name that has no room beside its number on a phone.
  const stopped = { tel: '+33639981230', champ_prenom: 'Marie-Alexandrine', champ_nom: 'Vandenbroucke-Delacroix' }
  await ask('POST', '/contacts', { contactlist_id: list, contacts: [contact, stopped] })
  const inList = { match: 'all', rules: [{ type: 'list', op: 'in', list_id: list }] }
  const { id: segment } = await ask('POST', '/segments', { name: 'De Lyon', ...inList })
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const { id: trial } = await ask('POST', '/trials', {
    name: 'Deux textes',
    segments: [segment],
    share: 20,
    decide_by: 'clicks',
    decide_after_minutes: 120,
    scheduleAt: tomorrow,
    variants: ['Soldes : -20 % #SHORTURL#', 'Tout doit partir ! #SHORTURL#'].map((content) => ({
      sms: { content, shorturl: { mode: 'unique', url: 'https://boutique.example/soldes' } }
    }))
  })
  const { id: automation } = await ask('POST', '/automations', {
    name: 'Bonne année',
    schedule: '0 10 1 1 *',
    segments: [segment],
    sms: { content: 'Bonne année #prenom# !' }
  })
  const { id: autoReply } = await ask('POST', '/auto-replies', {
    name: 'Horaires',
    keywords: ['HORAIRES'],
    content: 'Nous sommes ouverts de 9 h à 19 h.'
  })
  const draft = {
    name: 'Nouveautés',
    channel: 'sms',
    fields: { content: 'Les nouveautés sont là', contactlist: [list] }
  }
  await ask('POST', '/drafts', draft)
  await ask('POST', '/canned-replies', { name: 'Merci', content: 'Merci de votre message.' })
  await ask('POST', '/stops', { recipient: stopped.tel })
  await ask('POST', '/stops/operator', { recipient: '+33639981231', reason: 'Asked by letter.' })
  await ask('POST', '/consents', { consents: [{ recipient: contact.tel, wording: 'J’accepte les offres.' }] })
  await ask('POST', '/senders', { name: 'NOUVEAUTES' })
  const { id: sms } = await ask('POST', '/models', {
    name: 'Prêt',
    content: 'Bonjour #champ_prenom#, c’est prêt.',
    sender: ''
  })
  const { id: rcs } = await ask('POST', '/models/rcs', {
    name: 'Carte',
    type: 'card',
    data: { title: 'Nouveautés', description: 'Elles sont là.', choices: [{ type: 'text', text: 'Me rappeler' }] },
    fallback: { content: 'Les nouveautés sont là.' }
  })
  const below = { email: 'vitrine@boutique.example', password: 'a good password', social_reason: 'Vitrine Martin' }
  const { subaccount_id: subAccount } = await ask('POST', '/subaccount', below)
  const beside = { email: 'contact@agence.example', password: 'a good password', social_reason: 'Agence Durand' }
  const { id: account } = await ask('POST', '/accounts', beside)
  const { link } = await ask('POST', '/people/invitations', { email: 'hugo@boutique.example', role: 'sender' })
  return {
    inside: [
      '/messages/1',
      '/',
      '/send',
      '/drafts',
      '/calendar',
      '/automations',
      `/automations/${automation}`,
      '/automations/new',
      '/auto-replies',
      `/auto-replies/${autoReply}`,
      '/auto-replies/new',
      '/messages',
      '/messages/1/results',
      '/results',
      '/results/compare?messages=1',
      '/inbox',
      '/contacts',
      `/contacts/${list}`,
      '/segments',
      `/segments/${segment}`,
      '/segments/new',
      '/trials',
      `/trials/${trial}`,
      '/trials/new',
      '/numbers/+33639980005',
      '/stops',
      '/consents',
      '/senders',
      '/senders?tab=requests',
      '/senders?tab=numbers',
      '/senders?tab=lists',
      '/senders?tab=rules',
      '/templates',
      `/templates/sms/${sms}`,
      '/templates/sms/new',
      `/templates/rcs/${rcs}`,
      '/templates/rcs/new',
      '/webhooks',
      '/api',
      '/keys',
      '/smpp',
      '/phone',
      '/credits',
      '/statements',
      `/statements/${new Date().toISOString().slice(0, 7)}`,
      '/prices',
      '/margins',
      '/alarms',
      '/notices',
      '/people',
      '/sub-accounts',
      `/sub-accounts/${subAccount}`,
      '/operator',
      '/operator?tab=routes',
      '/operator?tab=agents',
      '/operator?tab=unmatched',
      '/operator?tab=accounts',
      `/operator/accounts/${account}`,
      '/operator?tab=number',
      '/operator?tab=stops',
      '/operator?tab=keywords',
      '/audit',
      '/settings',
      '/security',
      '/nowhere'
    ],
    outside: ['/login', `/invitation${new URL(link).hash}`, '/forgot-password', '/reset-password#unknown']
  }
}
