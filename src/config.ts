import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import Type, { type Static, type TSchema } from 'typebox'
import { type LimitDefaults, readLimitDefaults } from './accounts/limits.ts'
import type { WatchSettings } from './alarms/watches.ts'
import type { DoorName } from './callbacks/callback.ts'
import { toReadProblem } from './carriers/named-files.ts'
import type { SenderMode } from './compliance/sender-register.ts'
import { hostsOf } from './database/hosts.ts'
import { CONSENT_MODES, type ConsentMode } from './http/consent-mode.ts'
import { NO_LIMITS } from './http/limit.ts'
import { lookAtPicture } from './pictures/look-at-picture.ts'
import { coerceText } from './schemas/coerce.ts'
import { validator } from './schemas/validate.ts'
import type { GroupRole } from './single-sign-on/groups.ts'
import type { ProviderSettings } from './single-sign-on/provider.ts'
import type { SmppServerSettings } from './smpp-server/smpp-server.ts'
import type { StatementIssuer } from './statements/issuer.ts'
import { readPairs, SAMPLERS, type TraceSettings } from './traces/settings.ts'

/** The characters that every HTTP implementation reads alike in a header. */
const PRINTABLE = '^[\\x21-\\x7e]+$'
const PRINTABLE_WORDS = 'printable ASCII without spaces, such as my-shop-1'

/**
 * Every setting, once: its type, default, bounds and meaning. The table in docs/settings.md is written from this
 * (`npm run docs:settings`). A setting marked `secret` is never repeated in a message.
 */
