import {
  type Icon,
  IconAddressBook,
  IconApi,
  IconArrowsSplit2,
  IconBan,
  IconBellRinging,
  IconCalendar,
  IconChartBar,
  IconCheckbox,
  IconCoins,
  IconDeviceMobile,
  IconFilter,
  IconHome,
  IconId,
  IconInbox,
  IconKey,
  IconListDetails,
  IconMessageReply,
  IconPlugConnected,
  IconReceipt2,
  IconRepeat,
  IconSend,
  IconServer,
  IconSettings,
  IconShieldLock,
  IconTemplate,
  IconUsers,
  IconUsersGroup,
  IconWebhook
} from '@tabler/icons-react'
import type { Schemas } from '../lib/api.ts'
import { defineWords } from '../lib/language.ts'

export const navigationWords = defineWords(
  {
    home: 'Home',
    send: 'Send',
    messages: 'Messages',
    calendar: 'Calendar',
    automations: 'Automations',
    autoReplies: 'Auto-replies',
    results: 'Results',
    inbox: 'Inbox',
    contacts: 'Contacts',
    segments: 'Segments',
    trials: 'A/B trials',
    stops: 'STOPs',
    consents: 'Consents',
    templates: 'Templates',
    senders: 'Senders',
    credits: 'Credits',
    prices: 'Prices',
    alarms: 'Alarms',
    webhooks: 'Webhooks',
    api: 'API',
    keys: 'Keys',
    smpp: 'SMPP',
    people: 'People',
    subAccounts: 'Sub-accounts',
    settings: 'Settings',
    security: 'Security',
    operator: 'Operator',
    phone: 'Virtual phone'
  },
  {
    home: 'Accueil',
    send: 'Envoyer',
    messages: 'Messages',
    calendar: 'Calendrier',
    automations: 'Automatisations',
    autoReplies: 'Réponses automatiques',
    results: 'Résultats',
    inbox: 'Réponses',
    contacts: 'Contacts',
    segments: 'Segments',
    trials: 'Essais A/B',
    stops: 'STOP',
    consents: 'Consentements',
    templates: 'Modèles',
    senders: 'Expéditeurs',
    credits: 'Crédits',
    prices: 'Tarifs',
    alarms: 'Alarmes',
    webhooks: 'Webhooks',
    api: 'API',
    keys: 'Clés',
    smpp: 'SMPP',
    people: 'Personnes',
    subAccounts: 'Sous-comptes',
    settings: 'Réglages',
    security: 'Sécurité',
    operator: 'Exploitation',
    phone: 'Téléphone virtuel'
  }
)

type Me = Schemas['Me']

interface Destination {
  name: keyof (typeof navigationWords)['en']
  to: string
  icon: Icon
  isFor?: (me: Me) => boolean
}

/** In three groups: daily work, pages for programs, and settings. */
export const NAVIGATION: Destination[][] = [
  [
    { name: 'home', to: '/', icon: IconHome },
    { name: 'send', to: '/send', icon: IconSend, isFor: (me) => me.permissions.includes('send') },
    { name: 'messages', to: '/messages', icon: IconListDetails },
    { name: 'calendar', to: '/calendar', icon: IconCalendar },
    { name: 'automations', to: '/automations', icon: IconRepeat },
    { name: 'autoReplies', to: '/auto-replies', icon: IconMessageReply },
    { name: 'results', to: '/results', icon: IconChartBar },
    { name: 'inbox', to: '/inbox', icon: IconInbox },
    { name: 'contacts', to: '/contacts', icon: IconAddressBook },
    { name: 'segments', to: '/segments', icon: IconFilter },
    { name: 'trials', to: '/trials', icon: IconArrowsSplit2 },
    { name: 'stops', to: '/stops', icon: IconBan },
    { name: 'consents', to: '/consents', icon: IconCheckbox },
    { name: 'templates', to: '/templates', icon: IconTemplate },
    { name: 'senders', to: '/senders', icon: IconId }
  ],
  [
    { name: 'webhooks', to: '/webhooks', icon: IconWebhook },
    { name: 'api', to: '/api', icon: IconApi },
    { name: 'keys', to: '/keys', icon: IconKey, isFor: (me) => me.permissions.includes('people') },
    {
      name: 'smpp',
      to: '/smpp',
      icon: IconPlugConnected,
      isFor: (me) => me.has_smpp && me.permissions.includes('people')
    },
    { name: 'phone', to: '/phone', icon: IconDeviceMobile, isFor: (me) => me.is_sandbox }
  ],
  [
    { name: 'credits', to: '/credits', icon: IconCoins },
    { name: 'prices', to: '/prices', icon: IconReceipt2 },
    { name: 'alarms', to: '/alarms', icon: IconBellRinging },
    { name: 'people', to: '/people', icon: IconUsers },
    { name: 'subAccounts', to: '/sub-accounts', icon: IconUsersGroup, isFor: (me) => me.role !== 'sub-account' },
    { name: 'operator', to: '/operator', icon: IconServer, isFor: (me) => me.role === 'operator' },
    { name: 'settings', to: '/settings', icon: IconSettings },
    { name: 'security', to: '/security', icon: IconShieldLock, isFor: (me) => !me.is_viewing }
  ]
]
