/** What happens to marketing for people without a consent: nothing, it is counted, or they are dropped. */
export const CONSENT_MODES = ['off', 'warn', 'enforce'] as const
export type ConsentMode = (typeof CONSENT_MODES)[number]

/** The strictest of some modes: nobody makes the mode of the installation, or of the account above, looser. */
export function strictest(...modes: readonly (ConsentMode | null | undefined)[]): ConsentMode {
  return modes.reduce<ConsentMode>(
    (most, mode) => (mode && CONSENT_MODES.indexOf(mode) > CONSENT_MODES.indexOf(most) ? mode : most),
    'off'
  )
}

/** So many marketing messages to one person in so many days. */
export interface MarketingCap {
  messages: number
  days: number
}