export const Settings = Type.Object({
  PORT: Type.Integer({
    minimum: 0,
    maximum: 65535,
    default: 3000,
    description: 'The port HTTP listens on; 0 takes a free one.'
  }),
  HOST: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'The address HTTP listens on; `0.0.0.0` for all.'
  }),
  DATABASE_URL: Type.Optional(
    Type.String({
      secret: true,
      description:
        'A PostgreSQL 15 or newer; of several hosts (`postgres://user@one:5432,two:5432/name`), the one that takes writes is used. Without it, an embedded PostgreSQL runs under CHAPPE_DATA.'
    })
  ),
  CHAPPE_READ_URL: Type.Optional(
    Type.String({
      secret: true,
      description:
        'Standbys of DATABASE_URL that answer extracts, statistics and histories: `postgres://user@one:5432,two:5432/name`, or several such addresses separated by spaces. A standby that is too far behind, or away, is left out by itself.'
    })
  ),
  CHAPPE_READ_LAG_SECONDS: Type.Integer({
    minimum: 2,
    maximum: 3600,
    default: 10,
    description: 'How far a standby of CHAPPE_READ_URL may be behind, in seconds.'
  }),
  CHAPPE_DATA: Type.String({
    minLength: 1,
    default: './data',
    description: 'The folder of the embedded database and of the secrets made at first start.'
  }),
  CHAPPE_ADMIN_EMAIL: Type.String({
    format: 'email',
    maxLength: 254,
    default: 'admin@chappe.local',
    description: 'Email of the first account, the operator, made at first start.'
  }),
  CHAPPE_ADMIN_PASSWORD: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 128,
      secret: true,
      description: 'Its password. Without it, one is made up and printed once.'
    })
  ),
  CHAPPE_ADMIN_APP_ID: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      pattern: PRINTABLE,
      'x-words': PRINTABLE_WORDS,
      description: 'The X-APP-ID of its key pair. Without it, one is made up and printed once.'
    })
  ),
  CHAPPE_ADMIN_API_KEY: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 128,
      pattern: PRINTABLE,
      'x-words': PRINTABLE_WORDS,
      secret: true,
      description: 'The X-API-KEY of its key pair. Without it, one is made up and printed once.'
    })
  ),
  CHAPPE_ADMIN_CREDITS: Type.Integer({
    minimum: 0,
    maximum: 1_000_000_000,
    default: 10_000,
    description: 'Its opening credits, of each message type.'
  }),
  CHAPPE_CARRIERS: Type.Optional(
    Type.String({ minLength: 1, description: 'The carriers file (JSON). Without it, the built-in sandbox carriers.' })
  ),
  CHAPPE_PUBLIC_URL: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The address others reach us at, used in links and callbacks. Without it, http://HOST:PORT.'
    })
  ),
  CHAPPE_SMTP_URL: Type.Optional(
    Type.String({
      secret: true,
      description:
        'The mail server for invitations, forgotten passwords and news (limits, balances, alarms, requests for credits, decisions on senders), such as `smtps://user:password@mail.example:465`. Without it, the link of an invitation is shown to the person who invites.'
    })
  ),
  CHAPPE_MAIL_FROM: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'The sender of mails, such as `Chappe <no-reply@sms.example>`. Needed with CHAPPE_SMTP_URL.'
    })
  ),
  CHAPPE_ROLES: Type.String({
    default: 'all',
    description: 'What this process runs: `all`, or some of `api`, `delivery`, `webhooks`, `smpp`, separated by commas.'
  }),
  CHAPPE_SMPP_PORT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 65535,
      description:
        'The port on which customers bind over SMPP, such as 2775; 0 takes a free one. Without it, and without CHAPPE_SMPP_TLS_PORT, there is no SMPP server.'
    })
  ),
  CHAPPE_SMPP_TLS_PORT: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 65535, description: 'The same with TLS, such as 3550.' })
  ),
  CHAPPE_SMPP_TLS_KEY: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The file (PEM) of the private key for CHAPPE_SMPP_TLS_PORT. Only processes with the role `smpp` need it.'
    })
  ),
  CHAPPE_SMPP_TLS_CERT: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The file (PEM) of its certificate, with those above it. The role `api` watches when it ends, if it is given.'
    })
  ),
  CHAPPE_SMPP_HOST: Type.String({
    minLength: 1,
    default: '127.0.0.1',
    description: 'The address on which customers bind over SMPP; `0.0.0.0` for all.'
  }),
  CHAPPE_SMPP_RECEIPT_HOURS: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 72,
    description: 'How long receipts and replies are kept for a bind that answers them, in hours.'
  }),
  CHAPPE_JWT_TTL: Type.Integer({
    minimum: 60,
    maximum: 31_536_000,
    default: 3600,
    description: 'How long a token from login is valid, in seconds.'
  }),
  CHAPPE_SUB_ACCOUNTS_MAX: Type.Integer({
    minimum: 0,
    maximum: 100_000,
    default: 200,
    description: 'How many sub-accounts a top-level account may have; 0 allows none. A lower value removes nobody.'
  }),
  CHAPPE_LIMITS: Type.String({
    default: 'people=200, keys=20',
    description:
      'Default limits of accounts, such as `requests_per_second=50, credits_per_day=10000, messages_per_number=10, countries=FR+BE, people=200, keys=20, webhooks=20`. What is not named has no limit. An account may have limits of its own.'
  }),
  CHAPPE_CONSENT: Type.Enum(CONSENT_MODES, {
    default: 'off',
    description:
      'What happens to marketing for people without a consent: `off` nothing, `warn` they are counted, `enforce` they are dropped. An account may be stricter, not looser.'
  }),
  CHAPPE_SENDERS: Type.Enum(['open', 'warn', 'enforce'], {
    default: 'open',
    description:
      'How strictly the sender register binds accounts that have no mode of their own: `open` (any sender of the right form), `warn` (others than approved ones leave with a warning) or `enforce` (they are refused).'
  }),
  CHAPPE_LINK_URL: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Where short links live. Without it, CHAPPE_PUBLIC_URL followed by /s.'
    })
  ),
  CHAPPE_WEBHOOK_ALLOW_PRIVATE: Type.Boolean({
    default: false,
    description: 'Allow webhook targets on private addresses (for development).'
  }),
  CHAPPE_DOORS: Type.String({
    default: '',
    description:
      'Doors for clients of other gateways: some of `kannel` (/cgi-bin/sendsms) and `jasmin` (/send, /rate, /balance, /ping), separated by commas. Empty: none.'
  }),
  CHAPPE_RCS_FALLBACK_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 1_296_000,
    default: 300,
    description: 'How long an RCS message may wait for its delivery report before SMS takes over.'
  }),
  CHAPPE_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3650,
    default: 400,
    description: 'How long messages, replies and deliveries are kept.'
  }),
  CHAPPE_AUDIT_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3650,
    default: 365,
    description: 'How long the audit trail is kept. Whole months are removed, so up to a month longer.'
  }),
  CHAPPE_OPERATOR_NAME: Type.String({
    maxLength: 120,
    default: '',
    description: 'The name of the operator on statements.'
  }),
  CHAPPE_OPERATOR_ADDRESS: Type.String({
    maxLength: 500,
    default: '',
    description: 'Its address on statements. `|` separates lines, as in `1 rue de la Paix|75002 Paris`.'
  }),
  CHAPPE_OPERATOR_LOGO: Type.Optional(
    Type.String({ minLength: 1, description: 'The file of its logo on statements: PNG or JPEG, of at most 1 MiB.' })
  ),
  CHAPPE_CORS_ORIGINS: Type.String({
    default: '',
    description: 'Web origins whose pages may call the API, separated by commas; `*` for all. Empty: none.'
  }),
  CHAPPE_TRUSTED_PROXIES: Type.String({
    default: '',
    description:
      'Addresses or networks (CIDR) of the reverse proxies in front of us, separated by commas: only theirs is the X-Forwarded-For we believe.'
  }),
  CHAPPE_ALARMS: Type.Boolean({
    default: true,
    description:
      'Whether Chappe looks for trouble by itself and raises alarms; `false` for those who have Prometheus do it.'
  }),
  CHAPPE_ALARM_QUEUE_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 60,
    description: 'How long a transactional message may wait for its carrier before there is an alarm, in seconds.'
  }),
  CHAPPE_ALARM_DISK_PERCENT: Type.Integer({
    minimum: 0,
    maximum: 100,
    default: 10,
    description: 'There is an alarm when less of the disk of the embedded database is free. In percent; 0 for never.'
  }),
  CHAPPE_ALARM_EXPIRY_DAYS: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 14,
    description: 'How many days before the end of an API key or a certificate there is an alarm.'
  }),
  CHAPPE_DATABASE_GB: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: 'How many gigabytes the database may have; there is an alarm when it has nine tenths of them.'
    })
  ),
  CHAPPE_METRICS: Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: PRINTABLE,
    'x-words': PRINTABLE_WORDS,
    default: 'open',
    secret: true,
    description:
      'Who may read /metrics: `open` for everybody, `closed` for the operator alone, or a token of 16 characters or more, to be sent as `Authorization: Bearer`.'
  }),
  CHAPPE_OIDC_ISSUER: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The issuer of an OpenID provider for single sign-on, such as https://login.example.com. Without it, there is none.'
    })
  ),
  CHAPPE_OIDC_CLIENT_ID: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Our client id at the OpenID provider.' })
  ),
  CHAPPE_OIDC_CLIENT_SECRET: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1024, secret: true, description: 'The secret of that client.' })
  ),
  CHAPPE_OIDC_GROUPS: Type.String({
    default: 'groups',
    description:
      'The claim that names the groups of a person, then the role that each group gives on an account, separated by semicolons: `groups; sms-admins=1:owner; sales=7:sender`.'
  }),
  CHAPPE_OIDC_SESSION_HOURS: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 12,
    description:
      'How long a log-in by single sign-on counts, in hours, if `CHAPPE_JWT_TTL` allows it. A group that is taken away counts from the next log-in on.'
  }),
  CHAPPE_OIDC_NAME: Type.String({
    minLength: 1,
    maxLength: 60,
    default: 'single sign-on',
    description: 'The name of the OpenID provider on the button of the log-in.'
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The OpenTelemetry collector for [traces](traces.md), such as http://localhost:4318: spans are posted to its /v1/traces, as JSON. Without this and the next, there are no traces.'
    })
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The whole address that spans are posted to, such as http://localhost:4318/v1/traces.'
    })
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.String({
    default: '',
    secret: true,
    description: 'Headers for the collector, such as `api-key=secret,x-team=sms`. Values are percent-encoded.'
  }),
  OTEL_EXPORTER_OTLP_TIMEOUT: Type.Integer({
    minimum: 10,
    maximum: 60_000,
    default: 5_000,
    description: 'How long the collector may take for one request, repeats included, in milliseconds.'
  }),
  OTEL_SERVICE_NAME: Type.String({
    minLength: 1,
    maxLength: 255,
    default: 'chappe',
    description: 'The name of this service in traces.'
  }),
  OTEL_RESOURCE_ATTRIBUTES: Type.String({
    default: '',
    description:
      'Further attributes of this service in traces, such as `deployment.environment.name=live,service.instance.id=api-1`.'
  }),
  OTEL_TRACES_SAMPLER: Type.Enum([...SAMPLERS], {
    default: 'parentbased_always_on',
    description: 'Which traces are kept. `parentbased_…` keeps those that the caller keeps, and decides for all others.'
  }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'The share of traces that `traceidratio` and `parentbased_traceidratio` keep.'
  }),
  OTEL_SDK_DISABLED: Type.Boolean({ default: false, description: 'No traces, whatever the other settings say.' }),
  CHAPPE_LOG: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    default: 'info',
    description: 'The level of the log.'
  })
})

