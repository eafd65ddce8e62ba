import type { IncomingHttpHeaders } from 'node:http'
import type { Openings } from './openings.ts'
import { isRobotAgent } from './robots.ts'

/*
 * Who opened a link. Everybody gets the same redirect; only people are counted.
 *
 * Some things only programs do, and one of them is enough (isCertainlyRobot, and a hundred links within seconds). Others people may
 * do as well, by chance, so it takes two: to be one of many openings from one address within seconds (or it is an
 * address that a mobile carrier shares out), to come within two seconds of the message (or somebody is quick), to send no
 * language (or it is an odd browser). One that came soon, and has no other sign, is put off for some seconds: it may have been
 * the first of many. A person who is taken for a robot is counted when they open it again.
 */

/** A program, by what it says itself: it asks for the head only, names itself, or fetches ahead of a person. */
export function isCertainlyRobot(method: string, headers: IncomingHttpHeaders): boolean {
  return method !== 'GET' || isRobotAgent(headers['user-agent']) || isAhead(headers) || isNoPage(headers)
}

/** Chrome, Firefox, Safari and the browsers within Facebook's apps say so when they load what might be opened next. */
function isAhead(headers: IncomingHttpHeaders): boolean {
  for (const name of AHEAD_HEADERS) {
    const value = headers[name]
    if (value !== undefined && AHEAD.test(String(value))) return true
  }
  return false
}

const AHEAD_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
const AHEAD = /prefetch|prerender|preview|instant/i

/** A browser that loads it as a picture, a script or data: nobody has tapped on that. */
function isNoPage(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest']
  return destination !== undefined && destination !== 'document' && destination !== 'iframe' && destination !== 'frame'
}

/** What is remembered of an opening that may be a person's. */
export interface Opening {
  /** Milliseconds. */
  at: number
  /** Every browser sends one. */
  hasLanguage: boolean
  /** Where it came from; undefined when that may stand for anybody. */
  network: string | undefined
}

/** So many signs make a robot. */
export const ROBOT_SIGNS = 2

/** Nobody reads a message and taps its link in less: it is one sign more. */
export const SOON_MS = 2_000

/** How many signs there are that it was no person, apart from how soon it came. */
export function signsOf({ at, hasLanguage, network }: Opening, openings: Openings): number {
  if (network === undefined) return Number(!hasLanguage)
  if (openings.isFlood(network, at)) return ROBOT_SIGNS
  return Number(!hasLanguage) + Number(openings.isBurst(network, at))
}
