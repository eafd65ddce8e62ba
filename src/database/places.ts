/*
 * Where each table is once the database is distributed over the nodes of a Citus cluster. The tables with a row for each person
 * are spread by account. All others are on the coordinator.
 *
 * A transaction that writes both kinds must commit on all nodes or on none. Citus commits in two phases only if it knows all
 * tables that were written. So each transaction that writes a distributed table also writes one that is known to Citus.
 */

export type Place = 'distributed' | 'known' | 'local'

/** The column that decides on which node a row of a distributed table is. */
export const DISTRIBUTION_COLUMN = 'account_id'

export const PLACES: Readonly<Record<string, Place>> = {
  ...at('distributed', 'contacts recipients timeline_steps'),
  ...at('known', 'contact_lists messages'),
  ...at(
    'local',
    `account_limits account_price_lists accounts agent_grants agents alarms alert_turns alerts api_keys attempts audit_entries automation_people automation_runs automations auto_replies auto_reply_answers batches callback_queue
    canned_replies captured_pdus carrier_binds carrier_captures carrier_errors carrier_figures carrier_pauses carrier_polls carrier_states carrier_statuses confirmations consent_keywords consent_requests consents contact_segments conversation_states credit_balances credit_days
    credit_entries credit_figure_days credit_figure_progress credit_figures credit_requests credit_reservations deadlines departures doubts drafts erased_stops erasure_keys event_subscriptions events expiries external_ids
    figure_changes figure_progress figures group_figures id_ranges idempotent_answers identities inbound_ids invitations link_visitors look_hosts looks
    mails marketing_uses memberships message_callbacks message_counts message_figures message_forms message_groups message_types notices number_grants number_hours
    operator_stops opt_outs parked_receipts passkey_challenges passkeys password_resets pending_erasures people
    phone_accounts pictures carrier_costs conversation_charges cost_figures credit_money price_lists price_register price_versions prices rbm_events rcs_capabilities rcs_conversations rcs_messages rcs_waits recovery_codes removals replies reply_segments
    scheduled_messages schema_migrations sender_list_entries sender_modes sender_proofs sender_register senders sessions
    short_links sign_on_attempts sign_on_tickets smpp_binds smpp_credentials smpp_deliveries smpp_parts smpp_submits
    statement_balances statement_months statement_series statement_uses statements stops submissions templates token_keys totp_secrets trial_people trials uncounted_messages untold_cancels webhook_deliveries
    webhook_queue webhook_secrets webhook_turns webhooks`
  )
}

function at(place: Place, names: string): Record<string, Place> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, place]))
}

/** The tables at a place, in the order in which they are moved there. */
export function tablesAt(place: Place): string[] {
  return Object.keys(PLACES).filter((table) => PLACES[table] === place)
}
