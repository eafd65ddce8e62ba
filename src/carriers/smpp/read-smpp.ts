import { type Reading, readSettings } from '../check-settings.ts'
import { memberOf, textAt } from '../json-places.ts'
import { shown } from '../mistakes.ts'
import { readCertificates } from '../named-files.ts'
import { readSenders } from '../sms-settings.ts'
import { SmppSettings } from './smpp-settings.ts'

/** The settings, with the text of the file that `tls.ca` names. */
export type SmppCarrierSettings = SmppSettings & { caText?: string }

export function readSmpp(reading: Reading, { folder }: { folder: string }): SmppCarrierSettings {
  const settings = readSettings(SmppSettings, reading)
  const caText = readCa(reading, folder)
  return {
    ...(settings as SmppSettings),
    ...readSenders(reading, settings),
    ...(caText !== undefined && { caText })
  }
}

function readCa({ node, path, mistakes }: Reading, folder: string): string | undefined {
  const ca = textAt(memberOf(node, 'tls'), 'ca')
  if (ca === undefined || ca.value === '') return undefined
  const read = readCertificates(folder, ca.value)
  if ('text' in read) return read.text
  mistakes.add(ca, `${path}.tls.ca`, `names a file that ${read.problem}; it is ${shown(ca.value)}`)
  return undefined
}
