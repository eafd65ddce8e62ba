// Written by `npm run client:types` from the operations; a test checks that it is current.

export interface Schemas {
  AccountCreate: {
    email: string
    password: string
    firstName?: string | undefined
    lastName?: string | undefined
    phoneNumber?: string | undefined
    social_reason?: string | undefined
  }
  AccountCredits: { credits: number; msgType?: 1 | 2 | undefined; note?: string | undefined }
  AccountHosts: { id: number; console_host: string | null; link_host: string | null }
  AccountHostsChange: { console_host: string | null; link_host: string | null }
  AccountList: { items: Schemas['AccountRow'][]; meta: Schemas['paginationMeta'] }
  AccountNote: { id: number; note: string }
  AccountNoteChange: { note: string }
  AccountPriceList: { price_list: number | null }
  AccountPriceListSet: { price_list: Schemas['PricedAccount'] | null }
  AccountRow: {
    id: number
    parent_id: number | null
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    credits_mode: 'self' | 'parent'
    created_at: string
    last_login_at: string | null
    standing: 'open' | 'suspended' | 'closed'
    standing_reason: string
    standing_since: string | null
    sms_credits: number
    rcs_credits: number
    sent_30_days: number
    last_activity_at: string | null
    note: string
  }
  AccountSettings: {
    time_zone: string
    country: string
    in_doubt: 'resend' | 'fail'
    hours_end: string
    sundays_and_holidays: boolean
    typography: boolean
    sender: string
    calendar: 'national' | 'alsace-moselle'
    balance_alert_sms: number
    balance_alert_rcs: number
    consent: 'off' | 'warn' | 'enforce'
    marketing_cap: number
    marketing_cap_days: number
  }
  AccountSettingsChanges: {
    time_zone?: string | undefined
    country?: string | undefined
    in_doubt?: 'resend' | 'fail' | undefined
    hours_end?: string | undefined
    sundays_and_holidays?: boolean | undefined
    typography?: boolean | undefined
    sender?: string | undefined
    calendar?: 'national' | 'alsace-moselle' | undefined
    balance_alert_sms?: number | undefined
    balance_alert_rcs?: number | undefined
    consent?: 'off' | 'warn' | 'enforce' | undefined
    marketing_cap?: number | undefined
    marketing_cap_days?: number | undefined
  }
  AccountStanding: { id: number; standing: 'open' | 'suspended' | 'closed'; reason: string; since: string | null }
  AccountSwitch: { account_id: number }
  AccountWithCredentials: {
    id: number
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    created_at: string
    appId: string
    apikey: string
  }
  Agent: {
    id: string
    carriers: string[]
    is_up: boolean
    access: 'everybody' | 'granted'
    name: string | null
    logo_url: string | null
    launches: { region: string; state: string }[]
    looked_at: string | null
  }
  AgentChange: { access: 'everybody' | 'granted' }
  AgentGrant: { account_id: number; account_name: string; passed_by: number | null; granted_at: string }
  Alarm: {
    id: number
    kind:
      | 'carrier_down'
      | 'delivery_rate_low'
      | 'queue_old'
      | 'webhook_disabled'
      | 'key_expires'
      | 'certificate_expires'
      | 'disk_low'
      | 'database_large'
    name: string
    value: number | null
    bound: number | null
    raised_at: string
    over_at: string | null
  }
  AlarmEvent: {
    alarm_id: number
    state: 'raised' | 'over'
    kind:
      | 'carrier_down'
      | 'delivery_rate_low'
      | 'queue_old'
      | 'webhook_disabled'
      | 'key_expires'
      | 'certificate_expires'
      | 'disk_low'
      | 'database_large'
    name: string
    value: number | null
    bound: number | null
    timestamp: string
  }
  AlarmPage: { items: Schemas['Alarm'][]; meta: Schemas['paginationMeta'] }
  AlarmsEvent: {
    id: string
    type: 'alarms'
    timestamp: string
    test?: true | undefined
    data: Schemas['AlarmsEventRecord'][]
  }
  AlarmsEventRecord: Schemas['AlarmEvent'] & Schemas['EventFields']
  ApiKey: {
    id: number
    name: string
    scopes: string[]
    addresses: string[]
    is_first: boolean
    created_at: string
    expires_at: string | null
    credits_per_day: number | null
    last_used_at: string | null
    replaced_by: number | null
  }
  ApiKeyChange: {
    name?: string | undefined
    scopes?:
      | ('read' | 'send' | 'contacts' | 'webhooks' | 'account' | 'people' | 'binary' | 'send_confirmed')[]
      | undefined
    addresses?: string[] | undefined
    expires_at?: string | null | undefined
    credits_per_day?: number | null | undefined
  }
  ApiKeyCreation: {
    name: string
    scopes: ('read' | 'send' | 'contacts' | 'webhooks' | 'account' | 'people' | 'binary' | 'send_confirmed')[]
    addresses?: string[] | undefined
    expires_at?: string | null | undefined
    credits_per_day?: number | null | undefined
    current_password?: string | undefined
    code?: string | undefined
  }
  ApiKeyPair: { appId: string; apikey: string }
  ApiKeyRotation: { current_password?: string | undefined; code?: string | undefined }
  AuditEntry: {
    id: number
    created_at: string
    account_id: number
    on_account_id: number
    person_id: number | null
    person_name: string | null
    key_id: number | null
    key_name: string | null
    viewed_from: number | null
    address: string | null
    operation: string
    object_kind: string | null
    object_id: string | null
    changes: { field: string; hidden: boolean; before: unknown; after: unknown }[]
    refused: boolean
  }
  AuditPage: { items: Schemas['AuditEntry'][]; next: number | null }
  AutoReply: {
    id: number
    name: string
    keywords: string[]
    number: string | null
    content: string
    sender: string | null
    pause_seconds: number
    is_on: boolean
    created_at: string
    updated_at: string
  }
  AutoReplyAnswer: {
    id: number
    reply_id: number
    recipient: string
    state: 'waiting' | 'sent' | 'not_sent'
    message_id: number | null
    problem: string | null
    timestamp: string
  }
  AutoReplyAnswerPage: { items: Schemas['AutoReplyAnswer'][]; meta: Schemas['paginationMeta'] }
  AutoReplyDto: {
    name: string
    keywords: string[]
    number?: string | null | undefined
    content: string
    sender?: string | null | undefined
    pause_seconds?: number | undefined
    is_on?: boolean | undefined
  }
  AutoReplyRemoved: { success: boolean; message: string }
  Automation: {
    id: number
    name: string
    schedule: string
    contactlist?: number[] | undefined
    segments?: number[] | undefined
    is_on: boolean
    once: boolean
    channel: 'sms' | 'rcs'
    message: Record<string, unknown>
    next_at: string | null
    last_run_at: string | null
    last_problem: string | null
    created_at: string
    updated_at: string
  }
  AutomationDto: {
    name: string
    schedule: string
    contactlist?: number[] | undefined
    segments?: number[] | undefined
    is_on?: boolean | undefined
    once?: boolean | undefined
    sms?:
      | {
          content?: string | undefined
          model_id?: number | undefined
          sender?: string | undefined
          shorturl?: (Schemas['shortUrlDto'] | null) | undefined
          category?: 'transactional' | 'marketing' | undefined
          spread?: Schemas['SpreadDto'] | undefined
          name?: string | undefined
          tags?: string[] | undefined
          validity?: number | undefined
          priority?: 'low' | 'normal' | 'high' | undefined
          flash?: boolean | undefined
          binary?: Schemas['BinaryDto'] | undefined
        }
      | undefined
    rcs?:
      | {
          type?: 'text' | 'card' | 'carousel' | undefined
          data?: (Schemas['RcsTextDto'] | Schemas['RcsCardDto'] | Schemas['RcsCarouselDto']) | undefined
          model_id?: number | undefined
          fallback?: { content: string; sender?: string | null | undefined } | null | undefined
          agent?: string | null | undefined
          shorturl?: (Schemas['shortUrlDto'] | null) | undefined
          category?: 'transactional' | 'marketing' | undefined
          spread?: Schemas['SpreadDto'] | undefined
          name?: string | undefined
          tags?: string[] | undefined
          validity?: number | undefined
          priority?: 'low' | 'normal' | 'high' | undefined
        }
      | undefined
  }
  AutomationPage: { items: Schemas['Automation'][]; meta: Schemas['paginationMeta'] }
  AutomationRemoved: { success: boolean; message: string }
  AutomationRun: { id: number; due_at: string; ran_at: string; message_id: number | null; problem: string | null }
  AutomationRunPage: { items: Schemas['AutomationRun'][]; meta: Schemas['paginationMeta'] }
  BalanceAlert: { msgType: number; credits: number; threshold: number; timestamp: string }
  BalancesEvent: {
    id: string
    type: 'balances'
    timestamp: string
    test?: true | undefined
    data: Schemas['BalancesEventRecord'][]
  }
  BalancesEventRecord: Schemas['BalanceAlert'] & Schemas['EventFields']
  BinaryDto: { data: string; encoding?: 'hex' | 'base64' | undefined; udh?: string | undefined }
  Calendar: {
    time_zone: string
    days: { day: string; campaigns_count: number; campaigns: Schemas['CalendarCampaign'][] }[]
  }
  CalendarCampaign: {
    id: number
    name: string | null
    preview: string
    channel: 'sms' | 'rcs'
    state: 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'failed'
    is_paused: boolean
    scheduled_at: string
    recipients_count: number
    is_departing: boolean
  }
  CallChoiceDto: { type: 'call'; title: string; phoneNumber: string }
  CannedReply: { id: number; name: string; content: string }
  CannedReplyDto: { name: string; content: string }
  CannedReplyRemoved: { success: boolean; message: string }
  CannedReplyUpdate: { name?: string | undefined; content?: string | undefined }
  CapturedPdu: {
    at: string
    direction: 'in' | 'out'
    command: string
    is_readable: boolean
    status: string | null
    sequence: number
    source: string | null
    destination: string | null
    esm_class: number | null
    data_coding: number | null
    sm_length: number | null
    tlvs: { name: string; bytes: number }[]
  }
  Carrier: {
    name: string
    type: 'smpp' | 'rbm' | 'http'
    channels: ('sms' | 'rcs')[]
    is_up: boolean
    sending: 'on' | 'paused' | 'draining'
    sending_since: string | null
    cost: number | null
    sessions: number
    message_id_format: string | null
    learned_id_form: string | null
    routes: {
      channel: 'sms' | 'rcs'
      prefix: string
      account?: number | undefined
      sender?: string | undefined
      category?: 'transactional' | 'marketing' | undefined
      rank: number
    }[]
    binds: Schemas['CarrierBind'][]
    processes: Schemas['CarrierProcess'][]
  }
  CarrierBind: {
    slot: number
    state: 'connecting' | 'binding' | 'bound' | 'waiting' | 'unbinding'
    mode: 'transceiver' | 'transmitter+receiver'
    process: string
    window: number
    window_used: number
    submits_per_second: number
    pace_per_second: number | null
    bound_at: string | null
    stalled_since: string | null
    last_error: { at: string; message: string } | null
  }
  CarrierCapture: {
    carrier: string
    began_at: string | null
    ends_at: string | null
    binds: { slot: number; process: string; pdus: Schemas['CapturedPdu'][] }[]
  }
  CarrierCaptureChange: { minutes: number }
  CarrierCost: { carrier: string; channel: 'sms' | 'rcs'; prefix: string; cost: string; currency: string }
  CarrierCostsImported: { success: boolean; message: string; costs: number }
  CarrierCostsUpload: { file: Blob }
  CarrierHistory: {
    period: 'hour' | 'day' | 'month'
    step_seconds: number
    carriers: {
      carrier: string
      accepted: number
      rejected: number
      retried: number
      unanswered: number
      per_second: number
      answer_seconds: number | null
      delivered: number
      undelivered: number
      receipt_seconds: number | null
      delivery_rate: number | null
      points: Schemas['CarrierPoint'][]
    }[]
    countries: {
      carrier: string
      country: string
      accepted: number
      rejected: number
      retried: number
      unanswered: number
      per_second: number
      answer_seconds: number | null
      delivered: number
      undelivered: number
      receipt_seconds: number | null
      delivery_rate: number | null
    }[]
    errors: { carrier: string; country: string; error: string; recipients: number }[]
  }
  CarrierPoint: {
    at: string
    accepted: number
    rejected: number
    retried: number
    unanswered: number
    per_second: number
    answer_seconds: number | null
    delivered: number
    undelivered: number
    receipt_seconds: number | null
    delivery_rate: number | null
  }
  CarrierProcess: {
    process: string
    is_up: boolean
    in_flight: number
    capacity: number
    submits_per_second: number
    pace_per_second: number | null
    last_error: { at: string; message: string } | null
  }
  CarrierSending: { name: string; sending: 'on' | 'paused' | 'draining'; sending_since: string | null }
  CarrierSendingChange: { sending: 'on' | 'paused' | 'draining' }
  CarrierTest: { messages: { message_id: number; encoding: 'gsm' | 'ucs2'; content: string }[] }
  Click: { message_id: number; recipient: string; url: string; timestamp: string }
  ClicksEvent: {
    id: string
    type: 'clicks'
    timestamp: string
    test?: true | undefined
    data: Schemas['ClicksEventRecord'][]
  }
  ClicksEventRecord: Schemas['Click'] & Schemas['EventFields']
  Consent: {
    id: number
    recipient: string | null
    purpose: string
    channel: 'all' | 'sms' | 'rcs'
    source: 'form' | 'shop' | 'import' | 'keyword' | 'api'
    given_at: string
    wording: string
    proof: string
    withdrawn_at: string | null
    withdrawal: string | null
    created_at: string
  }
  ConsentGiven: {
    recipient: string
    purpose?: string | undefined
    channel?: 'all' | 'sms' | 'rcs' | undefined
    source?: 'form' | 'shop' | 'import' | 'keyword' | 'api' | undefined
    given_at?: string | undefined
    wording?: string | undefined
    proof?: string | undefined
  }
  ConsentKeyword: {
    id: number
    number: string
    keyword: string
    question: string
    confirmation: string
    created_at: string
  }
  ConsentKeywordDto: { number: string; keyword: string; question: string; confirmation?: string | undefined }
  ConsentPage: { items: Schemas['Consent'][]; meta: Schemas['paginationMeta'] }
  ConsentWithdrawal: { reason?: string | undefined; purpose?: string | undefined }
  ConsentsAdded: {
    success: boolean
    message: string
    added: number
    existing: number
    invalid: number
    errors: Schemas['LeftOutRow'][]
  }
  ConsentsDto: { consents: Schemas['ConsentGiven'][] }
  ConsentsEvent: {
    id: string
    type: 'consents'
    timestamp: string
    test?: true | undefined
    data: Schemas['ConsentsEventRecord'][]
  }
  ConsentsEventRecord: Schemas['Consent'] & Schemas['EventFields']
  ConsentsFileDto: {
    file: Blob
    purpose?: string | undefined
    channel?: 'all' | 'sms' | 'rcs' | undefined
    source?: 'form' | 'shop' | 'import' | 'keyword' | 'api' | undefined
    given_at?: string | undefined
    wording?: string | undefined
    proof?: string | undefined
  }
  ConsideredRoute: {
    channel: 'sms' | 'rcs'
    prefix: string
    account: number | null
    sender: string | null
    category: 'transactional' | 'marketing' | null
    is_chosen: boolean
    mismatch: 'prefix' | 'account' | 'sender' | 'category' | null
    reason: string
  }
  ContactDto: {
    tel?: unknown | undefined
    champ_nom?: string | undefined
    champ_prenom?: string | undefined
    champ_mail?: string | undefined
    champ_adresse?: string | undefined
    champ_cp?: string | undefined
    champ_date?: string | undefined
    champ_ville?: string | undefined
    champ_perso1?: string | undefined
    champ_perso2?: string | undefined
    champ_perso3?: string | undefined
    champ_perso4?: string | undefined
    champ_perso5?: string | undefined
    champ_perso6?: string | undefined
    champ_perso7?: string | undefined
    champ_perso8?: string | undefined
    champ_perso9?: string | undefined
    champ_perso10?: string | undefined
  }
  ContactRemovedRO: { success: boolean; message: string }
  Contactlists: {
    id: number
    name: string
    contacts_count: number
    rcsCapabilityStatus: 'unknown' | 'checking' | 'ready'
    created_at: string
  }
  ContactlistsContactsRo: { items: Schemas['Contacts'][]; meta: Schemas['paginationMeta'] }
  ContactlistsDto: { name: string }
  ContactlistsRemovedRO: { success: boolean; message: string }
  Contacts: {
    id: number
    tel: string
    champ_nom: string
    champ_prenom: string
    champ_mail: string
    champ_adresse: string
    champ_cp: string
    champ_date: string
    champ_ville: string
    champ_perso1: string
    champ_perso2: string
    champ_perso3: string
    champ_perso4: string
    champ_perso5: string
    champ_perso6: string
    champ_perso7: string
    champ_perso8: string
    champ_perso9: string
    champ_perso10: string
  }
  ContactsAddedRo: {
    success: boolean
    message: string
    added: number
    updated: number
    duplicates: number
    invalid: number
    not_mobile: number
    errors: Schemas['LeftOutRow'][]
  }
  ContactsFilePreview: {
    columns: {
      name: string
      field:
        | 'tel'
        | 'champ_nom'
        | 'champ_prenom'
        | 'champ_mail'
        | 'champ_adresse'
        | 'champ_cp'
        | 'champ_date'
        | 'champ_ville'
        | 'champ_perso1'
        | 'champ_perso2'
        | 'champ_perso3'
        | 'champ_perso4'
        | 'champ_perso5'
        | 'champ_perso6'
        | 'champ_perso7'
        | 'champ_perso8'
        | 'champ_perso9'
        | 'champ_perso10'
        | null
    }[]
    rows: string[][]
  }
  ContactsFilePreviewDto: { file: Blob }
  ContactsInsertByFileDto: {
    file: Blob
    contactlist_id: number
    mapping?: Record<string, string> | undefined
    errors?: number | undefined
  }
  ContactsInsertDto: { contactlist_id: number; contacts: Schemas['ContactDto'][] }
  ContactsUpdate: {
    tel?: string | undefined
    champ_nom?: string | undefined
    champ_prenom?: string | undefined
    champ_mail?: string | undefined
    champ_adresse?: string | undefined
    champ_cp?: string | undefined
    champ_date?: string | undefined
    champ_ville?: string | undefined
    champ_perso1?: string | undefined
    champ_perso2?: string | undefined
    champ_perso3?: string | undefined
    champ_perso4?: string | undefined
    champ_perso5?: string | undefined
    champ_perso6?: string | undefined
    champ_perso7?: string | undefined
    champ_perso8?: string | undefined
    champ_perso9?: string | undefined
    champ_perso10?: string | undefined
  }
  ContactsWithId: {
    id: number
    contactlist_id: number
    tel: string
    champ_nom: string
    champ_prenom: string
    champ_mail: string
    champ_adresse: string
    champ_cp: string
    champ_date: string
    champ_ville: string
    champ_perso1: string
    champ_perso2: string
    champ_perso3: string
    champ_perso4: string
    champ_perso5: string
    champ_perso6: string
    champ_perso7: string
    champ_perso8: string
    champ_perso9: string
    champ_perso10: string
  }
  Conversation: {
    recipient: string
    replies_count: number
    unread_count: number
    closed: boolean
    assigned_to: number | null
    last_reply: Schemas['Reponses']
    last_message_id: number | null
    last_message_at: string | null
    is_stopped: boolean
  }
  ConversationChange: {
    read?: boolean | undefined
    closed?: boolean | undefined
    assigned_to?: number | null | undefined
  }
  ConversationsRo: { items: Schemas['Conversation'][]; meta: Schemas['paginationMeta'] }
  CountryRules: {
    country: string
    territories: string[]
    source: string
    date: string
    names: { status: 'allowed' | 'registered' | 'none'; form: string; register: string }
    short_codes: { prefix: string; digits: number; use: 'marketing' | 'transactional' }[]
    numbers: string
    hours: {
      start: string
      end: string
      end_max: string
      sundays: 'allowed' | 'advised-against' | 'forbidden'
      holidays: 'allowed' | 'advised-against' | 'forbidden'
    } | null
    opt_out: 'required' | 'advised'
    tolerated: string[]
    forbidden: string[]
    note: string
  }
  CountryRulesList: { countries: Schemas['CountryRules'][]; elsewhere: Schemas['CountryRules'] }
  CreditEntry: {
    id: number
    msgType: 1 | 2
    reason: 'opening' | 'issue' | 'withdrawal' | 'transfer' | 'reserve' | 'spend' | 'refund' | 'settle'
    amount: number
    balance: number
    reserved: number
    spent: number
    reference: string | null
    subaccount_id: number | null
    note: string | null
    made_by: string | null
    created_at: string
  }
  CreditEntryList: { items: Schemas['CreditEntry'][]; meta: Schemas['paginationMeta'] }
  CreditMoney: {
    account_id: number
    account_name: string
    msgType: 1 | 2
    price: string
    currency: string
    valid_from: string
  }
  CreditMoneyChange: { msgType?: 1 | 2 | undefined; price: string; currency: string }
  CreditRequest: {
    id: number
    msgType: 1 | 2
    credits: number
    state: 'waiting' | 'given' | 'declined' | 'withdrawn'
    note: string
    answer: string
    asked_by: string | null
    created_at: string
    answered_at: string | null
  }
  CreditRequestAnswer: { state: 'given' | 'declined'; note?: string | undefined }
  CreditRequestEvent: {
    request_id: number
    account_id: number
    msgType: 1 | 2
    credits: number
    state: 'waiting' | 'given' | 'declined' | 'withdrawn'
    note: string
    answer: string
    timestamp: string
  }
  CreditRequestList: { items: Schemas['CreditRequest'][]; meta: Schemas['paginationMeta'] }
  CreditRequestsEvent: {
    id: string
    type: 'credit_requests'
    timestamp: string
    test?: true | undefined
    data: Schemas['CreditRequestsEventRecord'][]
  }
  CreditRequestsEventRecord: Schemas['CreditRequestEvent'] & Schemas['EventFields']
  CreditShortage: { required: number; remaining: number; missing: number }
  CreditUse: {
    day: string
    msgType: 1 | 2
    message_id: number | null
    campaign: string | null
    subaccount_id: number | null
    country: string | null
    sender: string | null
    used: number
    refunded: number
  }
  CreditsRo: {
    msgType: 1 | 2
    label: string
    credits: number
    price: number
    unit_price: string | null
    currency: string | null
  }
  DailyStatsRo: {
    day: string
    sent: number
    delivered: number
    read: number
    failed: number
    stopped: number
    clicked: number
    replied: number
    credits: number
    opted_out: number
    delivered_with_link: number
  }
  Departure: { due_at: string; segments: number[]; problem: string | null }
  Draft: {
    id: number
    name: string
    channel: 'sms' | 'rcs'
    version: number
    created_at: string
    updated_at: string
    fields: Record<string, unknown>
  }
  DraftChangeDto: { name: string; channel: 'sms' | 'rcs'; fields: Record<string, unknown>; version: number }
  DraftDto: { name: string; channel: 'sms' | 'rcs'; fields: Record<string, unknown> }
  DraftLine: {
    id: number
    name: string
    channel: 'sms' | 'rcs'
    version: number
    created_at: string
    updated_at: string
    preview: string | null
  }
  DraftPage: { items: Schemas['DraftLine'][]; meta: Schemas['paginationMeta'] }
  DraftRemoved: { success: boolean; message: string }
  Error: {
    status: number
    error: string
    code:
      | 'invalid_input'
      | 'no_price'
      | 'unauthorized'
      | 'second_factor_required'
      | 'insufficient_credits'
      | 'forbidden'
      | 'account_suspended'
      | 'sender_not_allowed'
      | 'not_found'
      | 'not_acceptable'
      | 'external_id_already_processed'
      | 'state_conflict'
      | 'payload_too_large'
      | 'unsupported_media_type'
      | 'rate_limited'
      | 'limit_reached'
      | 'internal'
      | 'unavailable'
    details?: (Schemas['InputProblem'] | Schemas['CreditShortage'] | Schemas['FactorChoice'])[] | undefined
    request_id: string
  }
  Event: {
    id: number
    type:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
    timestamp: string
    data: Record<string, unknown>
  }
  EventFeed: { items: Schemas['Event'][]; next: string; recording: boolean }
  EventFields: { message_id: number | null; sequence: number }
  FactorChoice: { factor: 'totp' | 'passkey' | 'recovery' }
  FallBack: { content: string; sender?: string | null | undefined }
  FirstKeyRenewal: { current_password?: string | undefined; code?: string | undefined }
  GrantedAgent: {
    id: string
    carriers: string[]
    is_up: boolean
    access: 'everybody' | 'granted'
    name: string | null
    logo_url: string | null
    launches: { region: string; state: string }[]
    looked_at: string | null
    problem: string | null
    grants: Schemas['AgentGrant'][]
  }
  InputProblem: { path: string; message: string }
  Invitation: {
    id: number
    email: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
    invited_by: string | null
    expires_at: string
    created_at: string
  }
  InvitationAcceptance: {
    token: string
    password?: string | undefined
    firstName?: string | undefined
    lastName?: string | undefined
    language?: 'en' | 'fr' | undefined
  }
  InvitationDto: {
    email: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
    current_password?: string | undefined
    code?: string | undefined
    language?: 'en' | 'fr' | undefined
  }
  InvitationJoin: { token: string }
  InvitationLook: { token: string }
  InvitationWithLink: {
    id: number
    email: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
    invited_by: string | null
    expires_at: string
    created_at: string
    is_mailed: boolean
    link: string | null
  }
  JoinedAccount: {
    account_id: number
    social_reason: string
    email: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
  }
  KeyRotation: {
    current_password?: string | undefined
    code?: string | undefined
    overlap_seconds?: number | undefined
  }
  LeftOutRow: { line: number; value: string; reason: string }
  LimitAlert: { limit: string; level: number; used: number; max: number; timestamp: string }
  Limits: {
    requests_per_second: number | null
    credits_per_day: number | null
    messages_per_number: number | null
    countries: string[] | null
    sub_accounts: number | null
    people: number | null
    keys: number | null
    webhooks: number | null
  }
  LimitsEvent: {
    id: string
    type: 'limits'
    timestamp: string
    test?: true | undefined
    data: Schemas['LimitsEventRecord'][]
  }
  LimitsEventRecord: Schemas['LimitAlert'] & Schemas['EventFields']
  LimitsGiven: {
    requests_per_second?: number | null | undefined
    credits_per_day?: number | null | undefined
    messages_per_number?: number | null | undefined
    countries?: string[] | null | undefined
    sub_accounts?: number | null | undefined
    people?: number | null | undefined
    keys?: number | null | undefined
    webhooks?: number | null | undefined
  }
  LimitsUsed: { credits_today: number; sub_accounts: number; people: number; keys: number; webhooks: number }
  LimitsWithUse: { limits: Schemas['Limits']; own: Schemas['Limits']; used: Schemas['LimitsUsed'] }
  ListReach: { contacts_count: number; known: number; reachable: number }
  LocationChoiceDto: { type: 'location'; title: string; label: string; latitude: number; longitude: number }
  LoginResponseDto: { token: string; expiresIn: number }
  LoginUserDto: {
    email: string
    password: string
    account_id?: number | undefined
    code?: string | undefined
    passkey?: Schemas['PasskeyAssertion'] | undefined
  }
  Look: {
    is_own: boolean
    name: string
    colour: string | null
    logo_path: string | null
    console_url: string
    link_url: string
  }
  LookChange: { name: string; colour: string | null; logo?: string | null | undefined }
  LookedInvitation: {
    email: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
    invited_by: string | null
    expires_at: string
    social_reason: string
    is_known: boolean
  }
  Margin: {
    account_id: number
    account_name: string
    msgType: 1 | 2
    country: string | null
    credits: number
    revenue: string | null
    currency: string | null
    cost: string | null
    cost_currency: string | null
    margin: string | null
    units_without_cost: number
  }
  Me: {
    id: number
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    time_zone: string
    country: string
    created_at: string
    last_login_at: string | null
    credits_mode: 'self' | 'parent'
    role: 'operator' | 'account' | 'sub-account'
    is_sandbox: boolean
    has_smpp: boolean
    is_viewing: boolean
    standing: 'open' | 'suspended' | 'closed'
    standing_reason: string
    stop_mention: string
    settings: Schemas['AccountSettings']
    person_id: number | null
    role_on_account: 'owner' | 'manager' | 'sender' | 'reader' | null
    permissions: ('read' | 'send' | 'contacts' | 'webhooks' | 'account' | 'people' | 'binary' | 'send_confirmed')[]
    language: 'en' | 'fr' | null
    warnings?: string[] | undefined
  }
  MeChanges: {
    email?: string | undefined
    first_name?: string | undefined
    last_name?: string | undefined
    phone_number?: string | undefined
    social_reason?: string | undefined
    time_zone?: string | undefined
    country?: string | undefined
    settings?: Schemas['AccountSettingsChanges'] | undefined
    language?: 'en' | 'fr' | undefined
    password?: string | undefined
    current_password?: string | undefined
  }
  MessageConsent: {
    consent_id: number | null
    recipient: string
    given_at: string | null
    source: 'form' | 'shop' | 'import' | 'keyword' | 'api' | null
    wording: string | null
    proof: string | null
    withdrawn_at: string | null
  }
  MessageForecast: {
    waiting: number
    under_way: number
    expiries: { expires_at: string; recipients: number }[]
    finishes_at: string | null
    deadline: string | null
    is_late: boolean
  }
  MessageForm: {
    kind: 'numbers' | 'dynamic' | 'lists' | 'file' | 'rcs' | null
    fields: Record<string, unknown>
    numbers: string[]
    has_all_numbers: boolean
  }
  MessageLabels: { name?: string | null | undefined; tags?: string[] | undefined }
  MessageResult: {
    message_id: number
    name: string | null
    content: string
    channel: 'sms' | 'rcs'
    sender: string
    due_at: string
    link: string | null
    recipients: number
    sent: number
    delivered: number
    clicked: number
    replied: number
    opted_out: number
    delivery_rate: number | null
    click_rate: number | null
    reply_rate: number | null
    opt_out_rate: number | null
  }
  MessageResultLine: {
    by: 'all' | 'hour' | 'country' | 'carrier' | 'error'
    value: string
    recipients: number | null
    sent: number | null
    delivered: number | null
    failed: number | null
    clicked: number | null
    replied: number | null
    opted_out: number | null
  }
  MessageResultPage: { items: Schemas['MessageResult'][]; meta: Schemas['paginationMeta'] }
  MessageResults: {
    message_id: number
    name: string | null
    content: string
    channel: 'sms' | 'rcs'
    sender: string
    due_at: string
    link: string | null
    recipients: number
    sent: number
    delivered: number
    clicked: number
    replied: number
    opted_out: number
    delivery_rate: number | null
    click_rate: number | null
    reply_rate: number | null
    opt_out_rate: number | null
    counted_at: string
    hours: { hour: number; delivered: number; clicked: number; replied: number; opted_out: number }[]
    countries: {
      country: string
      recipients: number
      sent: number
      delivered: number
      failed: number
      clicked: number
    }[]
    carriers: {
      carrier: string
      recipients: number
      sent: number
      delivered: number
      failed: number
      clicked: number
    }[]
    errors: { error: string; recipients: number; sent: number; delivered: number; failed: number; clicked: number }[]
  }
  MessageStateEvent: {
    id: string
    type: 'message_state'
    timestamp: string
    test?: true | undefined
    data: Schemas['MessageStateEventRecord'][]
  }
  MessageStateEventRecord: Schemas['Messages'] & Schemas['EventFields']
  Messages: {
    id: number
    content: string
    sender: string
    state: 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'failed'
    message_type: Schemas['Messages_type']
    channel: 'sms' | 'rcs'
    category: 'transactional' | 'marketing'
    recipients_count: number
    sms_count: number
    credits_required: number
    credits_refunded: number
    scheduledate: string
    scheduletime: string
    scheduletimestamp: string
    shorturl_mode: { id: number; label: string } | null
    shorturl_url: string | null
    external_id: string | null
    resend_of: number | null
    created_at: string
    cancelled_at: string | null
    summary: Schemas['MessagesSummary']
    sent_count?: number | undefined
    clicked: number
    replied: number
    name?: string | undefined
    tags?: string[] | undefined
    replaces?: number | undefined
    replaced_by?: number | undefined
    paused_at?: string | undefined
    validity?: number | undefined
    expires_at?: string | undefined
    priority?: 'low' | 'high' | undefined
    spread?: { per_hour: number } | undefined
    deadline?: string | undefined
    late_at?: string | undefined
    flash?: boolean | undefined
    binary?: { data: string; udh: string } | undefined
  }
  MessagesContactListDto: {
    contactlist?: (number | string)[] | undefined
    segments?: number[] | undefined
    content?: string | undefined
    model_id?: number | undefined
    sender?: string | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
    flash?: boolean | undefined
    binary?: Schemas['BinaryDto'] | undefined
  } & (({ content: string } | { model_id: number } | { binary: Schemas['BinaryDto'] }) &
    ({ contactlist: (number | string)[] } | { segments: number[] }))
  MessagesDestinatairesRcsRo: { items: Schemas['Messages_rcs'][]; meta: Schemas['paginationMeta'] }
  MessagesDestinatairesRo: { items: Schemas['Messages_sms'][]; meta: Schemas['paginationMeta'] }
  MessagesDynamicDto: {
    recipients: Schemas['RecipientWithVariables'][]
    content?: string | undefined
    model_id?: number | undefined
    sender?: string | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
    flash?: boolean | undefined
    binary?: Schemas['BinaryDto'] | undefined
  } & ({ content: string } | { model_id: number } | { binary: Schemas['BinaryDto'] })
  MessagesFileUploadDto: {
    file: Blob
    content?: string | undefined
    model_id?: number | undefined
    sender?: string | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
    flash?: boolean | undefined
    binary?: Schemas['BinaryDto'] | undefined
  } & ({ content: string } | { model_id: number } | { binary: Schemas['BinaryDto'] })
  MessagesHistoryRo: { items: Schemas['Messages'][]; meta: Schemas['paginationMeta'] }
  MessagesOldDto: {
    recipients: string[]
    content?: string | undefined
    model_id?: number | undefined
    sender?: string | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
    flash?: boolean | undefined
    binary?: Schemas['BinaryDto'] | undefined
    message_type?: number | undefined
  } & ({ content: string } | { model_id: number } | { binary: Schemas['BinaryDto'] })
  MessagesRcsDto: {
    contacts?: Schemas['RecipientWithVariables'][] | undefined
    contactlist?: (number | string)[] | undefined
    segments?: number[] | undefined
    type?: 'text' | 'card' | 'carousel' | undefined
    data?: (Schemas['RcsTextDto'] | Schemas['RcsCardDto'] | Schemas['RcsCarouselDto']) | undefined
    model_id?: number | undefined
    fallback?: { content: string; sender?: string | null | undefined } | null | undefined
    agent?: string | null | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
  } & ((Schemas['RcsTextContent'] | Schemas['RcsCardContent'] | Schemas['RcsCarouselContent'] | { model_id: number }) &
    ({ contacts: Schemas['RecipientWithVariables'][] } | { contactlist: (number | string)[] } | { segments: number[] }))
  MessagesRcsFileUploadDto: {
    file: Blob
    type?: 'text' | 'card' | 'carousel' | undefined
    data?: (Schemas['RcsTextDto'] | Schemas['RcsCardDto'] | Schemas['RcsCarouselDto']) | undefined
    model_id?: number | undefined
    fallback?: { content: string; sender?: string | null | undefined } | null | undefined
    agent?: string | null | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
  } & (Schemas['RcsTextContent'] | Schemas['RcsCardContent'] | Schemas['RcsCarouselContent'] | { model_id: number })
  MessagesSimpleDto: {
    recipients: string[]
    content?: string | undefined
    model_id?: number | undefined
    sender?: string | undefined
    external_id?: string | undefined
    scheduleAt?: string | undefined
    scheduledate?: string | undefined
    scheduletime?: string | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
    category?: 'transactional' | 'marketing' | undefined
    replaces?: number | undefined
    spread?: Schemas['SpreadDto'] | undefined
    deadline?: string | undefined
    expected_credits?: number | undefined
    draft?: number | undefined
    name?: string | undefined
    tags?: string[] | undefined
    validity?: number | undefined
    priority?: 'low' | 'normal' | 'high' | undefined
    flash?: boolean | undefined
    binary?: Schemas['BinaryDto'] | undefined
  } & ({ content: string } | { model_id: number } | { binary: Schemas['BinaryDto'] })
  MessagesSummary: {
    waiting: number
    sent: number
    delivered: number
    read: number
    failed: number
    stopped: number
    cancelled: number
  }
  Messages_rcs: {
    id: number
    recipient: string
    credits_required: number
    country_code: string
    deliver: number
    deliver_label: string
    errorcode: string
    content: string
    sent_at: string | null
    delivered_at: string | null
    channel: 'rcs' | 'sms'
    read_at: string | null
  }
  Messages_sms: {
    id: number
    recipient: string
    credits_required: number
    country_code: string
    deliver: number
    deliver_label: string
    errorcode: string
    content: string
    sent_at: string | null
    delivered_at: string | null
  }
  Messages_type: { id: number; label: string }
  Models: {
    id: number
    name: string
    rcs_type: 'text' | 'card' | 'carousel'
    text: string
    fallback_content: string
    fallback_sender: string
    card: {
      id: number
      title?: string | null | undefined
      description?: string | null | undefined
      media_message_url?: string | null | undefined
      choices?:
        | (
            | Schemas['TextChoiceDto']
            | Schemas['UrlChoiceDto']
            | Schemas['CallChoiceDto']
            | Schemas['LocationChoiceDto']
          )[]
        | null
        | undefined
    } | null
    carousel: { id: number; cards: Schemas['RcsCardDto'][] } | null
    shorturl: { id: number; mode: 'unique' | 'common'; url: string } | null
    isModel: boolean
    warnings?: string[] | undefined
    data: Schemas['RcsTextDto'] | Schemas['RcsCarouselDto'] | Schemas['RcsCardDto']
  } & (
    | { rcs_type: 'text'; data: Schemas['RcsTextDto'] }
    | { rcs_type: 'card'; data: Schemas['RcsCardDto'] }
    | { rcs_type: 'carousel'; data: Schemas['RcsCarouselDto'] }
  )
  ModelsDto: { name: string; content: string; sender: string }
  ModelsUpdate: { name?: string | undefined; content?: string | undefined; sender?: string | undefined }
  NewApiKey: {
    id: number
    name: string
    scopes: string[]
    addresses: string[]
    is_first: boolean
    created_at: string
    expires_at: string | null
    credits_per_day: number | null
    last_used_at: string | null
    replaced_by: number | null
    appId: string
    apikey: string
  }
  NewCreditRequest: { credits: number; msgType?: 1 | 2 | undefined; note?: string | undefined }
  NewPasskey: { name: string; passkey: Schemas['PasskeyAttestation'] }
  NewSmppCredential: {
    id: number
    system_id: string
    name: string
    addresses: string[]
    binds: number
    window: number
    throughput: number | null
    category: 'transactional' | 'marketing'
    binary: boolean
    active: boolean
    bound: number
    created_at: string
    last_bound_at: string | null
    password: string
  }
  Notice: {
    id: number
    kind:
      | 'alarm'
      | 'limit'
      | 'balance'
      | 'campaign_finished'
      | 'campaign_failed'
      | 'campaign_late'
      | 'credits_asked'
      | 'credits_given'
      | 'credits_declined'
    subject: string
    name: string
    value: number | null
    bound: number | null
    is_read: boolean
    created_at: string
  }
  NoticePage: { items: Schemas['Notice'][]; meta: Schemas['paginationMeta'] }
  NoticesRead: { id: number }
  NumberGrant: { number: string; accounts: number[] }
  NumberHistory: {
    recipient: string
    is_stopped_for_all: boolean
    items: Schemas['NumberHistoryItem'][]
    next: string | null
  }
  NumberHistoryItem: {
    kind: 'message' | 'reply' | 'stop'
    at: string
    account_id: number
    account_name: string
    channel: 'sms' | 'rcs' | null
    message_id: number | null
    recipient_id: number | null
    sender: string | null
    content: string
    deliver: number | null
    deliver_label: string | null
    errorcode: string | null
    carrier: string | null
    way: 'reply' | 'link' | 'button' | 'platform' | 'manual' | 'file' | null
    is_stop: boolean
    timeline: Schemas['TimelineStep'][]
  }
  NumberLookUp: { recipient: string; before?: string | undefined; limit?: number | undefined }
  OperatorStop: { id: number; recipient: string; reason: string; timestamp: string }
  OperatorStopDto: { recipient: string; reason?: string | undefined }
  OperatorStopPage: { items: Schemas['OperatorStop'][]; meta: Schemas['paginationMeta'] }
  OperatorStopsFileDto: { file: Blob; reason?: string | undefined }
  OptOutRate: {
    message_id: number | null
    sender: string
    messages: number
    sent: number
    opt_outs: number
    rate: number
    ways: { reply: number; link: number; button: number; platform: number; manual: number; file: number }
  }
  OwnAccount: {
    id: number
    social_reason: string
    email: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
    standing: 'open' | 'suspended' | 'closed'
    is_current: boolean
  }
  OwnPrice: {
    kind: 'sms' | 'rcs_basic' | 'rcs_single' | 'rcs_conversation'
    prefix: string
    credits: number
    text_credits: number | null
  }
  OwnedConsentKeyword: { account_id: number; id: number; number: string; keyword: string; created_at: string }
  OwnedConsentKeywords: { items: Schemas['OwnedConsentKeyword'][]; meta: Schemas['paginationMeta'] }
  Passkey: { id: number; name: string; created_at: string; last_used_at: string | null }
  PasskeyAssertion: {
    id: string
    rawId: string
    type: 'public-key'
    authenticatorAttachment?: 'platform' | 'cross-platform' | undefined
    clientExtensionResults?: unknown | undefined
    response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string | undefined }
  }
  PasskeyAttestation: {
    id: string
    rawId: string
    type: 'public-key'
    authenticatorAttachment?: 'platform' | 'cross-platform' | undefined
    clientExtensionResults?: unknown | undefined
    response: { clientDataJSON: string; attestationObject: string; transports?: string[] | undefined }
  }
  PasskeyBeginning: { current_password?: string | undefined; code?: string | undefined }
  PasskeyLogin: { email: string; password: string }
  PasskeyOptions: { options: unknown }
  PasskeyRemoval: { current_password?: string | undefined; code?: string | undefined }
  PasswordForgotten: { email: string; language?: 'en' | 'fr' | undefined }
  PasswordLink: { is_mailed: boolean; link: string | null; expires_at: string }
  PasswordReset: { token: string; password: string }
  PasswordResetFromAbove: { current_password?: string | undefined; code?: string | undefined }
  PausedMessage: {
    id: number
    content: string
    sender: string
    state: 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'failed'
    message_type: Schemas['Messages_type']
    channel: 'sms' | 'rcs'
    category: 'transactional' | 'marketing'
    recipients_count: number
    sms_count: number
    credits_required: number
    credits_refunded: number
    scheduledate: string
    scheduletime: string
    scheduletimestamp: string
    shorturl_mode: { id: number; label: string } | null
    shorturl_url: string | null
    external_id: string | null
    resend_of: number | null
    created_at: string
    cancelled_at: string | null
    summary: Schemas['MessagesSummary']
    sent_count?: number | undefined
    clicked: number
    replied: number
    name?: string | undefined
    tags?: string[] | undefined
    replaces?: number | undefined
    replaced_by?: number | undefined
    paused_at?: string | undefined
    validity?: number | undefined
    expires_at?: string | undefined
    priority?: 'low' | 'high' | undefined
    spread?: { per_hour: number } | undefined
    deadline?: string | undefined
    late_at?: string | undefined
    flash?: boolean | undefined
    binary?: { data: string; udh: string } | undefined
    waiting: number
    under_way: number
    expiries: { expires_at: string; recipients: number }[]
  }
  PeriodResults: {
    totals: {
      sent: number
      delivered: number
      clicked: number
      replied: number
      opted_out: number
      delivery_rate: number | null
      click_rate: number | null
      reply_rate: number | null
      opt_out_rate: number | null
      read: number
      failed: number
      stopped: number
      credits: number
    }
    hours: {
      weekday: number
      hour: number
      sent: number
      delivered: number
      clicked: number
      replied: number
      opted_out: number
      delivery_rate: number | null
      click_rate: number | null
      reply_rate: number | null
      opt_out_rate: number | null
    }[]
    countries: {
      country: string
      recipients: number
      sent: number
      delivered: number
      failed: number
      clicked: number
    }[]
    carriers: {
      carrier: string
      recipients: number
      sent: number
      delivered: number
      failed: number
      clicked: number
    }[]
    errors: { error: string; recipients: number; sent: number; delivered: number; failed: number; clicked: number }[]
    links: { link: string; recipients: number; sent: number; delivered: number; failed: number; clicked: number }[]
  }
  Person: {
    id: number
    email: string
    first_name: string
    last_name: string
    role: 'owner' | 'manager' | 'sender' | 'reader'
    is_holder: boolean
    second_factor: boolean
    is_you: boolean
    joined_at: string
    last_seen_at: string | null
  }
  PersonChanges: {
    role: 'owner' | 'manager' | 'sender' | 'reader'
    current_password?: string | undefined
    code?: string | undefined
  }
  Picture: {
    id: number
    url: string
    type: 'image/jpeg' | 'image/png' | 'image/gif'
    width: number
    height: number
    bytes: number
    created_at: string
  }
  PicturePage: { items: Schemas['Picture'][]; meta: Schemas['paginationMeta'] }
  PictureRemoved: { success: boolean; message: string }
  PictureUpload: { file: Blob }
  PriceImported: { success: boolean; message: string; prices: number; list: Schemas['PriceList'] | null }
  PriceList: {
    id: number
    name: string
    is_default: boolean
    accounts: number
    in_force: number | null
    versions: Schemas['PriceVersion'][]
  }
  PriceListChange: { name?: string | undefined; is_default?: boolean | undefined }
  PriceListDto: { file: Blob; name: string; valid_from?: string | undefined }
  PriceRow: { kind: 'sms' | 'rcs_basic' | 'rcs_single' | 'rcs_conversation'; prefix: string; credits: number }
  PriceVersion: { number: number; valid_from: string; created_at: string; made_by: string; prices: number }
  PriceVersionDto: { file: Blob; valid_from?: string | undefined }
  PricedAccount: {
    account_id: number
    account_name: string
    list_id: number | null
    list_name: string | null
    set_at: string
  }
  QueueRow: {
    route: string
    carriers: string[]
    category: 'transactional' | 'marketing'
    batches: number
    recipients: number
    oldest_seconds: number
    up_to_minute: number
    up_to_five_minutes: number
    up_to_hour: number
    older: number
  }
  RbmPush: { message?: { data: string } | undefined; clientToken?: string | undefined; secret?: string | undefined }
  RcsCardContent: { type: 'card'; data: Schemas['RcsCardDto'] }
  RcsCardDto: {
    title?: string | null | undefined
    description?: string | null | undefined
    media_message_url?: string | null | undefined
    choices?:
      | (Schemas['TextChoiceDto'] | Schemas['UrlChoiceDto'] | Schemas['CallChoiceDto'] | Schemas['LocationChoiceDto'])[]
      | null
      | undefined
  }
  RcsCarouselContent: { type: 'carousel'; data: Schemas['RcsCarouselDto'] }
  RcsCarouselDto: { cards: Schemas['RcsCardDto'][] }
  RcsDto: {
    name: string
    type: 'text' | 'card' | 'carousel'
    data: Schemas['RcsTextDto'] | Schemas['RcsCarouselDto'] | Schemas['RcsCardDto']
    fallback?: (Schemas['FallBack'] | null) | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
  } & (Schemas['RcsTextContent'] | Schemas['RcsCardContent'] | Schemas['RcsCarouselContent'])
  RcsResume: {
    credits_required: number
    credits_remaining: number
    credits_missing: number
    recipients_count: number
    sms_count: number
    doublons: number
    stops: number
    invalid: number
    barred: number
    unpriced: number
    limited: number
    no_consent: number
    capped: number
    encoding: 'gsm' | 'ucs2'
    forced_by: string[]
    barred_countries: string[]
    unpriced_countries: string[]
    starts_at: string
    held_count: number
    held_until: string | null
    finishes_at: string
    warnings?: string[] | undefined
    confirmation?: Schemas['SendConfirmation'] | undefined
    rcs_count: number
  }
  RcsShown: {
    type: 'text' | 'card' | 'carousel'
    data: Schemas['RcsTextDto'] | Schemas['RcsCarouselDto'] | Schemas['RcsCardDto']
    fallback: { content: string; sender: string | null } | null
  }
  RcsStatus: {
    success: boolean
    message: string
    message_id: number
    credits_used: number
    credits_remaining: number
    recipients_count: number
    sms_count: number
    doublons: number
    stops: number
    invalid: number
    barred: number
    unpriced: number
    limited: number
    no_consent: number
    capped: number
    warnings?: string[] | undefined
    rcs_count: number
  }
  RcsStatusEvent: {
    id: string
    type: 'rcs_status'
    timestamp: string
    test?: true | undefined
    data: Schemas['RcsStatusEventRecord'][]
  }
  RcsStatusEventRecord: Schemas['Messages_rcs'] & Schemas['EventFields']
  RcsTextContent: { type: 'text'; data: Schemas['RcsTextDto'] }
  RcsTextDto: {
    text: string
    choices?:
      | (Schemas['TextChoiceDto'] | Schemas['UrlChoiceDto'] | Schemas['CallChoiceDto'] | Schemas['LocationChoiceDto'])[]
      | null
      | undefined
  }
  RcsUpdate: {
    name?: string | undefined
    type?: 'text' | 'card' | 'carousel' | undefined
    data?: (Schemas['RcsTextDto'] | Schemas['RcsCarouselDto'] | Schemas['RcsCardDto']) | undefined
    fallback?: (Schemas['FallBack'] | null) | undefined
    shorturl?: (Schemas['shortUrlDto'] | null) | undefined
  }
  ReceivedCreditRequest: {
    id: number
    msgType: 1 | 2
    credits: number
    state: 'waiting' | 'given' | 'declined' | 'withdrawn'
    note: string
    answer: string
    created_at: string
    answered_at: string | null
    account: { id: number; parent_id: number | null; name: string; credits: number }
  }
  ReceivedCreditRequestList: { items: Schemas['ReceivedCreditRequest'][]; meta: Schemas['paginationMeta'] }
  RecipientWithVariables: { recipient: string } & Record<string, unknown>
  RecoveryCodesRenewal: { current_password?: string | undefined; code?: string | undefined }
  RepliesEvent: {
    id: string
    type: 'replies'
    timestamp: string
    test?: true | undefined
    data: Schemas['RepliesEventRecord'][]
  }
  RepliesEventRecord: Schemas['Reponses'] & Schemas['EventFields']
  RepliesHistoryRo: { items: Schemas['Reponses'][]; meta: Schemas['paginationMeta'] }
  Reponses: {
    id: number
    message_id: number | null
    recipient: string
    to: string
    channel: 'sms' | 'rcs'
    content: string
    is_stop: boolean
    timestamp: string
  }
  RotatedApiKey: {
    id: number
    name: string
    scopes: string[]
    addresses: string[]
    is_first: boolean
    created_at: string
    expires_at: string | null
    credits_per_day: number | null
    last_used_at: string | null
    replaced_by: number | null
    appId: string
    apikey: string
    previous_valid_until: string | null
  }
  Route: {
    channel: 'sms' | 'rcs'
    prefix: string
    account: number | null
    sender: string | null
    category: 'transactional' | 'marketing' | null
    carriers: Schemas['RouteCarrier'][]
    try_next_on?: string[] | undefined
    tries_max?: number | undefined
  }
  RouteCarrier: {
    name: string
    is_up: boolean
    sending: 'on' | 'paused' | 'draining'
    cost: number | null
    agent: string | null
  }
  RouteExplanation: {
    to: string
    channel: 'sms' | 'rcs'
    account_id: number
    category: 'transactional' | 'marketing'
    sender: string | null
    route: Schemas['Route'] | null
    carrier: string | null
    is_waiting: boolean
    agent: string | null
    reason: string
    considered: Schemas['ConsideredRoute'][]
    left_off: number
  }
  SandboxMessage: {
    channel: 'sms' | 'rcs'
    from: string
    content: string
    card?: Schemas['RcsCardDto'] | undefined
    carousel?: Schemas['RcsCarouselDto'] | undefined
    choices?:
      | (Schemas['TextChoiceDto'] | Schemas['UrlChoiceDto'] | Schemas['CallChoiceDto'] | Schemas['LocationChoiceDto'])[]
      | undefined
    message_id: number
    received_at: string
  }
  SecondFactor: {
    totp: { is_on: boolean; since: string | null }
    passkeys: Schemas['Passkey'][]
    recovery_codes_left: number
    is_required: boolean
    may_require: boolean
  }
  SecondFactorRemovalFromAbove: { current_password?: string | undefined; code?: string | undefined }
  SecondFactorRequirement: { is_required: boolean }
  Segment: {
    id: number
    name: string
    match: 'all' | 'any'
    rules: (
      | Schemas['StoredSegmentFieldRule']
      | Schemas['SegmentListRule']
      | Schemas['SegmentEventRule']
      | Schemas['StoredSegmentGroup']
    )[]
    problems: { path: string; message: string }[]
    created_at: string
    updated_at: string
  }
  SegmentCount: { count: number }
  SegmentDto: {
    name: string
    match: 'all' | 'any'
    rules: (
      | Schemas['SegmentFieldRule']
      | Schemas['SegmentListRule']
      | Schemas['SegmentEventRule']
      | Schemas['SegmentGroup']
    )[]
  }
  SegmentEventRule: {
    type: 'event'
    event: 'written' | 'delivered' | 'clicked' | 'replied' | 'opted_in'
    op: 'happened' | 'not_happened'
    days?: number | undefined
    since?: string | undefined
    message_id?: number | undefined
  }
  SegmentFieldRule: {
    type: 'field'
    field:
      | 'champ_nom'
      | 'champ_prenom'
      | 'champ_mail'
      | 'champ_adresse'
      | 'champ_cp'
      | 'champ_date'
      | 'champ_ville'
      | 'champ_perso1'
      | 'champ_perso2'
      | 'champ_perso3'
      | 'champ_perso4'
      | 'champ_perso5'
      | 'champ_perso6'
      | 'champ_perso7'
      | 'champ_perso8'
      | 'champ_perso9'
      | 'champ_perso10'
    op: 'is' | 'is_not' | 'contains' | 'not_contains' | 'before' | 'after' | 'empty' | 'not_empty' | 'anniversary'
    value?: string | undefined
    days_before?: number | undefined
  }
  SegmentGroup: {
    type: 'group'
    match: 'all' | 'any'
    rules: (
      | Schemas['SegmentFieldRule']
      | Schemas['SegmentListRule']
      | Schemas['SegmentEventRule']
      | Schemas['SegmentInnerGroup']
    )[]
  }
  SegmentInnerGroup: {
    type: 'group'
    match: 'all' | 'any'
    rules: (Schemas['SegmentFieldRule'] | Schemas['SegmentListRule'] | Schemas['SegmentEventRule'])[]
  }
  SegmentListRule: { type: 'list'; op: 'in' | 'not_in'; list_id: number }
  SegmentPage: { items: Schemas['Segment'][]; meta: Schemas['paginationMeta'] }
  SegmentRemoved: { success: boolean; message: string }
  SegmentRules: {
    match: 'all' | 'any'
    rules: (
      | Schemas['SegmentFieldRule']
      | Schemas['SegmentListRule']
      | Schemas['SegmentEventRule']
      | Schemas['SegmentGroup']
    )[]
  }
  SendConfirmation: { token: string; valid_until: string; credits_left_today: number }
  Sender: {
    id: number
    name: string
    countries: string[]
    use: 'any' | 'marketing' | 'transactional'
    proof: string
    link: string
    file: string | null
    state: 'waiting' | 'approved' | 'refused' | 'disabled'
    reason: string
    created_at: string
    decided_at: string | null
    findings: Schemas['SenderFinding'][]
  }
  SenderCheck: { is_refused: boolean; problem: string; findings: Schemas['SenderFinding'][] }
  SenderDecision: {
    state: 'approved' | 'refused' | 'disabled'
    reason?: string | undefined
    from?: 'waiting' | 'approved' | 'refused' | 'disabled' | undefined
  }
  SenderDeclaration: {
    name: string
    countries?: string[] | undefined
    use?: 'any' | 'marketing' | 'transactional' | undefined
    proof?: string | undefined
    link?: string | undefined
  }
  SenderFinding: {
    kind: 'generic' | 'forbidden' | 'reserved' | 'taken' | 'looks-like' | 'granted' | 'country'
    message: string
    name: string | null
    account_id: number | null
    country: string | null
  }
  SenderListEntries: { items: Schemas['SenderListEntry'][]; meta: Schemas['paginationMeta'] }
  SenderListEntry: {
    id: number
    name: string
    kind: 'forbidden' | 'word' | 'reserved'
    account_id: number | null
    note: string
    created_at: string
  }
  SenderListEntryRemoved: { success: boolean; message: string }
  SenderListImported: {
    success: boolean
    message: string
    added: number
    updated: number
    invalid: number
    errors: Schemas['LeftOutRow'][]
  }
  SenderListUpload: { file: Blob }
  SenderMode: { id: number; mode: 'open' | 'warn' | 'enforce' | null; effective: 'open' | 'warn' | 'enforce' }
  SenderModeChange: { mode: 'open' | 'warn' | 'enforce' | null }
  SenderProof: { file: string; type: string; content: string }
  SenderProofUpload: { file: Blob }
  SenderRequest: {
    id: number
    name: string
    countries: string[]
    use: 'any' | 'marketing' | 'transactional'
    proof: string
    link: string
    file: string | null
    state: 'waiting' | 'approved' | 'refused' | 'disabled'
    reason: string
    created_at: string
    decided_at: string | null
    findings: Schemas['SenderFinding'][]
    is_by_operator: boolean
    account: {
      id: number
      parent_id: number | null
      name: string
      email: string
      created_at: string
      sent_30_days: number
      mode: 'open' | 'warn' | 'enforce'
    }
  }
  SenderRequestList: { items: Schemas['SenderRequest'][]; meta: Schemas['paginationMeta'] }
  SenderWithdrawn: { success: boolean; message: string }
  Senders: { mode: 'open' | 'warn' | 'enforce'; senders: Schemas['Sender'][] }
  ServiceNumber: {
    number: string
    is_free: boolean
    is_shared: boolean
    is_listed: boolean
    accounts: { id: number; name: string }[]
  }
  Session: {
    id: string
    account_id: number
    social_reason: string
    is_current: boolean
    is_viewing: boolean
    address: string
    agent: string
    created_at: string
    last_seen_at: string
    expires_at: string
  }
  SignOn: { name: string | null }
  SignOnSession: { token: string; expiresIn: number }
  SignOnTicket: {
    ticket: string
    password?: string | undefined
    code?: string | undefined
    passkey?: Schemas['PasskeyAssertion'] | undefined
  }
  SmppBind: {
    id: string
    account_id: number
    system_id: string
    mode: 'transmitter' | 'receiver' | 'transceiver'
    address: string
    encrypted: boolean
    version: string
    bound_at: string
    unanswered: number
  }
  SmppCredential: {
    id: number
    system_id: string
    name: string
    addresses: string[]
    binds: number
    window: number
    throughput: number | null
    category: 'transactional' | 'marketing'
    binary: boolean
    active: boolean
    bound: number
    created_at: string
    last_bound_at: string | null
  }
  SmppCredentialChange: {
    name?: string | undefined
    addresses?: string[] | undefined
    binds?: number | undefined
    window?: number | undefined
    throughput?: number | null | undefined
    category?: 'transactional' | 'marketing' | undefined
    binary?: boolean | undefined
    active?: boolean | undefined
  }
  SmppCredentialCreation: {
    system_id: string
    name: string
    addresses?: string[] | undefined
    binds?: number | undefined
    window?: number | undefined
    throughput?: number | null | undefined
    category?: 'transactional' | 'marketing' | undefined
    binary?: boolean | undefined
    active?: boolean | undefined
    current_password?: string | undefined
    code?: string | undefined
  }
  SmppCredentialRotation: { current_password?: string | undefined; code?: string | undefined }
  SmppServer: { enabled: boolean; host: string | null; port: number | null; tls_port: number | null }
  SmsResume: {
    credits_required: number
    credits_remaining: number
    credits_missing: number
    recipients_count: number
    sms_count: number
    doublons: number
    stops: number
    invalid: number
    barred: number
    unpriced: number
    limited: number
    no_consent: number
    capped: number
    encoding: 'gsm' | 'ucs2'
    forced_by: string[]
    barred_countries: string[]
    unpriced_countries: string[]
    starts_at: string
    held_count: number
    held_until: string | null
    finishes_at: string
    warnings?: string[] | undefined
    confirmation?: Schemas['SendConfirmation'] | undefined
  }
  SmsStatus: {
    success: boolean
    message: string
    message_id: number
    credits_used: number
    credits_remaining: number
    recipients_count: number
    sms_count: number
    doublons: number
    stops: number
    invalid: number
    barred: number
    unpriced: number
    limited: number
    no_consent: number
    capped: number
    warnings?: string[] | undefined
  }
  SmsStatusEvent: {
    id: string
    type: 'sms_status'
    timestamp: string
    test?: true | undefined
    data: Schemas['SmsStatusEventRecord'][]
  }
  SmsStatusEventRecord: Schemas['Messages_sms'] & Schemas['EventFields']
  SmsTemplate: {
    id: number
    name: string
    content: string
    sender: string
    isModel: boolean
    warnings?: string[] | undefined
  }
  SpreadDto: { per_hour?: number | undefined; minutes?: number | undefined }
  StandingChange: { standing: 'open' | 'suspended' | 'closed'; reason?: string | undefined }
  StartsEvent: {
    id: string
    type: 'starts'
    timestamp: string
    test?: true | undefined
    data: Schemas['StartsEventRecord'][]
  }
  StartsEventRecord: Schemas['Stops'] & Schemas['EventFields']
  Statement: {
    month: string
    number: number | null
    is_provisional: boolean
    closed_at: string | null
    balances: Schemas['StatementBalance'][]
    from: string
    to: string
    account: { id: number; name: string }
    issuer: { name: string; address: string }
    countries: { msgType: 1 | 2; country: string | null; used: number; refunded: number }[]
    senders: { msgType: 1 | 2; sender: string | null; used: number; refunded: number }[]
    sub_accounts: {
      msgType: 1 | 2
      subaccount_id: number
      name: string
      added: number
      removed: number
      used: number
      refunded: number
    }[]
  }
  StatementBalance: {
    msgType: 1 | 2
    opening: number
    added: number
    removed: number
    used: number
    refunded: number
    closing: number
  }
  StatementHead: {
    month: string
    number: number | null
    is_provisional: boolean
    closed_at: string | null
    balances: Schemas['StatementBalance'][]
  }
  StatementLine: {
    month: string
    number: number | null
    msgType: 1 | 2
    kind: 'opening' | 'added' | 'removed' | 'used' | 'refunded' | 'closing'
    subaccount_id: number | null
    country: string | null
    sender: string | null
    credits: number
  }
  StatementList: { items: Schemas['StatementHead'][]; meta: Schemas['paginationMeta']; provisional: string[] }
  Stops: {
    id: number
    recipient: string
    timestamp: string
    source: 'manual' | 'file' | 'reply'
    way: 'reply' | 'link' | 'button' | 'platform' | 'manual' | 'file'
    message_id: number | null
    sender: string | null
  }
  StopsDto: { recipient: string }
  StopsEvent: {
    id: string
    type: 'stops'
    timestamp: string
    test?: true | undefined
    data: Schemas['StopsEventRecord'][]
  }
  StopsEventRecord: Schemas['Stops'] & Schemas['EventFields']
  StopsFileUploadDto: { file: Blob }
  StopsListRo: { items: Schemas['Stops'][]; meta: Schemas['paginationMeta'] }
  StoredSegmentFieldRule: {
    type: 'field'
    field: string
    op: 'is' | 'is_not' | 'contains' | 'not_contains' | 'before' | 'after' | 'empty' | 'not_empty' | 'anniversary'
    value?: string | undefined
    days_before?: number | undefined
  }
  StoredSegmentGroup: {
    type: 'group'
    match: 'all' | 'any'
    rules: (
      | Schemas['StoredSegmentFieldRule']
      | Schemas['SegmentListRule']
      | Schemas['SegmentEventRule']
      | Schemas['StoredSegmentInnerGroup']
    )[]
  }
  StoredSegmentInnerGroup: {
    type: 'group'
    match: 'all' | 'any'
    rules: (Schemas['StoredSegmentFieldRule'] | Schemas['SegmentListRule'] | Schemas['SegmentEventRule'])[]
  }
  SubAccountChangeModeCredits: { credits_mode: 'self' | 'parent' }
  SubAccountCreateDto: {
    email: string
    password: string
    firstName?: string | undefined
    lastName?: string | undefined
    phoneNumber?: string | undefined
    social_reason?: string | undefined
    credits_mode?: 'self' | 'parent' | undefined
  }
  SubAccountCredits: { credits: number; msgType?: 1 | 2 | undefined; note?: string | undefined }
  SubAccountListRo: { items: Schemas['SubAccountRow'][]; meta: Schemas['paginationMeta'] }
  SubAccountRow: {
    subaccount_id: number
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    credits_mode: 'self' | 'parent'
    created_at: string
    standing: 'open' | 'suspended' | 'closed'
    standing_reason: string
    standing_since: string | null
    sms_credits: number
    rcs_credits: number
    sent_30_days: number
    last_activity_at: string | null
    note: string
  }
  TextChoiceDto: { type: 'text'; text: string }
  TimelineStep: {
    at: string
    step: string
    detail: string
    carrier: string | null
    times?: number | undefined
    last_at?: string | undefined
  }
  TotpBeginning: { current_password?: string | undefined; code?: string | undefined }
  TotpConfirmation: { code: string }
  TotpRemoval: { current_password?: string | undefined; code?: string | undefined }
  TotpSecret: { secret: string; uri: string }
  Trial: {
    id: number
    name: string
    share: number
    decide_by: 'clicks' | 'replies' | 'deliveries' | 'hand'
    state: 'scheduled' | 'testing' | 'chosen' | 'cancelled' | 'failed'
    channel: 'sms' | 'rcs'
    contactlist?: number[] | undefined
    segments?: number[] | undefined
    decide_after_minutes: number | null
    begins_at: string | null
    begun_at: string | null
    decides_at: string | null
    labels: string[]
    winner: string | null
    rest: { recipients: number; message_id: number | null }
    problem: string | null
    created_at: string
    variants: {
      label: string
      recipients: number
      counted: number
      sent: number
      delivered: number
      clicked: number
      replied: number
      opted_out: number
      rate: number | null
      chance: number | null
      message: Record<string, unknown>
      message_id: number | null
    }[]
    choice: {
      winner: string
      by_hand: boolean
      chosen_at: string
      certainty: 'sure' | 'likely' | 'open' | 'too_few' | null
      summary: string
      figures: {
        label: string
        recipients: number
        counted: number
        sent: number
        delivered: number
        clicked: number
        replied: number
        opted_out: number
        rate: number | null
        chance: number | null
      }[]
    } | null
  }
  TrialChoiceDto: { variant?: string | undefined }
  TrialDto: {
    name: string
    share?: number | undefined
    decide_by: 'clicks' | 'replies' | 'deliveries' | 'hand'
    contactlist?: (number | string)[] | undefined
    segments?: number[] | undefined
    scheduleAt?: string | undefined
    decide_after_minutes?: number | undefined
    variants: {
      label?: string | undefined
      sms?:
        | {
            content?: string | undefined
            model_id?: number | undefined
            sender?: string | undefined
            shorturl?: (Schemas['shortUrlDto'] | null) | undefined
            category?: 'transactional' | 'marketing' | undefined
            spread?: Schemas['SpreadDto'] | undefined
            name?: string | undefined
            tags?: string[] | undefined
            validity?: number | undefined
            priority?: 'low' | 'normal' | 'high' | undefined
            flash?: boolean | undefined
            binary?: Schemas['BinaryDto'] | undefined
          }
        | undefined
      rcs?:
        | {
            type?: 'text' | 'card' | 'carousel' | undefined
            data?: (Schemas['RcsTextDto'] | Schemas['RcsCardDto'] | Schemas['RcsCarouselDto']) | undefined
            model_id?: number | undefined
            fallback?: { content: string; sender?: string | null | undefined } | null | undefined
            agent?: string | null | undefined
            shorturl?: (Schemas['shortUrlDto'] | null) | undefined
            category?: 'transactional' | 'marketing' | undefined
            spread?: Schemas['SpreadDto'] | undefined
            name?: string | undefined
            tags?: string[] | undefined
            validity?: number | undefined
            priority?: 'low' | 'normal' | 'high' | undefined
          }
        | undefined
    }[]
  }
  TrialPage: { items: Schemas['TrialSummary'][]; meta: Schemas['paginationMeta'] }
  TrialResume: {
    credits_required: number
    credits_remaining: number
    credits_missing: number
    recipients_count: number
    doublons: number
    stops: number
    invalid: number
    barred: number
    unpriced: number
    limited: number
    no_consent: number
    capped: number
    barred_countries: string[]
    unpriced_countries: string[]
    warnings?: string[] | undefined
    confirmation?: Schemas['SendConfirmation'] | undefined
    variants: {
      label: string
      recipients_count: number
      credits_required: number
      rest_credits: number
      encoding: 'gsm' | 'ucs2'
      forced_by: string[]
    }[]
    rest: { recipients_count: number; credits_min: number; credits_max: number }
  }
  TrialSummary: {
    id: number
    name: string
    share: number
    decide_by: 'clicks' | 'replies' | 'deliveries' | 'hand'
    state: 'scheduled' | 'testing' | 'chosen' | 'cancelled' | 'failed'
    channel: 'sms' | 'rcs'
    contactlist?: number[] | undefined
    segments?: number[] | undefined
    decide_after_minutes: number | null
    begins_at: string | null
    begun_at: string | null
    decides_at: string | null
    labels: string[]
    winner: string | null
    rest: { recipients: number; message_id: number | null }
    problem: string | null
    created_at: string
  }
  UnmatchedReceipt: {
    id: number
    carrier: string
    carrier_message_id: string
    state: 'delivered' | 'failed' | 'expired' | 'rejected' | 'unknown'
    word: string
    errorcode: string
    source: string
    destination: string
    happened_at: string
    received_at: string
    tries: number
    next_try_at: string | null
  }
  UnmatchedReceiptList: { items: Schemas['UnmatchedReceipt'][]; meta: Schemas['paginationMeta'] }
  UrlChoiceDto: { type: 'url'; title: string; url: string }
  UserInfo: {
    id: number
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    time_zone: string
    country: string
    created_at: string
    last_login_at: string | null
  }
  ViewToken: { token: string; expiresIn: number }
  WebhookConfigRo: { webhooks: Schemas['WebhookRo'][]; available_types: string[]; secret?: string | undefined }
  WebhookDeliveriesRo: { items: Schemas['WebhookDeliveryRo'][]; meta: Schemas['paginationMeta'] }
  WebhookDeliveryRo: {
    id: number
    event_id: string
    type:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
    url: string
    test: boolean
    status: 'pending' | 'succeeded' | 'retrying' | 'failed'
    attempts: number
    response_status: number | null
    response_ms: number | null
    response: string | null
    error: string | null
    next_attempt_at: string | null
    created_at: string
    delivered_at: string | null
    payload: Schemas['WebhookPayload'] | null
  }
  WebhookPayload: {
    id: string
    type:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
    timestamp: string
    test?: boolean | undefined
    data: Record<string, unknown>[]
  }
  WebhookReplayDto: {
    since: string
    type?:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
      | undefined
  }
  WebhookReplayRo: { replayed: number }
  WebhookRo: {
    id: number
    type:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
    url: string
    method: 'POST'
    active: boolean
    batch_size: number
    created_at: string
    last_status: number | null
    failing_since: string | null
    disabled_reason: string | null
  }
  WebhookSecretRo: { secret: string; previous_valid_until: string | null }
  WebhookTestDto: {
    type:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
  }
  paginationMeta: {
    itemCount: number
    totalItems: number
    itemsPerPage: number
    totalPages: number
    currentPage: number
  }
  shortUrlDto: { mode: 'unique' | 'common'; url: string }
  subAccount: {
    subaccount_id: number
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    credits_mode: 'self' | 'parent'
    created_at: string
  }
  subAccountWithCredentials: {
    subaccount_id: number
    email: string
    social_reason: string
    phone_number: string
    first_name: string
    last_name: string
    credits_mode: 'self' | 'parent'
    appId: string
    apikey: string
  }
  webhookDtoUpdate: { webhooks: Schemas['webhookTypeDto'][] }
  webhookTypeDto: {
    type:
      | 'replies'
      | 'stops'
      | 'starts'
      | 'consents'
      | 'sms_status'
      | 'rcs_status'
      | 'clicks'
      | 'message_state'
      | 'limits'
      | 'balances'
      | 'credit_requests'
      | 'alarms'
    url: string
    method?: 'POST' | undefined
    active?: boolean | undefined
    batch_size?: number | undefined
  }
}

