import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { defineWords, readLanguage } from './lib/language.ts'

const words = defineWords({ close: 'Close' }, { close: 'Fermer' })

/** The blue of the icon, from paper to night. */
const telegraph: MantineColorsTuple = [
  '#ecf4fb',
  '#d9e6f3',
  '#b0cce7',
  '#84b0db',
  '#5f98d0',
  '#4889ca',
  '#3377bb',
  '#1c5d99',
  '#195489',
  '#0f3f69'
]

/** As Mantine's, but dark enough from the filled shades on for white words. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#e03131',
  '#c92a2a',
  '#b02525',
  '#961f1f'
]

export const theme = createTheme({
  primaryColor: 'telegraph',
  primaryShade: { light: 7, dark: 6 },
  colors: { telegraph, red },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // What is quiet must still be read by everybody: 4.5 to 1 on paper and at night.
    Text: { defaultProps: {} },
    Table: { defaultProps: { verticalSpacing: 'sm', highlightOnHover: true } },
    // A cross has no name of its own; read anew each time, since the language may change.
    Modal: {
      defaultProps: () => ({ centered: true, closeButtonProps: closeButtonProps() }),
      styles: { title: { fontWeight: 600, lineHeight: 1.3 } }
    },
    Notification: { defaultProps: () => ({ closeButtonProps: closeButtonProps() }) }
  }
})

const closeButtonProps = () => ({ 'aria-label': words[readLanguage()].close })