export type Role = 'api' | 'delivery' | 'webhooks' | 'smpp'
const ROLES: readonly Role[] = ['api', 'delivery', 'webhooks', 'smpp']
const DOORS: readonly DoorName[] = ['kannel', 'jasmin']

export interface Config {
  readonly port: number
  readonly host: string
  readonly databaseUrl: string | undefined
  readonly readUrls: readonly string[]
  readonly readLagSeconds: number
  readonly dataFolder: string
  readonly firstAccount: {
    readonly email: string
    readonly password: string | undefined
    readonly appId: string | undefined
    readonly apiKey: string | undefined
    readonly openingCredits: number
  }
  readonly carriersFile: string | undefined
  readonly publicUrl: string | undefined
  /** Undefined without a mail server. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  readonly roles: ReadonlySet<Role>
  readonly tokenTtlSeconds: number
  readonly limitDefaults: LimitDefaults
  readonly consent: ConsentMode
  readonly senderMode: SenderMode
  readonly linkUrl: string | undefined
  readonly webhookAllowPrivate: boolean
  readonly doors: ReadonlySet<DoorName>
  /** Where customers bind over SMPP; undefined without such a server in this installation. */
  readonly smpp: (SmppServerSettings & { readonly tlsPort: number | undefined }) | undefined
  readonly smppReceiptHours: number
  /** Undefined if others raise the alarms. */
  readonly alarms: WatchSettings | undefined
  readonly rcsFallbackSeconds: number
  readonly retentionDays: number
  readonly auditRetentionDays: number
  /** The operator, as statements name it. */
  readonly issuer: StatementIssuer
  readonly corsOrigins: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly metrics: { readonly isOpen: boolean; readonly token: string | undefined }
  /** The OpenID provider, if there is one. */
  readonly signOn: ProviderSettings | undefined
  /** Undefined without a collector. */
  readonly traces: TraceSettings | undefined
  readonly logLevel: Static<typeof Settings.properties.CHAPPE_LOG>
}

