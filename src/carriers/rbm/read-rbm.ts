import { type Reading, readSettings } from '../check-settings.ts'
import { textAt } from '../json-places.ts'
import { shown } from '../mistakes.ts'
import { isWebAddress } from '../named-files.ts'
import { RbmSettings, type ServiceAccountKey } from './rbm-settings.ts'
import { readServiceAccount } from './read-service-account.ts'

/** The settings, with the key that the file `serviceAccount` holds. */
export type RbmCarrierSettings = RbmSettings & { key: ServiceAccountKey }

/** Undefined when the key file can't be used: a mistake has been added then. */
export function readRbm(reading: Reading, { folder }: { folder: string }): RbmCarrierSettings | undefined {
  const settings = readSettings(RbmSettings, reading)
  const { node, path, mistakes } = reading
  const baseUrl = textAt(node, 'baseUrl')
  for (const key of ['baseUrl', 'managementUrl'] as const) {
    const written = textAt(node, key)
    if (!written || settings[key] === undefined || isBaseUrl(written.value)) continue
    // Not quoted: where credentials are refused, they may stand.
    mistakes.add(
      written,
      `${path}.${key}`,
      'must be an http or https address without credentials, query and fragment, such as https://rcs.example.com'
    )
  }
  const file = textAt(node, 'serviceAccount')
  if (!file || settings.serviceAccount === undefined) return undefined
  const read = readServiceAccount(folder, file.value)
  if ('key' in read) {
    const baseUrlTidy = (baseUrl?.value ?? '').replace(/\/+$/, '')
    return { ...(settings as RbmSettings), baseUrl: baseUrlTidy, key: read.key }
  }
  mistakes.add(file, `${path}.serviceAccount`, `names a file that ${read.problem}; it is ${shown(file.value)}`)
  return undefined
}

function isBaseUrl(text: string): boolean {
  if (!isWebAddress(text)) return false
  const { username, password, search, hash } = new URL(text)
  return [username, password, search, hash].every((part) => part === '')
}
