import type { TSchema } from 'typebox'
import { Settings } from '../src/config.ts'

const HEADER = `# Settings

All settings are environment variables. \`npm run docs:settings\` writes this page from \`src/config.ts\`, and a test checks
that it is current. Mistakes stop the start; all of them are reported together, with a sentence each. An empty variable
counts as not set. The log reports an unknown \`CHAPPE_…\` variable.

| setting | default | meaning |
|---|---|---|
`

/** docs/settings.md, from the one schema of the settings. */
export function settingsTable(): string {
  const rows = Object.entries(Settings.properties as Record<string, TSchema>).map(([name, schema]) => {
    const { default: fallback, description = '', ...bounds } = schema as { default?: unknown; description?: string }
    const shown = fallback === undefined || fallback === '' ? 'none' : `\`${fallback}\``
    return `| ${name} | ${shown} | ${description}${boundsOf(bounds)} |`
  })
  return `${HEADER}${rows.join('\n')}\n`
}

function boundsOf({ minimum, maximum, minLength, maxLength, enum: values }: Record<string, unknown>): string {
  if (Array.isArray(values)) return ` One of ${values.map((value) => `\`${value}\``).join(', ')}.`
  if (minimum !== undefined) return ` From ${minimum} to ${maximum}.`
  if (minLength !== undefined && maxLength !== undefined) return ` ${minLength} to ${maxLength} characters.`
  return ''
}