/** The mistakes in the settings, a sentence each. */
export class ConfigMistakes extends Error {
  readonly mistakes: string[]

  constructor(mistakes: string[]) {
    super(mistakes.join('\n'))
    this.name = 'ConfigMistakes'
    this.mistakes = mistakes
  }
}

const validate = validator(Settings)

/** Reads the settings from an environment, reports all mistakes together, and hands out one frozen object. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(Settings.properties)) {
    // An empty variable counts as absent: that is how compose files and CI say "not set".
    const text = environment[name]?.trim()
    if (text) given[name] = coerceText(schema, text)
    else if ('default' in schema) given[name] = schema.default
  }

  const mistakes: string[] = []
  const validation = validate(given)
  if ('problems' in validation) {
    for (const { path, message } of validation.problems) mistakes.push(mistake(path, message, given[path]))
  }
  const settings = given as Static<typeof Settings>
  mistakes.push(...crossMistakes(settings))
  if (mistakes.length > 0) throw new ConfigMistakes(mistakes)

  return Object.freeze({
    port: settings.PORT,
    host: settings.HOST,
    databaseUrl: settings.DATABASE_URL,
    readUrls: readUrlsOf(settings),
    readLagSeconds: settings.CHAPPE_READ_LAG_SECONDS,
    dataFolder: resolve(settings.CHAPPE_DATA),
    firstAccount: Object.freeze({
      email: settings.CHAPPE_ADMIN_EMAIL,
      password: settings.CHAPPE_ADMIN_PASSWORD,
      appId: settings.CHAPPE_ADMIN_APP_ID,
      apiKey: settings.CHAPPE_ADMIN_API_KEY,
      openingCredits: settings.CHAPPE_ADMIN_CREDITS
    }),
    carriersFile: settings.CHAPPE_CARRIERS && resolve(settings.CHAPPE_CARRIERS),
    publicUrl: settings.CHAPPE_PUBLIC_URL && withoutTrailingSlash(settings.CHAPPE_PUBLIC_URL),
    mail: mailOf(settings),
    roles: new Set(rolesOf(settings.CHAPPE_ROLES) ?? ROLES),
    tokenTtlSeconds: settings.CHAPPE_JWT_TTL,
    limitDefaults: {
      ...(readLimitDefaults(settings.CHAPPE_LIMITS) ?? NO_LIMITS),
      subAccounts: settings.CHAPPE_SUB_ACCOUNTS_MAX
    },
    consent: settings.CHAPPE_CONSENT,
    senderMode: settings.CHAPPE_SENDERS,
    linkUrl: settings.CHAPPE_LINK_URL && withoutTrailingSlash(settings.CHAPPE_LINK_URL),
    webhookAllowPrivate: settings.CHAPPE_WEBHOOK_ALLOW_PRIVATE,
    doors: new Set(doorsOf(settings.CHAPPE_DOORS)),
    smpp: smppOf(settings),
    smppReceiptHours: settings.CHAPPE_SMPP_RECEIPT_HOURS,
    rcsFallbackSeconds: settings.CHAPPE_RCS_FALLBACK_SECONDS,
    retentionDays: settings.CHAPPE_RETENTION_DAYS,
    auditRetentionDays: settings.CHAPPE_AUDIT_RETENTION_DAYS,
    issuer: Object.freeze(issuerOf(settings)),
    corsOrigins: words(settings.CHAPPE_CORS_ORIGINS),
    trustedProxies: words(settings.CHAPPE_TRUSTED_PROXIES),
    alarms: alarmsOf(settings),
    metrics: Object.freeze(metricsAccess(settings.CHAPPE_METRICS)),
    signOn: signOnOf(settings),
    traces: tracesOf(settings),
    logLevel: settings.CHAPPE_LOG
  })
}

function alarmsOf(settings: Static<typeof Settings>): WatchSettings | undefined {
  if (!settings.CHAPPE_ALARMS) return undefined
  const { CHAPPE_SMPP_TLS_CERT: certificate, DATABASE_URL: url } = settings
  return Object.freeze({
    queueSeconds: settings.CHAPPE_ALARM_QUEUE_SECONDS,
    diskPercent: settings.CHAPPE_ALARM_DISK_PERCENT,
    databaseFolder: url === undefined ? resolve(settings.CHAPPE_DATA) : undefined,
    databaseGigabytes: settings.CHAPPE_DATABASE_GB,
    expiryDays: settings.CHAPPE_ALARM_EXPIRY_DAYS,
    certificateFiles: certificate === undefined ? [] : [resolve(certificate)]
  })
}

/** Variables that look like settings and are none: most likely a typing mistake, worth a warning but not a stop. */
export function unknownSettings(environment: NodeJS.ProcessEnv): string[] {
  return Object.keys(environment).filter(
    (name) => name.startsWith('CHAPPE_') && !Object.hasOwn(Settings.properties, name)
  )
}