export interface Routes {
  'POST /auth/login': {
    path: unknown
    query: unknown
    body: Schemas['LoginUserDto']
    answer: Schemas['LoginResponseDto']
  }
  'POST /auth/logout': { path: unknown; query: unknown; body: undefined; answer: { success: boolean; message: string } }
  'PUT /users/me/second-factor/requirement': {
    path: unknown
    query: unknown
    body: Schemas['SecondFactorRequirement']
    answer: { is_required: boolean }
  }
  'GET /users/me': { path: unknown; query: unknown; body: undefined; answer: Schemas['Me'] }
  'PUT /users/me': { path: unknown; query: unknown; body: Schemas['MeChanges']; answer: Schemas['Me'] }
  'POST /users/apikey/rotate': {
    path: unknown
    query: unknown
    body: Schemas['ApiKeyRotation']
    answer: Schemas['ApiKeyPair']
  }
  'GET /keys': { path: unknown; query: unknown; body: undefined; answer: Schemas['ApiKey'][] }
  'POST /keys': { path: unknown; query: unknown; body: Schemas['ApiKeyCreation']; answer: Schemas['NewApiKey'] }
  'PUT /keys/{id}': { path: { id: number }; query: unknown; body: Schemas['ApiKeyChange']; answer: Schemas['ApiKey'] }
  'DELETE /keys/{id}': { path: { id: number }; query: unknown; body: undefined; answer: { success: boolean } }
  'POST /keys/{id}/rotate': {
    path: { id: number }
    query: unknown
    body: Schemas['KeyRotation']
    answer: Schemas['RotatedApiKey']
  }
  'GET /smpp/credentials': { path: unknown; query: unknown; body: undefined; answer: Schemas['SmppCredential'][] }
  'POST /smpp/credentials': {
    path: unknown
    query: unknown
    body: Schemas['SmppCredentialCreation']
    answer: Schemas['NewSmppCredential']
  }
  'PUT /smpp/credentials/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['SmppCredentialChange']
    answer: Schemas['SmppCredential']
  }
  'DELETE /smpp/credentials/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean }
  }
  'POST /smpp/credentials/{id}/rotate': {
    path: { id: number }
    query: unknown
    body: Schemas['SmppCredentialRotation']
    answer: Schemas['NewSmppCredential']
  }
  'GET /smpp/binds': { path: unknown; query: unknown; body: undefined; answer: Schemas['SmppBind'][] }
  'GET /smpp/server': { path: unknown; query: unknown; body: undefined; answer: Schemas['SmppServer'] }
  'POST /subaccount': {
    path: unknown
    query: unknown
    body: Schemas['SubAccountCreateDto']
    answer: Schemas['subAccountWithCredentials']
  }
  'GET /subaccount': { path: unknown; query: unknown; body: undefined; answer: Schemas['subAccount'][] }
  'GET /subaccount/paginate': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      search?: string | undefined
      standing?: 'open' | 'suspended' | 'closed' | undefined
      sort?: 'created' | 'name' | 'email' | 'sms_credits' | 'rcs_credits' | 'sent' | 'activity' | undefined
      direction?: 'asc' | 'desc' | undefined
    }
    body: undefined
    answer: Schemas['SubAccountListRo']
  }
  'GET /subaccount/extract': {
    path: unknown
    query: { search?: string | undefined; standing?: 'open' | 'suspended' | 'closed' | undefined }
    body: undefined
    answer: Schemas['SubAccountRow'][]
  }
  'GET /subaccount/{id}/overview': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['SubAccountRow']
  }
  'GET /subaccount/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['subAccount'] }
  'GET /subaccount/{id}/user': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['UserInfo'] }
  'PUT /subaccount/{id}/credits/mode': {
    path: { id: number }
    query: unknown
    body: Schemas['SubAccountChangeModeCredits']
    answer: Schemas['subAccount']
  }
  'GET /accounts': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      search?: string | undefined
      standing?: 'open' | 'suspended' | 'closed' | undefined
      sort?: 'created' | 'name' | 'email' | 'sms_credits' | 'rcs_credits' | 'sent' | 'activity' | undefined
      direction?: 'asc' | 'desc' | undefined
    }
    body: undefined
    answer: Schemas['AccountList']
  }
  'POST /accounts': {
    path: unknown
    query: unknown
    body: Schemas['AccountCreate']
    answer: Schemas['AccountWithCredentials']
  }
  'GET /accounts/extract': {
    path: unknown
    query: { search?: string | undefined; standing?: 'open' | 'suspended' | 'closed' | undefined }
    body: undefined
    answer: Schemas['AccountRow'][]
  }
  'GET /accounts/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['AccountRow'] }
  'PUT /accounts/{id}/standing': {
    path: { id: number }
    query: unknown
    body: Schemas['StandingChange']
    answer: Schemas['AccountStanding']
  }
  'PUT /subaccount/{id}/standing': {
    path: { id: number }
    query: unknown
    body: Schemas['StandingChange']
    answer: Schemas['AccountStanding']
  }
  'PUT /accounts/{id}/note': {
    path: { id: number }
    query: unknown
    body: Schemas['AccountNoteChange']
    answer: Schemas['AccountNote']
  }
  'PUT /subaccount/{id}/note': {
    path: { id: number }
    query: unknown
    body: Schemas['AccountNoteChange']
    answer: Schemas['AccountNote']
  }
  'POST /accounts/{id}/key': {
    path: { id: number }
    query: unknown
    body: Schemas['FirstKeyRenewal']
    answer: Schemas['ApiKeyPair']
  }
  'POST /subaccount/{id}/key': {
    path: { id: number }
    query: unknown
    body: Schemas['FirstKeyRenewal']
    answer: Schemas['ApiKeyPair']
  }
  'GET /accounts/{id}/people': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Person'][] }
  'GET /subaccount/{id}/people': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Person'][] }
  'POST /accounts/{id}/people/{person_id}/password/reset': {
    path: { id: number; person_id: number }
    query: unknown
    body: Schemas['PasswordResetFromAbove']
    answer: Schemas['PasswordLink']
  }
  'POST /subaccount/{id}/people/{person_id}/password/reset': {
    path: { id: number; person_id: number }
    query: unknown
    body: Schemas['PasswordResetFromAbove']
    answer: Schemas['PasswordLink']
  }
  'POST /accounts/{id}/people/{person_id}/second-factor/remove': {
    path: { id: number; person_id: number }
    query: unknown
    body: Schemas['SecondFactorRemovalFromAbove']
    answer: { success: boolean; message: string }
  }
  'POST /subaccount/{id}/people/{person_id}/second-factor/remove': {
    path: { id: number; person_id: number }
    query: unknown
    body: Schemas['SecondFactorRemovalFromAbove']
    answer: { success: boolean; message: string }
  }
  'POST /accounts/{id}/view': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['ViewToken'] }
  'POST /subaccount/{id}/view': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['ViewToken'] }
  'GET /look': { path: unknown; query: unknown; body: undefined; answer: Schemas['Look'] }
  'PUT /look': { path: unknown; query: unknown; body: Schemas['LookChange']; answer: Schemas['Look'] }
  'DELETE /look': { path: unknown; query: unknown; body: undefined; answer: Schemas['Look'] }
  'GET /accounts/{id}/hosts': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['AccountHosts'] }
  'PUT /accounts/{id}/hosts': {
    path: { id: number }
    query: unknown
    body: Schemas['AccountHostsChange']
    answer: Schemas['AccountHosts']
  }
  'POST /accounts/by-number': {
    path: unknown
    query: unknown
    body: Schemas['NumberLookUp']
    answer: Schemas['NumberHistory']
  }
  'POST /auth/switch': {
    path: unknown
    query: unknown
    body: Schemas['AccountSwitch']
    answer: Schemas['LoginResponseDto']
  }
  'POST /auth/password/forgot': {
    path: unknown
    query: unknown
    body: Schemas['PasswordForgotten']
    answer: { success: boolean; message: string }
  }
  'POST /auth/password/reset': {
    path: unknown
    query: unknown
    body: Schemas['PasswordReset']
    answer: { success: boolean; message: string }
  }
  'GET /users/me/accounts': { path: unknown; query: unknown; body: undefined; answer: Schemas['OwnAccount'][] }
  'POST /users/me/leave': {
    path: unknown
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'GET /users/me/sessions': { path: unknown; query: unknown; body: undefined; answer: Schemas['Session'][] }
  'DELETE /users/me/sessions': { path: unknown; query: unknown; body: undefined; answer: { ended: number } }
  'DELETE /users/me/sessions/{session}': {
    path: { session: string }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'GET /people': { path: unknown; query: unknown; body: undefined; answer: Schemas['Person'][] }
  'PUT /people/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['PersonChanges']
    answer: Schemas['Person']
  }
  'DELETE /people/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'POST /people/invitations': {
    path: unknown
    query: unknown
    body: Schemas['InvitationDto']
    answer: Schemas['InvitationWithLink']
  }
  'GET /people/invitations': { path: unknown; query: unknown; body: undefined; answer: Schemas['Invitation'][] }
  'DELETE /people/invitations/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'POST /invitations/look': {
    path: unknown
    query: unknown
    body: Schemas['InvitationLook']
    answer: Schemas['LookedInvitation']
  }
  'POST /invitations/accept': {
    path: unknown
    query: unknown
    body: Schemas['InvitationAcceptance']
    answer: Schemas['JoinedAccount']
  }
  'POST /invitations/join': {
    path: unknown
    query: unknown
    body: Schemas['InvitationJoin']
    answer: Schemas['JoinedAccount']
  }
  'GET /auth/oidc': { path: unknown; query: unknown; body: undefined; answer: Schemas['SignOn'] }
  'POST /auth/oidc/session': {
    path: unknown
    query: unknown
    body: Schemas['SignOnTicket']
    answer: Schemas['SignOnSession']
  }
  'POST /auth/login/passkey': {
    path: unknown
    query: unknown
    body: Schemas['PasskeyLogin']
    answer: Schemas['PasskeyOptions']
  }
  'GET /users/me/second-factor': { path: unknown; query: unknown; body: undefined; answer: Schemas['SecondFactor'] }
  'POST /users/me/second-factor/totp': {
    path: unknown
    query: unknown
    body: Schemas['TotpBeginning']
    answer: Schemas['TotpSecret']
  }
  'POST /users/me/second-factor/totp/confirm': {
    path: unknown
    query: unknown
    body: Schemas['TotpConfirmation']
    answer: { recovery_codes: string[] }
  }
  'POST /users/me/second-factor/totp/remove': {
    path: unknown
    query: unknown
    body: Schemas['TotpRemoval']
    answer: { success: boolean; message: string }
  }
  'POST /users/me/second-factor/recovery-codes': {
    path: unknown
    query: unknown
    body: Schemas['RecoveryCodesRenewal']
    answer: { recovery_codes: string[] }
  }
  'POST /users/me/second-factor/passkeys/begin': {
    path: unknown
    query: unknown
    body: Schemas['PasskeyBeginning']
    answer: Schemas['PasskeyOptions']
  }
  'POST /users/me/second-factor/passkeys': {
    path: unknown
    query: unknown
    body: Schemas['NewPasskey']
    answer: { passkey: Schemas['Passkey']; recovery_codes: string[] }
  }
  'POST /users/me/second-factor/passkeys/{passkey_id}/remove': {
    path: { passkey_id: number }
    query: unknown
    body: Schemas['PasskeyRemoval']
    answer: { success: boolean; message: string }
  }
  'GET /users/credits': { path: unknown; query: unknown; body: undefined; answer: Schemas['CreditsRo'][] }
  'GET /users/credits/history': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; msgType?: 1 | 2 | undefined }
    body: undefined
    answer: Schemas['CreditEntryList']
  }
  'PUT /subaccount/{id}/credits/add': {
    path: { id: number }
    query: unknown
    body: Schemas['SubAccountCredits']
    answer: Schemas['CreditsRo'][]
  }
  'PUT /subaccount/{id}/credits/remove': {
    path: { id: number }
    query: unknown
    body: Schemas['SubAccountCredits']
    answer: Schemas['CreditsRo'][]
  }
  'GET /subaccount/{id}/credits': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['CreditsRo'][]
  }
  'GET /subaccount/{id}/credits/history': {
    path: { id: number }
    query: { page?: number | undefined; limit?: number | undefined; msgType?: 1 | 2 | undefined }
    body: undefined
    answer: Schemas['CreditEntryList']
  }
  'PUT /accounts/{id}/credits': {
    path: { id: number }
    query: unknown
    body: Schemas['AccountCredits']
    answer: Schemas['CreditsRo'][]
  }
  'POST /credit-requests': {
    path: unknown
    query: unknown
    body: Schemas['NewCreditRequest']
    answer: Schemas['CreditRequest']
  }
  'GET /credit-requests': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      state?: 'waiting' | 'given' | 'declined' | 'withdrawn' | undefined
    }
    body: undefined
    answer: Schemas['CreditRequestList']
  }
  'DELETE /credit-requests/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['CreditRequest']
  }
  'GET /credit-requests/received': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      state?: 'waiting' | 'given' | 'declined' | 'withdrawn' | undefined
    }
    body: undefined
    answer: Schemas['ReceivedCreditRequestList']
  }
  'PUT /credit-requests/received/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['CreditRequestAnswer']
    answer: Schemas['ReceivedCreditRequest']
  }
  'GET /alarms': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; open?: boolean | undefined }
    body: undefined
    answer: Schemas['AlarmPage']
  }
  'GET /notices': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; unread?: boolean | undefined }
    body: undefined
    answer: Schemas['NoticePage']
  }
  'PUT /notices/read': { path: unknown; query: unknown; body: Schemas['NoticesRead']; answer: { unread: number } }
  'GET /statements': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; account?: number | undefined }
    body: undefined
    answer: Schemas['StatementList']
  }
  'GET /statements/{month}': {
    path: { month: string }
    query: { account?: number | undefined }
    body: undefined
    answer: Schemas['Statement']
  }
  'GET /statements/{month}/extract': {
    path: { month: string }
    query: { account?: number | undefined; language?: 'en' | 'fr' | undefined }
    body: undefined
    answer: Schemas['StatementLine'][]
  }
  'GET /stats/credits/extract': {
    path: unknown
    query: { from?: string | undefined; to?: string | undefined; account?: number | undefined }
    body: undefined
    answer: Schemas['CreditUse'][]
  }
  'GET /limits': { path: unknown; query: unknown; body: undefined; answer: Schemas['LimitsWithUse'] }
  'GET /accounts/{id}/limits': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['LimitsWithUse']
  }
  'PUT /accounts/{id}/limits': {
    path: { id: number }
    query: unknown
    body: Schemas['LimitsGiven']
    answer: Schemas['LimitsWithUse']
  }
  'GET /subaccount/{id}/limits': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['LimitsWithUse']
  }
  'PUT /subaccount/{id}/limits': {
    path: { id: number }
    query: unknown
    body: Schemas['LimitsGiven']
    answer: Schemas['LimitsWithUse']
  }
  'GET /countries/rules': { path: unknown; query: unknown; body: undefined; answer: Schemas['CountryRulesList'] }
  'GET /senders': { path: unknown; query: unknown; body: undefined; answer: Schemas['Senders'] }
  'POST /senders': { path: unknown; query: unknown; body: Schemas['SenderDeclaration']; answer: Schemas['Sender'] }
  'GET /senders/check': {
    path: unknown
    query: { name: string; country?: string | undefined }
    body: undefined
    answer: Schemas['SenderCheck']
  }
  'GET /senders/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Sender'] }
  'DELETE /senders/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['SenderWithdrawn'] }
  'POST /senders/{id}/proof': {
    path: { id: number }
    query: unknown
    body: Schemas['SenderProofUpload']
    answer: Schemas['Sender']
  }
  'GET /senders/{id}/proof': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['SenderProof'] }
  'GET /sender-requests': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      state?: 'waiting' | 'approved' | 'refused' | 'disabled' | undefined
      search?: string | undefined
    }
    body: undefined
    answer: Schemas['SenderRequestList']
  }
  'PUT /accounts/{id}/senders/{sender_id}': {
    path: { id: number; sender_id: number }
    query: unknown
    body: Schemas['SenderDecision']
    answer: Schemas['Sender']
  }
  'PUT /subaccount/{id}/senders/{sender_id}': {
    path: { id: number; sender_id: number }
    query: unknown
    body: Schemas['SenderDecision']
    answer: Schemas['Sender']
  }
  'GET /accounts/{id}/senders/{sender_id}/proof': {
    path: { id: number; sender_id: number }
    query: unknown
    body: undefined
    answer: Schemas['SenderProof']
  }
  'GET /subaccount/{id}/senders/{sender_id}/proof': {
    path: { id: number; sender_id: number }
    query: unknown
    body: undefined
    answer: Schemas['SenderProof']
  }
  'GET /accounts/{id}/sender-mode': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['SenderMode']
  }
  'PUT /accounts/{id}/sender-mode': {
    path: { id: number }
    query: unknown
    body: Schemas['SenderModeChange']
    answer: Schemas['SenderMode']
  }
  'GET /subaccount/{id}/sender-mode': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['SenderMode']
  }
  'PUT /subaccount/{id}/sender-mode': {
    path: { id: number }
    query: unknown
    body: Schemas['SenderModeChange']
    answer: Schemas['SenderMode']
  }
  'GET /sender-lists': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      kind?: 'forbidden' | 'word' | 'reserved' | undefined
      search?: string | undefined
    }
    body: undefined
    answer: Schemas['SenderListEntries']
  }
  'POST /sender-lists/file': {
    path: unknown
    query: unknown
    body: Schemas['SenderListUpload']
    answer: Schemas['SenderListImported']
  }
  'DELETE /sender-lists/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['SenderListEntryRemoved']
  }
  'GET /numbers': { path: unknown; query: unknown; body: undefined; answer: Schemas['ServiceNumber'][] }
  'PUT /number-grants': {
    path: unknown
    query: unknown
    body: Schemas['NumberGrant']
    answer: Schemas['ServiceNumber']
  }
  'POST /contactlists': {
    path: unknown
    query: unknown
    body: Schemas['ContactlistsDto']
    answer: Schemas['Contactlists']
  }
  'GET /contactlists': {
    path: unknown
    query: { search?: string | undefined }
    body: undefined
    answer: Schemas['Contactlists'][]
  }
  'PUT /contactlists/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['ContactlistsDto']
    answer: Schemas['Contactlists']
  }
  'GET /contactlists/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Contactlists'] }
  'DELETE /contactlists/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['ContactlistsRemovedRO']
  }
  'GET /contactlists/{id}/rcs': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['ListReach'] }
  'GET /contactlists/{id}/contacts': {
    path: { id: number }
    query: { page?: number | undefined; limit?: number | undefined; search?: string | undefined }
    body: undefined
    answer: Schemas['ContactlistsContactsRo']
  }
  'GET /contactlists/{id}/contacts-extract': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['ContactsWithId'][]
  }
  'POST /contacts': {
    path: unknown
    query: unknown
    body: Schemas['ContactsInsertDto']
    answer: Schemas['ContactsAddedRo']
  }
  'GET /contacts': {
    path: unknown
    query: { search?: string | undefined; limit?: number | undefined }
    body: undefined
    answer: { recipient: string; champ_nom: string; champ_prenom: string }[]
  }
  'POST /contacts/file/preview': {
    path: unknown
    query: unknown
    body: Schemas['ContactsFilePreviewDto']
    answer: Schemas['ContactsFilePreview']
  }
  'POST /contacts/file': {
    path: unknown
    query: unknown
    body: Schemas['ContactsInsertByFileDto']
    answer: Schemas['ContactsAddedRo']
  }
  'PUT /contacts/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['ContactsUpdate']
    answer: Schemas['ContactsWithId']
  }
  'GET /contacts/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['ContactsWithId'] }
  'DELETE /contacts/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['ContactRemovedRO']
  }
  'POST /contacts/names': {
    path: unknown
    query: unknown
    body: { numbers: string[] }
    answer: { recipient: string; champ_nom: string; champ_prenom: string }[]
  }
  'POST /segments': { path: unknown; query: unknown; body: Schemas['SegmentDto']; answer: Schemas['Segment'] }
  'GET /segments': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; search?: string | undefined }
    body: undefined
    answer: Schemas['SegmentPage']
  }
  'PUT /segments/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['SegmentDto']
    answer: Schemas['Segment']
  }
  'GET /segments/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Segment'] }
  'DELETE /segments/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['SegmentRemoved'] }
  'GET /segments/{id}/count': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['SegmentCount'] }
  'POST /segments/count': {
    path: unknown
    query: unknown
    body: Schemas['SegmentRules']
    answer: Schemas['SegmentCount']
  }
  'POST /automations': { path: unknown; query: unknown; body: Schemas['AutomationDto']; answer: Schemas['Automation'] }
  'GET /automations': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['AutomationPage']
  }
  'PUT /automations/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['AutomationDto']
    answer: Schemas['Automation']
  }
  'GET /automations/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Automation'] }
  'DELETE /automations/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['AutomationRemoved']
  }
  'GET /automations/{id}/runs': {
    path: { id: number }
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['AutomationRunPage']
  }
  'POST /trials': {
    path: unknown
    query: { resumeBefore?: boolean | undefined }
    body: Schemas['TrialDto']
    answer: Schemas['Trial'] | Schemas['TrialResume']
  }
  'GET /trials': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['TrialPage']
  }
  'GET /trials/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Trial'] }
  'PUT /trials/{id}/choose': {
    path: { id: number }
    query: unknown
    body: Schemas['TrialChoiceDto']
    answer: Schemas['Trial']
  }
  'PUT /trials/{id}/cancel': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Trial'] }
  'POST /auto-replies': { path: unknown; query: unknown; body: Schemas['AutoReplyDto']; answer: Schemas['AutoReply'] }
  'GET /auto-replies': { path: unknown; query: unknown; body: undefined; answer: Schemas['AutoReply'][] }
  'PUT /auto-replies/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['AutoReplyDto']
    answer: Schemas['AutoReply']
  }
  'GET /auto-replies/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['AutoReply'] }
  'DELETE /auto-replies/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['AutoReplyRemoved']
  }
  'GET /auto-replies/{id}/answers': {
    path: { id: number }
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['AutoReplyAnswerPage']
  }
  'GET /stops/all': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; search?: string | undefined }
    body: undefined
    answer: Schemas['StopsListRo']
  }
  'POST /stops': { path: unknown; query: unknown; body: Schemas['StopsDto']; answer: Schemas['Stops'] }
  'POST /stops/file': {
    path: unknown
    query: unknown
    body: Schemas['StopsFileUploadDto']
    answer: {
      success: boolean
      message: string
      added: number
      existing: number
      invalid: number
      errors: Schemas['LeftOutRow'][]
    }
  }
  'DELETE /stops/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'GET /stops/operator': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; search?: string | undefined }
    body: undefined
    answer: Schemas['OperatorStopPage']
  }
  'POST /stops/operator': {
    path: unknown
    query: unknown
    body: Schemas['OperatorStopDto']
    answer: Schemas['OperatorStop']
  }
  'POST /stops/operator/file': {
    path: unknown
    query: unknown
    body: Schemas['OperatorStopsFileDto']
    answer: {
      success: boolean
      message: string
      added: number
      existing: number
      invalid: number
      errors: Schemas['LeftOutRow'][]
    }
  }
  'DELETE /stops/operator/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'GET /stops/rates': {
    path: unknown
    query: { by?: 'sender' | 'message' | undefined; from?: string | undefined; to?: string | undefined }
    body: undefined
    answer: Schemas['OptOutRate'][]
  }
  'GET /messages/{id}/opt-outs': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['OptOutRate']
  }
  'GET /consents': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      search?: string | undefined
      state?: 'held' | 'withdrawn' | undefined
    }
    body: undefined
    answer: Schemas['ConsentPage']
  }
  'POST /consents': { path: unknown; query: unknown; body: Schemas['ConsentsDto']; answer: Schemas['ConsentsAdded'] }
  'POST /consents/file': {
    path: unknown
    query: unknown
    body: Schemas['ConsentsFileDto']
    answer: Schemas['ConsentsAdded']
  }
  'GET /consents/extract': { path: unknown; query: unknown; body: undefined; answer: Schemas['Consent'][] }
  'GET /consents/by-number/{number}': {
    path: { number: string }
    query: unknown
    body: undefined
    answer: Schemas['Consent'][]
  }
  'PUT /consents/by-number/{number}/withdraw': {
    path: { number: string }
    query: unknown
    body: Schemas['ConsentWithdrawal']
    answer: { success: boolean; message: string; withdrawn: number }
  }
  'GET /messages/{id}/consents': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['MessageConsent'][]
  }
  'GET /consents/keywords': { path: unknown; query: unknown; body: undefined; answer: Schemas['ConsentKeyword'][] }
  'POST /consents/keywords': {
    path: unknown
    query: unknown
    body: Schemas['ConsentKeywordDto']
    answer: Schemas['ConsentKeyword']
  }
  'DELETE /consents/keywords/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'GET /consent-keywords': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; search?: string | undefined }
    body: undefined
    answer: Schemas['OwnedConsentKeywords']
  }
  'DELETE /consent-keywords/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'POST /models': { path: unknown; query: unknown; body: Schemas['ModelsDto']; answer: Schemas['SmsTemplate'] }
  'GET /models': { path: unknown; query: unknown; body: undefined; answer: Schemas['SmsTemplate'][] }
  'PUT /models/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['ModelsUpdate']
    answer: Schemas['SmsTemplate']
  }
  'GET /models/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['SmsTemplate'] }
  'DELETE /models/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: { success: boolean; message: string }
  }
  'POST /models/rcs': { path: unknown; query: unknown; body: Schemas['RcsDto']; answer: Schemas['Models'] }
  'GET /models/rcs': { path: unknown; query: unknown; body: undefined; answer: Schemas['Models'][] }
  'PUT /models/rcs/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['RcsUpdate']
    answer: Schemas['Models']
  }
  'GET /models/rcs/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Models'] }
  'POST /pictures': { path: unknown; query: unknown; body: Schemas['PictureUpload']; answer: Schemas['Picture'] }
  'GET /pictures': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['PicturePage']
  }
  'DELETE /pictures/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['PictureRemoved'] }
  'POST /messages/sms': {
    path: unknown
    query: { resumeBefore?: boolean | undefined; confirmation?: string | undefined }
    body: Schemas['MessagesSimpleDto']
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'POST /messages/sms/dynamic': {
    path: unknown
    query: { resumeBefore?: boolean | undefined; confirmation?: string | undefined }
    body: Schemas['MessagesDynamicDto']
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'POST /messages/sms/contactlist': {
    path: unknown
    query: { resumeBefore?: boolean | undefined; confirmation?: string | undefined }
    body: Schemas['MessagesContactListDto']
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'POST /messages/sms/file': {
    path: unknown
    query: { resumeBefore?: boolean | undefined }
    body: Schemas['MessagesFileUploadDto']
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'POST /messages/rcs': {
    path: unknown
    query: { resumeBefore?: boolean | undefined; confirmation?: string | undefined }
    body: Schemas['MessagesRcsDto']
    answer: Schemas['RcsStatus'] | Schemas['RcsResume']
  }
  'POST /messages/rcs/file': {
    path: unknown
    query: { resumeBefore?: boolean | undefined }
    body: Schemas['MessagesRcsFileUploadDto']
    answer: Schemas['RcsStatus'] | Schemas['RcsResume']
  }
  'POST /messages': {
    path: unknown
    query: { resumeBefore?: boolean | undefined }
    body: Schemas['MessagesOldDto']
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'GET /messages': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      state?: 'scheduled' | 'sending' | 'sent' | 'cancelled' | 'failed' | undefined
      channel?: 'sms' | 'rcs' | undefined
      tag?: string | undefined
      from?: string | undefined
      to?: string | undefined
      search?: string | undefined
    }
    body: undefined
    answer: Schemas['MessagesHistoryRo']
  }
  'POST /messages/contactlist': {
    path: unknown
    query: { resumeBefore?: boolean | undefined; confirmation?: string | undefined }
    body: Schemas['MessagesContactListDto']
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'GET /messages/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Messages'] }
  'GET /messages/{id}/departure': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['Departure']
  }
  'GET /calendar': {
    path: unknown
    query: { from?: string | undefined; to?: string | undefined; time_zone?: string | undefined }
    body: undefined
    answer: Schemas['Calendar']
  }
  'POST /drafts': { path: unknown; query: unknown; body: Schemas['DraftDto']; answer: Schemas['Draft'] }
  'GET /drafts': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['DraftPage']
  }
  'GET /drafts/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Draft'] }
  'PUT /drafts/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['DraftChangeDto']
    answer: Schemas['Draft']
  }
  'DELETE /drafts/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['DraftRemoved'] }
  'PUT /messages/{id}/cancel': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Messages'] }
  'PUT /messages/{id}/pause': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['PausedMessage']
  }
  'PUT /messages/{id}/resume': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['Messages'] }
  'PUT /messages/{id}/labels': {
    path: { id: number }
    query: unknown
    body: Schemas['MessageLabels']
    answer: Schemas['Messages']
  }
  'GET /messages/{id}/forecast': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['MessageForecast']
  }
  'GET /messages/{id}/form': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['MessageForm'] }
  'POST /messages/{id}/resend': {
    path: { id: number }
    query: { resumeBefore?: boolean | undefined }
    body: undefined
    answer: Schemas['SmsStatus'] | Schemas['SmsResume']
  }
  'GET /messages/{id}/recipients/sms': {
    path: { id: number }
    query: { page?: number | undefined; limit?: number | undefined; deliver?: number | undefined }
    body: undefined
    answer: Schemas['MessagesDestinatairesRo']
  }
  'GET /messages/{id}/recipients/sms/extract': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['Messages_sms'][]
  }
  'GET /messages/{id}/recipients/rcs': {
    path: { id: number }
    query: { page?: number | undefined; limit?: number | undefined; deliver?: number | undefined }
    body: undefined
    answer: Schemas['MessagesDestinatairesRcsRo']
  }
  'GET /messages/{id}/recipients/rcs/extract': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['Messages_rcs'][]
  }
  'GET /messages/{id}/rcs': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['RcsShown'] }
  'GET /messages/replies': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined; message_id?: number | undefined }
    body: undefined
    answer: Schemas['RepliesHistoryRo']
  }
  'GET /messages/replies/extract': { path: unknown; query: unknown; body: undefined; answer: Schemas['Reponses'][] }
  'GET /conversations': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      search?: string | undefined
      recipient?: string | undefined
      closed?: boolean | undefined
      unread?: boolean | undefined
      assigned_to?: number | undefined
    }
    body: undefined
    answer: Schemas['ConversationsRo']
  }
  'PUT /conversations/{number}': {
    path: { number: string }
    query: unknown
    body: Schemas['ConversationChange']
    answer: Schemas['Conversation']
  }
  'GET /canned-replies': { path: unknown; query: unknown; body: undefined; answer: Schemas['CannedReply'][] }
  'POST /canned-replies': {
    path: unknown
    query: unknown
    body: Schemas['CannedReplyDto']
    answer: Schemas['CannedReply']
  }
  'GET /canned-replies/{id}': { path: { id: number }; query: unknown; body: undefined; answer: Schemas['CannedReply'] }
  'PUT /canned-replies/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['CannedReplyUpdate']
    answer: Schemas['CannedReply']
  }
  'DELETE /canned-replies/{id}': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['CannedReplyRemoved']
  }
  'GET /messages/{id}/recipients/{recipient_id}/timeline': {
    path: { id: number; recipient_id: number }
    query: unknown
    body: undefined
    answer: Schemas['TimelineStep'][]
  }
  'GET /carriers': { path: unknown; query: unknown; body: undefined; answer: Schemas['Carrier'][] }
  'PUT /carriers/{name}/sending': {
    path: { name: string }
    query: unknown
    body: Schemas['CarrierSendingChange']
    answer: Schemas['CarrierSending']
  }
  'GET /carriers/{name}/capture': {
    path: { name: string }
    query: unknown
    body: undefined
    answer: Schemas['CarrierCapture']
  }
  'PUT /carriers/{name}/capture': {
    path: { name: string }
    query: unknown
    body: Schemas['CarrierCaptureChange']
    answer: Schemas['CarrierCapture']
  }
  'GET /carriers/history': {
    path: unknown
    query: { period?: 'hour' | 'day' | 'month' | undefined; name?: string | undefined }
    body: undefined
    answer: Schemas['CarrierHistory']
  }
  'GET /carriers/queue': { path: unknown; query: unknown; body: undefined; answer: Schemas['QueueRow'][] }
  'GET /routes': { path: unknown; query: unknown; body: undefined; answer: Schemas['Route'][] }
  'GET /routes/explain': {
    path: unknown
    query: {
      to: string
      account?: number | undefined
      category?: 'transactional' | 'marketing' | undefined
      sender?: string | undefined
      channel?: 'sms' | 'rcs' | undefined
      agent?: string | undefined
    }
    body: undefined
    answer: Schemas['RouteExplanation']
  }
  'GET /price-lists': { path: unknown; query: unknown; body: undefined; answer: Schemas['PriceList'][] }
  'POST /price-lists': {
    path: unknown
    query: { check?: boolean | undefined }
    body: Schemas['PriceListDto']
    answer: Schemas['PriceImported']
  }
  'GET /price-lists/accounts': { path: unknown; query: unknown; body: undefined; answer: Schemas['PricedAccount'][] }
  'POST /price-lists/{id}/versions': {
    path: { id: number }
    query: { check?: boolean | undefined }
    body: Schemas['PriceVersionDto']
    answer: Schemas['PriceImported']
  }
  'PUT /price-lists/{id}': {
    path: { id: number }
    query: unknown
    body: Schemas['PriceListChange']
    answer: Schemas['PriceList']
  }
  'GET /price-lists/{id}/versions/{version}': {
    path: { id: number; version: number }
    query: unknown
    body: undefined
    answer: Schemas['PriceRow'][]
  }
  'PUT /accounts/{id}/price-list': {
    path: { id: number }
    query: unknown
    body: Schemas['AccountPriceList']
    answer: Schemas['AccountPriceListSet']
  }
  'PUT /subaccount/{id}/price-list': {
    path: { id: number }
    query: unknown
    body: Schemas['AccountPriceList']
    answer: Schemas['AccountPriceListSet']
  }
  'GET /users/prices': { path: unknown; query: unknown; body: undefined; answer: Schemas['OwnPrice'][] }
  'POST /carrier-costs': {
    path: unknown
    query: { check?: boolean | undefined }
    body: Schemas['CarrierCostsUpload']
    answer: Schemas['CarrierCostsImported']
  }
  'GET /carrier-costs': { path: unknown; query: unknown; body: undefined; answer: Schemas['CarrierCost'][] }
  'GET /credit-prices': { path: unknown; query: unknown; body: undefined; answer: Schemas['CreditMoney'][] }
  'PUT /accounts/{id}/credit-price': {
    path: { id: number }
    query: unknown
    body: Schemas['CreditMoneyChange']
    answer: Schemas['CreditMoney']
  }
  'PUT /subaccount/{id}/credit-price': {
    path: { id: number }
    query: unknown
    body: Schemas['CreditMoneyChange']
    answer: Schemas['CreditMoney']
  }
  'GET /margins': {
    path: unknown
    query: { from?: string | undefined; to?: string | undefined }
    body: undefined
    answer: Schemas['Margin'][]
  }
  'GET /agents': { path: unknown; query: unknown; body: undefined; answer: Schemas['Agent'][] }
  'GET /agents/grants': { path: unknown; query: unknown; body: undefined; answer: Schemas['GrantedAgent'][] }
  'PUT /agents/{agent}': {
    path: { agent: string }
    query: unknown
    body: Schemas['AgentChange']
    answer: Schemas['GrantedAgent']
  }
  'PUT /agents/{agent}/accounts/{id}': {
    path: { agent: string; id: number }
    query: unknown
    body: undefined
    answer: Schemas['GrantedAgent']
  }
  'DELETE /agents/{agent}/accounts/{id}': {
    path: { agent: string; id: number }
    query: unknown
    body: undefined
    answer: Schemas['GrantedAgent']
  }
  'POST /carriers/{name}/test': {
    path: { name: string }
    query: unknown
    body: { recipient: string }
    answer: Schemas['CarrierTest']
  }
  'GET /carriers/unmatched': {
    path: unknown
    query: { page?: number | undefined; limit?: number | undefined }
    body: undefined
    answer: Schemas['UnmatchedReceiptList']
  }
  'POST /carriers/rbm/{name}/events': {
    path: { name: string }
    query: unknown
    body: Schemas['RbmPush']
    answer: { success: boolean }
  }
  'POST /carriers/http/{name}/receipts': {
    path: { name: string }
    query: unknown
    body: unknown
    answer: { success: boolean }
  }
  'POST /carriers/http/{name}/replies': {
    path: { name: string }
    query: unknown
    body: unknown
    answer: { success: boolean }
  }
  'POST /webhooks/secret/rotate': { path: unknown; query: unknown; body: undefined; answer: Schemas['WebhookSecretRo'] }
  'GET /webhooks/deliveries': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      type?:
        | 'replies'
        | 'stops'
        | 'starts'
        | 'consents'
        | 'sms_status'
        | 'rcs_status'
        | 'clicks'
        | 'message_state'
        | 'limits'
        | 'balances'
        | 'credit_requests'
        | 'alarms'
        | undefined
      status?: 'pending' | 'succeeded' | 'retrying' | 'failed' | undefined
    }
    body: undefined
    answer: Schemas['WebhookDeliveriesRo']
  }
  'GET /webhooks': { path: unknown; query: unknown; body: undefined; answer: Schemas['WebhookConfigRo'] }
  'PUT /webhooks': {
    path: unknown
    query: unknown
    body: Schemas['webhookDtoUpdate']
    answer: Schemas['WebhookConfigRo']
  }
  'POST /webhooks/deliveries/{id}/replay': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['WebhookDeliveryRo']
  }
  'POST /webhooks/replay': {
    path: unknown
    query: unknown
    body: Schemas['WebhookReplayDto']
    answer: Schemas['WebhookReplayRo']
  }
  'POST /webhooks/test': {
    path: unknown
    query: unknown
    body: Schemas['WebhookTestDto']
    answer: Schemas['WebhookDeliveryRo']
  }
  'GET /events': {
    path: unknown
    query: {
      after?: string | undefined
      subscribe?: boolean | undefined
      types?: string | undefined
      limit?: number | undefined
      wait?: number | undefined
    }
    body: undefined
    answer: Schemas['EventFeed']
  }
  'GET /events/stream': {
    path: unknown
    query: { after?: string | undefined; subscribe?: boolean | undefined; types?: string | undefined }
    body: undefined
    answer: unknown
  }
  'GET /stats/daily': {
    path: unknown
    query: { from?: string | undefined; to?: string | undefined; channel?: 'sms' | 'rcs' | undefined }
    body: undefined
    answer: Schemas['DailyStatsRo'][]
  }
  'GET /stats/period': {
    path: unknown
    query: { from?: string | undefined; to?: string | undefined; channel?: 'sms' | 'rcs' | undefined }
    body: undefined
    answer: Schemas['PeriodResults']
  }
  'GET /stats/messages': {
    path: unknown
    query: {
      page?: number | undefined
      limit?: number | undefined
      from?: string | undefined
      to?: string | undefined
      channel?: 'sms' | 'rcs' | undefined
      sort?:
        | 'due'
        | 'recipients'
        | 'delivered'
        | 'clicked'
        | 'delivery_rate'
        | 'click_rate'
        | 'reply_rate'
        | 'opt_out_rate'
        | undefined
      direction?: 'asc' | 'desc' | undefined
    }
    body: undefined
    answer: Schemas['MessageResultPage']
  }
  'GET /stats/messages/extract': {
    path: unknown
    query: {
      from?: string | undefined
      to?: string | undefined
      channel?: 'sms' | 'rcs' | undefined
      language?: 'en' | 'fr' | undefined
    }
    body: undefined
    answer: Schemas['MessageResult'][]
  }
  'GET /stats/compare': {
    path: unknown
    query: { messages: string }
    body: undefined
    answer: Schemas['MessageResult'][]
  }
  'GET /messages/{id}/results': {
    path: { id: number }
    query: unknown
    body: undefined
    answer: Schemas['MessageResults']
  }
  'GET /messages/{id}/results/extract': {
    path: { id: number }
    query: { language?: 'en' | 'fr' | undefined }
    body: undefined
    answer: Schemas['MessageResultLine'][]
  }
  'GET /audit': {
    path: unknown
    query: {
      from?: string | undefined
      to?: string | undefined
      person?: number | undefined
      key?: number | undefined
      operation?: string | undefined
      object_kind?: string | undefined
      object_id?: string | undefined
      sends?: boolean | undefined
      account?: number | undefined
      all?: boolean | undefined
      before?: number | undefined
      limit?: number | undefined
    }
    body: undefined
    answer: Schemas['AuditPage']
  }
  'GET /audit/extract': {
    path: unknown
    query: {
      from?: string | undefined
      to?: string | undefined
      person?: number | undefined
      key?: number | undefined
      operation?: string | undefined
      object_kind?: string | undefined
      object_id?: string | undefined
      sends?: boolean | undefined
      account?: number | undefined
      all?: boolean | undefined
    }
    body: undefined
    answer: Schemas['AuditEntry'][]
  }
  'GET /contacts/by-number/{number}': {
    path: { number: string }
    query: unknown
    body: undefined
    answer: {
      recipient: string
      contacts: Schemas['ContactsWithId'][]
      is_stopped: boolean
      stop: Schemas['Stops'] | null
      consents: Schemas['Consent'][]
      replies: Schemas['Reponses'][]
      messages: {
        message_id: number
        id: number
        recipient: string
        credits_required: number
        country_code: string
        deliver: number
        deliver_label: string
        errorcode: string
        content: string
        sent_at: string | null
        delivered_at: string | null
        channel: 'rcs' | 'sms'
        read_at: string | null
        clicked_at: string | null
      }[]
      parts: { message_id: number; sender: string; part: number; parts: number; content: string; created_at: string }[]
      drafts: { draft_id: number; name: string }[]
      events: Schemas['Event'][]
      rcs: { carrier: string; is_capable: boolean; checked_at: string }[]
    }
  }
  'DELETE /contacts/by-number/{number}': {
    path: { number: string }
    query: unknown
    body: undefined
    answer: {
      success: boolean
      message: string
      contacts: number
      replies: number
      messages: number
      messages_under_way: number
      stops: number
      consents: number
      events: number
      drafts: number
    }
  }
  'GET /sandbox/phones/{number}': {
    path: { number: string }
    query: unknown
    body: undefined
    answer: { items: Schemas['SandboxMessage'][] }
  }
  'POST /sandbox/phones/{number}/replies': {
    path: { number: string }
    query: unknown
    body: { content: string }
    answer: { success: boolean; message: string }
  }
}

/** The records of events, by their type. */
export interface EventRecords {
  replies: Schemas['RepliesEventRecord']
  stops: Schemas['StopsEventRecord']
  starts: Schemas['StartsEventRecord']
  consents: Schemas['ConsentsEventRecord']
  sms_status: Schemas['SmsStatusEventRecord']
  rcs_status: Schemas['RcsStatusEventRecord']
  clicks: Schemas['ClicksEventRecord']
  message_state: Schemas['MessageStateEventRecord']
  limits: Schemas['LimitsEventRecord']
  balances: Schemas['BalancesEventRecord']
  credit_requests: Schemas['CreditRequestsEventRecord']
  alarms: Schemas['AlarmsEventRecord']
}
