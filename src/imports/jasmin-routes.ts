import type { CarrierDraft, Note, RouteDraft } from './imported.ts'
import type { JcliCommand } from './jasmin-session.ts'

/* The routes of `mtrouter -l`: an order, a type, a rate, connectors and filters in columns. */

const ROW = /^#(\d+)\s+(\w+)\s+(\S+(?: \(!\))?)\s+((?:\w+\([^)]*\)(?:,\s*)?)+)\s*(.*)$/

/** Routes by prefix. Jasmin goes from the highest order down; of two routes with one prefix, the first counts. */
export function readRoutes(
  command: JcliCommand | undefined,
  { carriers, notes }: { carriers: readonly { cid: string; carrier: CarrierDraft }[]; notes: Note[] }
): RouteDraft[] {
  if (!command)
    return carriers.length > 0
      ? [
          routeTo(
            '',
            carriers.map(({ carrier }) => carrier.name)
          )
        ]
      : []
  const { file } = command
  const routes: RouteDraft[] = []
  for (const { text, line } of command.output) {
    const [, order, type = '', rate = '', connectors = '', filters = ''] = ROW.exec(text) ?? []
    if (order === undefined) continue
    const note = (why: string) => notes.push({ file, line, what: `route ${order} (${type})`, why })
    const names = [...connectors.matchAll(/\(([^()]*)\)/g)].flatMap(([, cid = '']) => {
      const found = carriers.find((each) => each.cid === cid)
      if (!found) note(`leads to ${cid}, which is no carrier of the new file`)
      return found ? [found.carrier.name] : []
    })
    const prefix = prefixOf(filters)
    if (prefix === undefined) {
      note(`matches ${filters}: routes match numbers by prefix, accounts, senders and categories; write it by hand`)
    } else if (names.length > 0 && routes.some((route) => route.prefix === prefix)) {
      note('an earlier route has the same prefix')
    } else if (names.length > 0) {
      routes.push(routeTo(prefix, names))
      if (type === 'RandomRoundrobinMTRoute') note('takes its connectors in their order, the first that is up')
      if (!/^0(\.0*)?( \(!\))?$/.test(rate)) note(`has the rate ${rate}: prices are a table of Chappe`)
    }
  }
  return routes
}

function routeTo(prefix: string, carriers: string[]): RouteDraft {
  return { channel: 'sms', prefix, carriers }
}

/** The prefix of a route's filters; undefined when they say anything else. */
function prefixOf(filters: string): string | undefined {
  const given = filters.split(/,\s*(?=<)/).filter((each) => each !== '' && each !== '<T>')
  if (given.length === 0) return ''
  const [filter = ''] = given
  // A regular expression that says only how a number begins.
  const begin = /^<DA \(dst_addr=\^?(?:\\\+|\+|\[\+\])?\??(\d{1,15})(?:\.\*|\\d[+*]|\[0-9\][+*])?\$?\)>$/.exec(
    filter
  )?.[1]
  return given.length === 1 && filter.includes('=^') ? begin : undefined
}