/** Addresses that lead others nowhere. */
const NOWHERE = /^(127\.|localhost$|::1?$|0\.0\.0\.0$)/

/** What is allowed, and hardly meant: a sentence each, for the log. */
export function doubtsOf({ host, carriersFile, mail, publicUrl, linkUrl, roles, smpp }: Config): string[] {
  const doubts: string[] = []
  const hasLinks = (carriersFile !== undefined && linkUrl === undefined) || mail !== undefined
  if (hasLinks && publicUrl === undefined && NOWHERE.test(host)) {
    doubts.push(`CHAPPE_PUBLIC_URL is not set: links in messages and mails lead to ${host}, where others find nothing`)
  }
  if (roles.has('smpp') && roles.size === 1 && smpp === undefined) {
    doubts.push(
      'CHAPPE_ROLES names smpp alone, without CHAPPE_SMPP_PORT or CHAPPE_SMPP_TLS_PORT: there is nothing to do'
    )
  }
  return doubts
}

/** Checks beyond the schema: lists of words, addresses, and files that must exist. */
function* crossMistakes(settings: Static<typeof Settings>): Iterable<string> {
  if (settings.DATABASE_URL !== undefined && !hostsOf(settings.DATABASE_URL)) {
    yield mistake('DATABASE_URL', 'must be an address such as postgres://user:password@host:5432/name', undefined)
  }
  if (readUrlsOf(settings).some((url) => !hostsOf(url))) {
    yield mistake(
      'CHAPPE_READ_URL',
      'must be addresses such as postgres://user:password@standby:5432/name, separated by spaces',
      undefined
    )
  }
  if (!readLimitDefaults(settings.CHAPPE_LIMITS)) {
    yield mistake(
      'CHAPPE_LIMITS',
      'must be names with numbers, such as requests_per_second=50, countries=FR+BE',
      settings.CHAPPE_LIMITS
    )
  }
  if (!doorsOf(settings.CHAPPE_DOORS)) {
    yield mistake('CHAPPE_DOORS', `must be some of ${DOORS.join(', ')}, separated by commas`, settings.CHAPPE_DOORS)
  }
  if (!rolesOf(settings.CHAPPE_ROLES)) {
    yield mistake(
      'CHAPPE_ROLES',
      `must be "all" or some of ${ROLES.join(', ')}, separated by commas`,
      settings.CHAPPE_ROLES
    )
  }
  if (settings.CHAPPE_CARRIERS !== undefined) {
    try {
      readFileSync(settings.CHAPPE_CARRIERS)
    } catch (error) {
      yield unreadable('CHAPPE_CARRIERS', settings.CHAPPE_CARRIERS, error)
    }
  }
  const { token } = metricsAccess(settings.CHAPPE_METRICS)
  if (token !== undefined && token.length < METRICS_TOKEN_LENGTH_MIN) {
    const rule = `must be "open", "closed" or a token of at least ${METRICS_TOKEN_LENGTH_MIN} characters`
    yield mistake('CHAPPE_METRICS', rule, undefined)
  }
  for (const origin of words(settings.CHAPPE_CORS_ORIGINS)) {
    if (origin !== '*' && !isOrigin(origin)) {
      yield mistake('CHAPPE_CORS_ORIGINS', 'must list origins such as https://shop.example, without a path', origin)
    }
  }
  for (const proxy of words(settings.CHAPPE_TRUSTED_PROXIES)) {
    const [address = '', bits] = proxy.split('/')
    const bitsMax = isIP(address) === 6 ? 128 : 32
    if (!isIP(address) || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))) {
      yield mistake('CHAPPE_TRUSTED_PROXIES', 'must list IP addresses or networks such as 10.0.0.0/8', proxy)
    }
  }
  for (const name of ['CHAPPE_PUBLIC_URL', 'CHAPPE_LINK_URL'] as const) {
    const url = settings[name]
    if (url !== undefined && !isWebAddress(url)) {
      yield mistake(name, 'must be an http or https address without a query, such as https://sms.example.com', url)
    }
  }
  yield* smppMistakes(settings)
  yield* signOnMistakes(settings)
  yield* mailMistakes(settings)
  yield* logoMistakes(settings)
  yield* traceMistakes(settings)
  const [first = '', ...others] = (URL.parse(settings.CHAPPE_LINK_URL ?? '')?.pathname ?? '').split('/').slice(1)
  if (OWN_PATHS.has(first)) {
    yield mistake(
      'CHAPPE_LINK_URL',
      `must not begin with /${first}, which Chappe answers otherwise; a path such as /l is free`,
      settings.CHAPPE_LINK_URL
    )
  } else if ([first, ...others].some((segment) => !/^[\w.~-]*$/.test(segment))) {
    yield mistake(
      'CHAPPE_LINK_URL',
      'must have a path of letters, digits, ., _, ~ and -, such as https://go.brand.example/l',
      settings.CHAPPE_LINK_URL
    )
  }
}

