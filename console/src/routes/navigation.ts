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
import type { PageName } from './page-names.ts'

type Me = Schemas['Me']

type IsFor = (me: Me) => boolean

interface Destination {
  name: PageName
  icon: Icon
  isFor?: IsFor
}

/** In three groups: daily work, pages for programs, and settings. */
export const NAVIGATION: Destination[][] = [
  [
    { name: 'home', icon: IconHome },
    { name: 'send', icon: IconSend, isFor: (me) => me.permissions.includes('send') },
    { name: 'messages', icon: IconListDetails },
    { name: 'calendar', icon: IconCalendar },
    { name: 'automations', icon: IconRepeat },
    { name: 'autoReplies', icon: IconMessageReply },
    { name: 'results', icon: IconChartBar },
    { name: 'inbox', icon: IconInbox },
    { name: 'contacts', icon: IconAddressBook },
    { name: 'segments', icon: IconFilter },
    { name: 'trials', icon: IconArrowsSplit2 },
    { name: 'stops', icon: IconBan },
    { name: 'consents', icon: IconCheckbox },
    { name: 'templates', icon: IconTemplate },
    { name: 'senders', icon: IconId }
  ],
  [
    { name: 'webhooks', icon: IconWebhook },
    { name: 'api', icon: IconApi },
    { name: 'keys', icon: IconKey, isFor: (me) => me.permissions.includes('people') },
    {
      name: 'smpp',
      icon: IconPlugConnected,
      isFor: (me) => me.has_smpp && me.permissions.includes('people')
    },
    { name: 'phone', icon: IconDeviceMobile, isFor: (me) => me.is_sandbox }
  ],
  [
    { name: 'credits', icon: IconCoins },
    { name: 'prices', icon: IconReceipt2 },
    { name: 'alarms', icon: IconBellRinging },
    { name: 'people', icon: IconUsers },
    { name: 'subAccounts', icon: IconUsersGroup, isFor: (me) => me.role !== 'sub-account' },
    { name: 'operator', icon: IconServer, isFor: (me) => me.role === 'operator' },
    { name: 'settings', icon: IconSettings },
    { name: 'security', icon: IconShieldLock, isFor: (me) => !me.is_viewing }
  ]
]

/** Pages that others lead to. They are not in the menu, but the search finds them. */
const BESIDE_MENU: { name: PageName; isFor?: IsFor }[] = [
  { name: 'drafts' },
  { name: 'statements' },
  { name: 'margins', isFor: (me) => me.role !== 'sub-account' && me.permissions.includes('account') },
  { name: 'notices' },
  { name: 'audit', isFor: (me) => me.permissions.includes('people') }
]

/** Every page with a name that the person may see. */
export const pagesFor = (me: Me | undefined): PageName[] =>
  [...NAVIGATION.flat(), ...BESIDE_MENU].filter(({ isFor }) => !isFor || (me && isFor(me))).map(({ name }) => name)
