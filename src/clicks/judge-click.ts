import type { IncomingHttpHeaders } from 'node:http'
import type { Openings } from './openings.ts'
import { isRobotAgent } from './robots.ts'

/*
 * Robot clicks are filtered out. Every opening gets the same redirect; only people are counted.
 *
 * Some signs are certain, and one of them is enough: isCertainlyRobot(), or a hundred links within seconds. People may show the
 * other signs by chance, so it takes two of them:
 * - many openings from one address within seconds (but phones of a mobile carrier may share an address);
 * - an opening within two seconds of the message (but a person may be quick);
 * - no language (but there are odd browsers).
 * A click that came soon, without another sign, waits for some seconds: it may be the first of many. A person who was taken
 * for a robot is counted when they open the link again.
 */

/** A program by its own headers: it asks for the head only, names itself, or fetches ahead of a person. */
export function isCertainlyRobot(method: string, headers: IncomingHttpHeaders): boolean {
  return method !== 'GET' || isRobotAgent(headers['user-agent']) || isAhead(headers) || isNoPage(headers)
}

/** Headers with which Chrome, Firefox, Safari and the browsers of Facebook's apps mark a page that they load ahead. */
function isAhead(headers: IncomingHttpHeaders): boolean {
  for (const name of AHEAD_HEADERS) {
    const value = headers[name]
    if (value !== undefined && AHEAD.test(String(value))) return true
  }
  return false
}

const AHEAD_HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz']
const AHEAD = /prefetch|prerender|preview|instant/i

/** A browser that loads the link as a picture, a script or data: there was no tap. */
function isNoPage(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest']
  return destination !== undefined && destination !== 'document' && destination !== 'iframe' && destination !== 'frame'
}

/** An opening that may be that of a person. */
export interface Opening {
  /** Milliseconds. */
  at: number
  /** Whether it sent a language; every browser does. */
  hasLanguage: boolean
  /** The network of the client; undefined when it is no evidence, as behind an unknown proxy. */
  network: string | undefined
}

/** This many signs make a robot. */
export const ROBOT_SIGNS = 2

/** A person takes longer to read a message and tap its link: a sooner click is a sign. */
export const SOON_MS = 2_000

/** The number of signs of a robot, apart from the time of the click. */
export function signsOf({ at, hasLanguage, network }: Opening, openings: Openings): number {
  if (network === undefined) return Number(!hasLanguage)
  if (openings.isFlood(network, at)) return ROBOT_SIGNS
  return Number(!hasLanguage) + Number(openings.isBurst(network, at))
}