function readUrlsOf({ CHAPPE_READ_URL: text = '' }: Static<typeof Settings>): string[] {
  return text.split(/\s/).filter((url) => url !== '')
}

/**
 * Only the role `smpp` needs the files. A process without it tells customers of the port, and watches the certificate if
 * it is given one.
 */
function* smppMistakes(settings: Static<typeof Settings>): Iterable<string> {
  const { CHAPPE_SMPP_TLS_PORT: port, CHAPPE_ROLES: roles } = settings
  const isServed = port !== undefined && (rolesOf(roles) ?? ROLES).includes('smpp')
  const files = { CHAPPE_SMPP_TLS_KEY: 'key', CHAPPE_SMPP_TLS_CERT: 'cert' } as const
  const contents: SecureContextOptions = {}
  for (const [name, part] of Object.entries(files) as [keyof typeof files, 'key' | 'cert'][]) {
    const file = settings[name]
    if (isServed && file === undefined) yield mistake(name, 'is needed with CHAPPE_SMPP_TLS_PORT', undefined)
    if (file === undefined) continue
    try {
      const content = readFileSync(file)
      if (isServed) createSecureContext({ [part]: content })
      contents[part] = content
    } catch (error) {
      const { syscall, message } = error as NodeJS.ErrnoException
      yield syscall === undefined
        ? `${name} names a file that TLS can't use (${message}): it must be in PEM, and the key without a password.`
        : unreadable(name, file, error)
    }
  }
  if (!isServed || !contents.key || !contents.cert) return
  try {
    createSecureContext(contents)
  } catch (error) {
    yield `CHAPPE_SMPP_TLS_KEY is not the key of CHAPPE_SMPP_TLS_CERT (${(error as Error).message}).`
  }
}

function smppOf(settings: Static<typeof Settings>): Config['smpp'] {
  const { CHAPPE_SMPP_PORT: port, CHAPPE_SMPP_HOST: host, CHAPPE_SMPP_TLS_PORT: tlsPort } = settings
  const { CHAPPE_SMPP_TLS_KEY: keyFile, CHAPPE_SMPP_TLS_CERT: certFile } = settings
  if (port === undefined && tlsPort === undefined) return undefined
  const hasTls = tlsPort !== undefined && keyFile !== undefined && certFile !== undefined
  const tls = hasTls ? { port: tlsPort, keyFile: resolve(keyFile), certFile: resolve(certFile) } : undefined
  return Object.freeze({ host, port, tlsPort, tls })
}

