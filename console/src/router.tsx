import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { onFactorMissing } from './lib/api.ts'
import { loadCode } from './lib/load-code.ts'
import { readEnding, readToken } from './lib/session.ts'
import { Home } from './routes/home.tsx'
import { RouteError } from './routes/route-error.tsx'
import { Shell } from './routes/shell.tsx'
import { PageLoading } from './ui/states.tsx'

/*
 * Every page of the console. Each is loaded when it is opened. The frame and Home are here: a first visit shows them, and each
 * would be one more way to the service and back.
 */

/** A component that is loaded when its route is opened. */
const load = <M extends Record<string, unknown>>(code: () => Promise<M>, name: keyof M & string) =>
  lazyRouteComponent((() => loadCode(code)) as never, name as never)

const root = createRootRoute()

const logIn = createRoute({
  getParentRoute: () => root,
  path: '/login',
  // Only a page of ours, never another address: a stranger may have made the link. Without this line it would stay as given.
  validateSearch: ({ next }): { next?: string | undefined } => ({
    next: typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined
  }),
  beforeLoad({ search: { next = '/' } }) {
    if (readToken()) throw redirect({ href: next })
  },
  component: load(() => import('./routes/log-in.tsx'), 'LogIn')
})

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad({ location }) {
    if (readToken()) return
    // After a log-out the next session begins at home; after an expiry it comes back to the same page.
    const isCutOff = readEnding() !== 'logged-out' && location.href !== '/'
    throw redirect({ to: '/login', search: isCutOff ? { next: location.href } : {} })
  },
  component: Shell
})

/** A page that needs no session: a mailed link or an email opens it. */
const openPage = <const P extends string, const M extends Record<string, unknown>>(
  path: P,
  code: () => Promise<M>,
  name: keyof M & string
) => createRoute({ getParentRoute: () => root, path, component: load(code, name) })

const openPages = [
  openPage('/invitation', () => import('./routes/invitation.tsx'), 'InvitationPage'),
  openPage('/forgot-password', () => import('./routes/forgot-password.tsx'), 'ForgotPassword'),
  openPage('/reset-password', () => import('./routes/reset-password.tsx'), 'ResetPassword')
]

const page = <const P extends string, const M extends Record<string, unknown>>(
  path: P,
  code: () => Promise<M>,
  name: keyof M & string
) => createRoute({ getParentRoute: () => shell, path, component: load(code, name) })

const pages = [
  createRoute({ getParentRoute: () => shell, path: '/', component: Home }),
  page('/send', () => import('./routes/send.tsx'), 'Send'),
  page('/calendar', () => import('./routes/calendar.tsx'), 'CalendarPage'),
  page('/automations', () => import('./routes/automations.tsx'), 'Automations'),
  page('/automations/$id', () => import('./routes/automation.tsx'), 'AutomationPage'),
  page('/auto-replies', () => import('./routes/auto-replies.tsx'), 'AutoReplies'),
  page('/auto-replies/$id', () => import('./routes/auto-reply.tsx'), 'AutoReplyPage'),
  page('/drafts', () => import('./routes/drafts.tsx'), 'Drafts'),
  page('/messages', () => import('./routes/messages.tsx'), 'MessagesPage'),
  page('/messages/$id', () => import('./routes/message.tsx'), 'MessagePage'),
  page('/messages/$id/results', () => import('./routes/message-results.tsx'), 'MessageResultsPage'),
  page('/results', () => import('./routes/results.tsx'), 'Results'),
  page('/results/compare', () => import('./routes/compare.tsx'), 'Compare'),
  page('/inbox', () => import('./routes/inbox.tsx'), 'Inbox'),
  page('/contacts', () => import('./routes/contacts.tsx'), 'Contacts'),
  page('/contacts/$id', () => import('./routes/contact-list.tsx'), 'ContactList'),
  page('/segments', () => import('./routes/segments.tsx'), 'Segments'),
  page('/segments/$id', () => import('./routes/segment.tsx'), 'SegmentPage'),
  page('/trials', () => import('./routes/trials.tsx'), 'Trials'),
  page('/trials/$id', () => import('./routes/trial.tsx'), 'TrialPage'),
  page('/numbers/$number', () => import('./routes/number.tsx'), 'NumberPage'),
  page('/stops', () => import('./routes/stops.tsx'), 'Stops'),
  page('/consents', () => import('./routes/consents.tsx'), 'Consents'),
  page('/senders', () => import('./routes/senders.tsx'), 'Senders'),
  page('/templates', () => import('./routes/templates.tsx'), 'Templates'),
  page('/templates/$kind/$id', () => import('./routes/template.tsx'), 'TemplatePage'),
  page('/webhooks', () => import('./routes/webhooks.tsx'), 'Webhooks'),
  page('/api', () => import('./routes/api.tsx'), 'ApiPage'),
  page('/keys', () => import('./routes/keys.tsx'), 'Keys'),
  page('/smpp', () => import('./routes/smpp.tsx'), 'Smpp'),
  page('/phone', () => import('./routes/phone.tsx'), 'PhonePage'),
  page('/credits', () => import('./routes/credits.tsx'), 'Credits'),
  page('/statements', () => import('./routes/statements.tsx'), 'Statements'),
  page('/statements/$month', () => import('./routes/statement.tsx'), 'StatementPage'),
  page('/prices', () => import('./routes/prices.tsx'), 'Prices'),
  page('/margins', () => import('./routes/margins.tsx'), 'Margins'),
  page('/alarms', () => import('./routes/alarms.tsx'), 'Alarms'),
  page('/notices', () => import('./routes/notices.tsx'), 'Notices'),
  page('/people', () => import('./routes/people.tsx'), 'People'),
  page('/sub-accounts', () => import('./routes/sub-accounts.tsx'), 'SubAccounts'),
  page('/sub-accounts/$id', () => import('./routes/sub-account.tsx'), 'SubAccountPage'),
  page('/operator/accounts/$id', () => import('./routes/operator-account.tsx'), 'OperatorAccount'),
  page('/operator', () => import('./routes/operator.tsx'), 'Operator'),
  page('/audit', () => import('./routes/audit.tsx'), 'Audit'),
  page('/settings', () => import('./routes/settings.tsx'), 'Settings'),
  page('/security', () => import('./routes/security.tsx'), 'Security'),
  page('/$', () => import('./routes/not-found.tsx'), 'NotFound')
]

export const router = createRouter({
  routeTree: root.addChildren([logIn, ...openPages, shell.addChildren(pages)]),
  basepath: '/app',
  defaultPreload: 'intent',
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: RouteError,
  defaultNotFoundComponent: lazyRouteComponent(() => loadCode(() => import('./routes/not-found.tsx')), 'NotFound'),
  scrollRestoration: true
})

// Until the factor is set up, every other page would only be refused.
onFactorMissing(() => void router.navigate({ to: '/security' }))

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
