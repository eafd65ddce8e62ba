import type { Reading } from './check-settings.ts'
import { textAt } from './json-places.ts'
import { type CarrierKind, type ConfiguredCarrier, configure } from './kind.ts'
import { shown } from './mistakes.ts'

interface NamedCarrier {
  name: { value: string; line: number } | undefined
  kind: CarrierKind | undefined
  carrier: ConfiguredCarrier | undefined
}

/**
 * Answers name and kind also when the rest is wrong, so that the routes can be checked against them. The carrier itself
 * is there only if no mistake was found.
 */
export function readCarrier(
  reading: Reading,
  { kinds, folder }: { kinds: readonly CarrierKind[]; folder: string }
): NamedCarrier {
  const { node, path, mistakes } = reading
  if (node.kind !== 'object') {
    mistakes.add(node, path, 'must be an object')
    return { name: undefined, kind: undefined, carrier: undefined }
  }
  const name = textAt(node, 'name')
  const written = node.members.get('type')?.node
  const kind = kinds.find((known) => written?.kind === 'scalar' && written.value === known.name)
  if (kind) {
    const settings = kind.read(reading, { folder })
    // Settings with a mistake have gaps, which traitsOf() must not meet. The file is refused anyway.
    const isWhole = settings !== undefined && mistakes.count === 0
    return { name, kind, carrier: isWhole ? configure(kind, settings) : undefined }
  }
  const names = kinds.map((known) => JSON.stringify(known.name)).join(' or ')
  if (!written) mistakes.add(node, `${path}.type`, `is missing: write ${names}`)
  else {
    const value = written.kind === 'scalar' ? `; it is ${shown(written.value)}` : ''
    mistakes.add(written, `${path}.type`, `must be ${names}${value}`)
  }
  return { name, kind: undefined, carrier: undefined }
}