const LOGO_BYTES_MAX = 1024 * 1024

function* logoMistakes({ CHAPPE_OPERATOR_LOGO: file }: Static<typeof Settings>): Iterable<string> {
  if (file === undefined) return
  try {
    const content = readFileSync(file)
    const mediaType = lookAtPicture(content)?.mediaType
    if (content.length > LOGO_BYTES_MAX || (mediaType !== 'image/png' && mediaType !== 'image/jpeg')) {
      yield mistake('CHAPPE_OPERATOR_LOGO', 'must be a whole PNG or JPEG of at most 1 MiB', file)
    }
  } catch (error) {
    yield unreadable('CHAPPE_OPERATOR_LOGO', file, error)
  }
}

function issuerOf(settings: Static<typeof Settings>): StatementIssuer {
  const { CHAPPE_OPERATOR_NAME: name, CHAPPE_OPERATOR_ADDRESS: address, CHAPPE_OPERATOR_LOGO: file } = settings
  const lines = address.split('|').map((line) => line.trim())
  return { name: name.trim(), address: lines.join('\n'), logo: file === undefined ? undefined : readFileSync(file) }
}

function* signOnMistakes(settings: Static<typeof Settings>): Iterable<string> {
  const { CHAPPE_OIDC_ISSUER: issuer } = settings
  const needed = ['CHAPPE_OIDC_ISSUER', 'CHAPPE_OIDC_CLIENT_ID', 'CHAPPE_OIDC_CLIENT_SECRET'] as const
  const given = needed.filter((name) => settings[name] !== undefined)
  if (given.length > 0) {
    for (const name of needed) {
      if (settings[name] === undefined) yield mistake(name, `must be set along with ${given.join(' and ')}`, undefined)
    }
  }
  if (issuer !== undefined && !isIssuer(issuer)) {
    yield mistake(
      'CHAPPE_OIDC_ISSUER',
      'must be an https address without a query, such as https://login.example.com',
      issuer
    )
  }
  for (const text of groupsOf(settings.CHAPPE_OIDC_GROUPS).wrong) {
    yield mistake('CHAPPE_OIDC_GROUPS', 'must list groups as group=account:role, such as sales=7:sender', text)
  }
}

