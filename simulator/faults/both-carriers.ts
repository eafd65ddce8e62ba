import { parseRbmFaults, RBM_MARK } from '../rbm/faults.ts'
import type { Rbm } from '../rbm/rbm.ts'
import { parseFaults } from '../smpp/faults.ts'
import type { Smsc } from '../smpp/smsc.ts'

/* Fault rules for both carriers in one script. `rcs` begins a rule of the RBM platform; `behave` alone is for both. */

/** Changes the faults of both carriers. Throws on an error in the script, and changes nothing then. */
export function applyFaults(script: string, { smsc, rbm }: { smsc: Smsc; rbm: Rbm }): void {
  const { smpp, rcs } = splitFaults(script)
  parseFaults(smpp)
  parseRbmFaults(rcs)
  smsc.apply(smpp)
  rbm.apply(rcs)
}

/** Replaces the lines of the other carrier by empty lines, so that errors keep their line numbers. */
export function splitFaults(script: string): { smpp: string; rcs: string } {
  const lines = script.split('\n').map((line) => ({ line, first: line.trim().split(/\s+/)[0]?.toLowerCase() }))
  const isForBoth = (line: string) => /^\s*behave\s*(#.*)?$/i.test(line)
  return {
    smpp: lines.map(({ line, first }) => (first === RBM_MARK ? '' : line)).join('\n'),
    rcs: lines.map(({ line, first }) => (first === RBM_MARK || isForBoth(line) ? line : '')).join('\n')
  }
}
