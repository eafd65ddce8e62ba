import { parseRbmFaults, RBM_MARK } from '../rbm/faults.ts'
import type { Rbm } from '../rbm/rbm.ts'
import { parseFaults } from '../smpp/faults.ts'
import type { Smsc } from '../smpp/smsc.ts'

/* Fault rules for both carriers in one script: `rcs` begins those of the RBM platform, and `behave` alone is for both. */

/** Changes the faults of both. Throws on an error in the script, and then nothing is changed. */
export function applyFaults(script: string, { smsc, rbm }: { smsc: Smsc; rbm: Rbm }): void {
  const { smpp, rcs } = splitFaults(script)
  parseFaults(smpp)
  parseRbmFaults(rcs)
  smsc.apply(smpp)
  rbm.apply(rcs)
}

/** Lines of the other carrier are left empty, so that a mistake is told with its line. */
export function splitFaults(script: string): { smpp: string; rcs: string } {
  const lines = script.split('\n').map((line) => ({ line, first: line.trim().split(/\s+/)[0]?.toLowerCase() }))
  const isForBoth = (line: string) => /^\s*behave\s*(#.*)?$/i.test(line)
  return {
    smpp: lines.map(({ line, first }) => (first === RBM_MARK ? '' : line)).join('\n'),
    rcs: lines.map(({ line, first }) => (first === RBM_MARK || isForBoth(line) ? line : '')).join('\n')
  }
}