/** Plain http only on this machine, for a trial: the client's secret would travel in the open. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return isWebAddress(text) && (text.startsWith('https:') || isLocal)
}

const GROUP = /^(.+)=(\d{1,15}):(owner|manager|sender|reader)$/

function groupsOf(text: string): { claim: string; groups: GroupRole[]; wrong: string[] } {
  const parts = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  // The first one is the claim, unless it is a group already.
  const claim = parts[0] !== undefined && !GROUP.test(parts[0]) ? parts.shift() : undefined
  const groups: GroupRole[] = []
  const wrong: string[] = []
  for (const part of parts) {
    const [, group, accountId, role] = GROUP.exec(part) ?? []
    if (group === undefined) wrong.push(part)
    else groups.push({ group: group.trim(), accountId: Number(accountId), role: role as GroupRole['role'] })
  }
  return { claim: claim ?? 'groups', groups, wrong }
}

function signOnOf(settings: Static<typeof Settings>): ProviderSettings | undefined {
  const { CHAPPE_OIDC_ISSUER: issuer, CHAPPE_OIDC_CLIENT_ID: clientId } = settings
  const { CHAPPE_OIDC_CLIENT_SECRET: clientSecret, CHAPPE_OIDC_NAME: name } = settings
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const { claim: groupsClaim, groups } = groupsOf(settings.CHAPPE_OIDC_GROUPS)
  const { CHAPPE_OIDC_SESSION_HOURS: sessionHours } = settings
  return Object.freeze({ issuer, clientId, clientSecret, groupsClaim, groups, sessionHours, name })
}

function* mailMistakes({ CHAPPE_SMTP_URL: url, CHAPPE_MAIL_FROM: from }: Static<typeof Settings>): Iterable<string> {
  if (url !== undefined && !isMailServer(url)) {
    yield mistake('CHAPPE_SMTP_URL', 'must be an address such as smtps://user:password@mail.example:465', undefined)
  }
  if (url !== undefined && from === undefined) {
    yield mistake('CHAPPE_MAIL_FROM', 'is needed with CHAPPE_SMTP_URL, such as no-reply@sms.example', undefined)
  }
  if (from !== undefined && !MAIL_FROM.test(from)) {
    yield mistake('CHAPPE_MAIL_FROM', 'must be an address such as Chappe <no-reply@sms.example>', from)
  }
}

/** `no-reply@sms.example`, or a name and the address in angle brackets. */
const MAIL_FROM = /^(?:[^<>@,;:"\\\r\n]+ <[^\s<>@,;:"]+@[^\s<>@,;:"]+>|[^\s<>@,;:"]+@[^\s<>@,;:"]+)$/

function isMailServer(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}

function mailOf({ CHAPPE_SMTP_URL: url, CHAPPE_MAIL_FROM: from }: Static<typeof Settings>): Config['mail'] {
  return url === undefined || from === undefined ? undefined : Object.freeze({ url, from })
}

function* traceMistakes(settings: Static<typeof Settings>): Iterable<string> {
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const) {
    const url = settings[name]
    if (url !== undefined && !isWebAddress(url)) {
      yield mistake(name, 'must be an http or https address without a query, such as http://localhost:4318', undefined)
    }
  }
  for (const name of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_RESOURCE_ATTRIBUTES'] as const) {
    if (!readPairs(settings[name])) {
      yield mistake(name, 'must be names with values, such as name=value,other=value', settings[name])
    }
  }
}

function tracesOf(settings: Static<typeof Settings>): TraceSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = settings
  const url = whole ?? (base && `${withoutTrailingSlash(base)}/v1/traces`)
  if (url === undefined || settings.OTEL_SDK_DISABLED) return undefined
  const attributes = readPairs(settings.OTEL_RESOURCE_ATTRIBUTES)
  return Object.freeze({
    url,
    headers: readPairs(settings.OTEL_EXPORTER_OTLP_HEADERS) ?? {},
    timeoutMs: settings.OTEL_EXPORTER_OTLP_TIMEOUT,
    resource: { ...attributes, 'service.name': settings.OTEL_SERVICE_NAME },
    sampler: settings.OTEL_TRACES_SAMPLER,
    ratio: settings.OTEL_TRACES_SAMPLER_ARG
  })
}

/** The first parts of our own paths: a short link below one of them would never be reached. */
export const OWN_PATHS: ReadonlySet<string> = new Set([
  'accounts',
  'agents',
  'alarms',
  'app',
  'audit',
  'auth',
  'auto-replies',
  'automations',
  'calendar',
  'canned-replies',
  'carrier-costs',
  'carriers',
  'consent-keywords',
  'consents',
  'contactlists',
  'contacts',
  'conversations',
  'countries',
  'credit-prices',
  'credit-requests',
  'docs',
  'drafts',
  'events',
  'health',
  'invitations',
  'keys',
  'limits',
  'look',
  'margins',
  'messages',
  'metrics',
  'models',
  'notices',
  'number-grants',
  'numbers',
  'openapi.json',
  'p',
  'people',
  'pictures',
  'price-lists',
  'routes',
  'sandbox',
  'segments',
  'sender-lists',
  'sender-requests',
  'senders',
  'smpp',
  'statements',
  'stats',
  'stops',
  'subaccount',
  'trials',
  'users',
  'webhooks'
])

function mistake(name: string, problem: string, value: unknown): string {
  const schema = Settings.properties[name as keyof typeof Settings.properties] as TSchema & { secret?: boolean }
  const shown = schema.secret || value === undefined ? '' : `; it is ${JSON.stringify(value)}`
  return `${name} ${problem}${shown}.`
}

function unreadable(name: string, file: string, error: unknown): string {
  return mistake(name, `names a file that ${toReadProblem(error)}`, file)
}

/** A shorter token could be guessed, and is most likely a mistyped `open` or `closed`. */
const METRICS_TOKEN_LENGTH_MIN = 16

function metricsAccess(text: string) {
  return { isOpen: text === 'open', token: text === 'open' || text === 'closed' ? undefined : text }
}

function doorsOf(text: string): DoorName[] | undefined {
  const doors = words(text)
  return doors.every((door): door is DoorName => (DOORS as string[]).includes(door)) ? doors : undefined
}

function rolesOf(text: string): Role[] | undefined {
  if (text === 'all') return [...ROLES]
  const roles = words(text)
  return roles.length > 0 && roles.every((role): role is Role => (ROLES as string[]).includes(role)) ? roles : undefined
}

function words(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function isOrigin(text: string): boolean {
  return isWebAddress(text) && new URL(text).origin === text
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
}

function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
