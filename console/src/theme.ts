import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { defineWords, readLanguage } from './lib/language.ts'
import { look } from './lib/look.ts'
import { shadesOf } from './lib/shades.ts'

const words = defineWords({ close: 'Close', show: 'Show or hide it' }, { close: 'Fermer', show: 'Afficher ou masquer' })

/** The blue of the icon, from paper to night. */
export const telegraph = [
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
] as const

/** Of buttons and links. Charts and states keep their own colours: a red brand must not look like a failure. */
const brand = look.colour === undefined ? telegraph : shadesOf(look.colour, telegraph)

/** Mantine's colours, but dark enough in the filled shades for white text. */
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

const orange: MantineColorsTuple = [
  '#fff4e6',
  '#ffe8cc',
  '#ffd8a8',
  '#ffc078',
  '#ffa94d',
  '#ff922b',
  '#e8590c',
  '#c2410c',
  '#a93a0c',
  '#93330b'
]

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  colors: { brand, telegraph, red, orange },
  defaultRadius: 'md',
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
  components: {
    // Its placeholder for the focus is a child that a menu may not have: screen readers miscount the items.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // A phone has no pointer to hover with: what scrolls shows it.
    ScrollArea: { defaultProps: { type: 'auto' } },
    // Beside black text, our blue tells a link by itself (3 to 1). Another colour may be too dark for that.
    Anchor: { defaultProps: { underline: look.colour === undefined ? 'hover' : 'always' } },
    Table: { defaultProps: { verticalSpacing: 'sm', highlightOnHover: true } },
    // Room for a scroll bar only where there is one. What scrolls can be reached by key.
    TableScrollContainer: {
      defaultProps: { scrollAreaProps: { offsetScrollbars: 'present', viewportProps: { tabIndex: 0 } } }
    },
    // In a row that has too little room, the text beside a badge is cut, and not the badge. In a narrow cell its words wrap.
    Badge: {
      styles: {
        root: { flexShrink: 0, height: 'auto', minHeight: 'var(--badge-height)' },
        label: { whiteSpace: 'normal', lineHeight: 1.3 }
      }
    },
    // A close button has no text. Its label is read each time, since the language may change.
    Modal: {
      defaultProps: () => ({ centered: true, closeButtonProps: closeButtonProps() }),
      styles: { title: { fontWeight: 600, lineHeight: 1.3 } }
    },
    PasswordInput: {
      defaultProps: () => ({ visibilityToggleButtonProps: { 'aria-label': words[readLanguage()].show } })
    },
    Drawer: { defaultProps: () => ({ closeButtonProps: closeButtonProps() }) },
    Notification: { defaultProps: () => ({ closeButtonProps: closeButtonProps() }) }
  }
})

const closeButtonProps = () => ({ 'aria-label': words[readLanguage()].close })
