import {
  ActionIcon,
  Alert,
  Anchor,
  AppShell,
  Badge,
  Burger,
  Button,
  Divider,
  Group,
  NavLink,
  ScrollArea,
  Text,
  VisuallyHidden
} from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconEye, IconLogout, IconPlugConnectedX, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { Fragment, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { creditsQuery } from '../features/account/api/credits.ts'
import { useMe } from '../features/account/api/me.ts'
import { AccountSwitch } from '../features/account/components/account-switch.tsx'
import { waitingRequestsQuery } from '../features/credits/api/credit-requests.ts'
import { openFind, openShortcuts, useOpenFind } from '../features/find/open-find.ts'
import { Bell } from '../features/notices/components/bell.tsx'
import { useOpenPhone } from '../features/phones/open-phone.ts'
import { unreadCountQuery } from '../features/replies/api/replies.ts'
import { call, type Schemas } from '../lib/api.ts'
import { useIsAway } from '../lib/away.ts'
import { useFormats } from '../lib/format.ts'
import { defineWords, useLanguage, useWords } from '../lib/language.ts'
import { loadCode } from '../lib/load-code.ts'
import { look } from '../lib/look.ts'
import { endView, logOut } from '../lib/session.ts'
import { useWorks } from '../lib/works.ts'
import { AppearanceMenu } from '../ui/appearance-menu.tsx'
import { Brand } from '../ui/brand.tsx'
import { NAVIGATION, pagesFor } from './navigation.ts'
import { PAGE_NAMES, PAGE_PATHS, type PageName } from './page-names.ts'

const words = defineWords(
  {
    navigation: 'Main menu',
    open: 'Toggle menu',
    find: 'Find anything',
    logOut: 'Log out',
    skip: 'Skip to content',
    sandbox: 'Sandbox',
    credits: 'credits',
    unread: 'unread',
    request: 'request to answer',
    requests: 'requests to answer',
    viewing: (name: string) => `You are viewing ${name}. You can’t change anything.`,
    suspended: (reason: string) => `This account is suspended: ${reason}`,
    endView: 'Stop viewing',
    away: 'The service can’t be reached. What you see may be old; it goes on by itself once the service is back.'
  },
  {
    navigation: 'Menu principal',
    open: 'Ouvrir ou fermer le menu',
    find: 'Tout rechercher',
    logOut: 'Se déconnecter',
    skip: 'Aller au contenu',
    sandbox: 'Bac à sable',
    credits: 'crédits',
    unread: 'non lues',
    request: 'demande à traiter',
    requests: 'demandes à traiter',
    viewing: (name: string) => `Vous consultez le compte ${name}, sans rien pouvoir modifier.`,
    suspended: (reason: string) => `Ce compte est suspendu : ${reason}`,
    endView: 'Quitter la consultation',
    away: 'Le service est injoignable. Ce que vous voyez peut dater ; tout reprendra seul dès son retour.'
  }
)

const PhonePanel = lazy(async () => ({
  default: (await loadCode(() => import('../features/phones/components/phone-panel.tsx'))).PhonePanel
}))

const FindDialog = lazy(async () => ({
  default: (await loadCode(() => import('../features/find/components/find-dialog.tsx'))).FindDialog
}))

const WorksPanel = lazy(async () => ({
  default: (await loadCode(() => import('../features/works/components/works-panel.tsx'))).WorksPanel
}))

const PHONE_WIDTH = 356
/** Below a narrow page, for the virtual phone that lies over its end (phone-panel.module.css). */
const PHONE_ROOM = { base: 'calc(45vh + 32px)', sm: 'md' }

/** The frame of every page: the menu, the account and its credits. */
export function Shell() {
  const say = useWords(words)
  const me = useMe()
  const isAway = useIsAway()
  const isPhoneOpen = useOpenPhone() !== undefined
  const [isOpen, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const cameFrom = useRef(path)
  useEffect(() => {
    if (cameFrom.current === path) return
    cameFrom.current = path
    close()
    // Keyboard and screen reader users are then in the page, and no longer in the menu.
    const page = document.getElementById('page')
    if (!page?.contains(document.activeElement)) page?.focus({ preventScroll: true })
  }, [path, close])
  useLanguageOfMails()
  // Also from within a field.
  useHotkeys(
    [
      ['mod+K', openFind],
      ['mod+/', openShortcuts]
    ],
    []
  )
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      // The virtual phone is beside the page where there is room, and over it where there is not.
      aside={{ width: PHONE_WIDTH, breakpoint: 'lg', collapsed: { mobile: true, desktop: !isPhoneOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#page">
        {say.skip}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          {/* A long name is cut, and pushes no button out of the screen. */}
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={say.open}
              aria-expanded={isOpen}
            />
            <Anchor component={Link} to="/" underline="never" c="inherit" miw={0} aria-label={look.name}>
              <Brand />
            </Anchor>
            {me?.is_sandbox && (
              <Badge variant="light" color="grape" visibleFrom="xs" tt="none">
                {say.sandbox}
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
            <Credits />
            <ActionIcon
              variant="subtle"
              size="lg"
              aria-label={say.find}
              aria-keyshortcuts="Control+K"
              title={`${say.find} (Ctrl K)`}
              onClick={openFind}
            >
              <IconSearch size={20} aria-hidden />
            </ActionIcon>
            <Bell />
            <AppearanceMenu />
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              visibleFrom="md"
              leftSection={<IconLogout size={16} aria-hidden />}
              onClick={logOut}
            >
              {say.logOut}
            </Button>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              hiddenFrom="md"
              aria-label={say.logOut}
              onClick={logOut}
            >
              <IconLogout size={20} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={say.navigation} className="pages" data-open={isOpen}>
        {/* Its bar is always there where it does not fit, in the padding: it tells that more pages follow. */}
        <AppShell.Section
          grow
          component={ScrollArea}
          type="auto"
          scrollbarSize={8}
          mx="calc(var(--mantine-spacing-sm) * -1)"
          px="sm"
        >
          <Pages path={path} />
        </AppShell.Section>
        {me && (
          <AppShell.Section pt="sm">
            <Divider mb="sm" />
            <AccountSwitch name={nameOf(me)} email={me.email} isFixed={me.is_viewing} />
          </AppShell.Section>
        )}
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} {...(isPhoneOpen && { pb: PHONE_ROOM })}>
        {isAway && (
          <Alert color="orange" icon={<IconPlugConnectedX size={18} aria-hidden />} role="status" mb="md">
            {say.away}
          </Alert>
        )}
        {me?.is_viewing && (
          <Alert color="grape" icon={<IconEye size={18} aria-hidden />} role="status" mb="md">
            <Group justify="space-between">
              <Text size="sm">{say.viewing(me.social_reason || `#${me.id}`)}</Text>
              <Button size="compact-sm" variant="default" onClick={() => void stopViewing()}>
                {say.endView}
              </Button>
            </Group>
          </Alert>
        )}
        {me && me.standing !== 'open' && (
          <Alert color="orange" role="status" mb="md">
            {say.suspended(me.standing_reason)}
          </Alert>
        )}
        <Works path={path} />
        <Outlet />
      </AppShell.Main>
      <Find />
      {isPhoneOpen && (
        <Suspense>
          <PhonePanel />
        </Suspense>
      )}
    </AppShell>
  )
}

/** Its code is loaded when it is opened first. */
function Find() {
  const names = useWords(PAGE_NAMES)
  const me = useMe()
  const isOpen = useOpenFind() !== undefined
  const [isLoaded, setLoaded] = useState(false)
  if (isOpen && !isLoaded) setLoaded(true)
  if (!isOpen && !isLoaded) return null
  const pages = pagesFor(me).map((name) => ({ name: names[name], to: PAGE_PATHS[name] }))
  return (
    <Suspense>
      <FindDialog pages={pages} />
    </Suspense>
  )
}

/** What goes on beside the page. Not what the page itself is about. */
function Works({ path }: { path: string }) {
  const works = useWorks().filter(({ isLeft, to }) => isLeft && to !== path)
  if (works.length === 0) return null
  return (
    <Suspense>
      <WorksPanel works={works} />
    </Suspense>
  )
}

/** The token of the view ends with it, if the service can be reached. */
async function stopViewing(): Promise<void> {
  await call('logout').catch(() => undefined)
  endView()
}

/** Mails come in the language that somebody chose here. */
function useLanguageOfMails(): void {
  const language = useLanguage()
  const isViewing = useMe()?.is_viewing ?? false
  const before = useRef(language)
  useEffect(() => {
    if (before.current === language || isViewing) return
    before.current = language
    // Of no weight: without it, mails come in the language before.
    void call('changeMe', { body: { language } }).catch(() => undefined)
  }, [language, isViewing])
}

/** Pages that are not in the menu, by the entry that leads to them. */
const BELOW: Partial<Record<PageName, readonly string[]>> = {
  send: ['/drafts'],
  contacts: ['/numbers'],
  credits: ['/statements'],
  prices: ['/margins'],
  settings: ['/audit']
}

function isAt(path: string, page: string): boolean {
  return path === page || (page !== '/' && path.startsWith(`${page}/`))
}

function Pages({ path }: { path: string }) {
  const names = useWords(PAGE_NAMES)
  const me = useMe()
  const here = useRef<HTMLAnchorElement>(null)
  const count = pagesFor(me).length
  const router = useRouter()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page, or pages that come before it, move it.
  useEffect(() => {
    const show = () => showIn(here.current)
    show()
    // The router restores what was scrolled, also the menu, once a page is drawn.
    return router.subscribe('onRendered', show)
  }, [router, path, count])
  return NAVIGATION.map((group, index) => (
    <Fragment key={group[0]?.name}>
      {index > 0 && <Divider my="xs" />}
      {group
        .filter(({ isFor }) => !isFor || (me && isFor(me)))
        .map(({ name, icon: Icon }) => {
          const to = PAGE_PATHS[name]
          const isHere = [to, ...(BELOW[name] ?? [])].some((each) => isAt(path, each))
          return (
            <NavLink
              key={name}
              ref={isHere ? here : undefined}
              component={Link}
              to={to}
              py={6}
              label={names[name]}
              leftSection={<Icon size={18} aria-hidden />}
              rightSection={name === 'inbox' ? <UnreadBadge /> : name === 'credits' && <RequestsBadge />}
              active={isHere}
              aria-current={isHere ? 'page' : undefined}
            />
          )
        })}
    </Fragment>
  ))
}

/** Not `scrollIntoView`: after it, the first Tab of a page leads to the entry that follows, past the link to the content. */
function showIn(entry: HTMLElement | null): void {
  const menu = entry?.closest('.mantine-ScrollArea-viewport')
  if (!entry || !menu) return
  const { top, bottom } = entry.getBoundingClientRect()
  const room = menu.getBoundingClientRect()
  menu.scrollTop += Math.min(0, top - room.top) + Math.max(0, bottom - room.bottom)
}

function UnreadBadge() {
  const say = useWords(words)
  const formats = useFormats()
  const { data = 0 } = useQuery(unreadCountQuery)
  if (data === 0) return null
  return (
    <Badge size="sm" variant="filled" className="digits">
      {formats.number(data)} <VisuallyHidden>{say.unread}</VisuallyHidden>
    </Badge>
  )
}

/** Sub-accounts have none to answer. */
function RequestsBadge() {
  const say = useWords(words)
  const formats = useFormats()
  const me = useMe()
  const { data = 0 } = useQuery({ ...waitingRequestsQuery, enabled: me !== undefined && me.role !== 'sub-account' })
  if (data === 0) return null
  return (
    <Badge size="sm" variant="filled" className="digits">
      {formats.number(data)} <VisuallyHidden>{data === 1 ? say.request : say.requests}</VisuallyHidden>
    </Badge>
  )
}

function Credits() {
  const say = useWords(words)
  const formats = useFormats()
  const { data } = useQuery(creditsQuery)
  if (!data) return null
  return (
    <Group gap="xs" visibleFrom="sm" wrap="nowrap">
      {data.map(({ msgType, label, credits }) => (
        <Badge key={msgType} variant="default" size="lg" tt="none" className="digits" title={say.credits}>
          {label} {formats.number(credits)}
        </Badge>
      ))}
    </Group>
  )
}

const nameOf = (me: Schemas['Me']) => me.social_reason || `${me.first_name} ${me.last_name}`.trim() || me.email
