import { Box, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useFormats } from '../../../lib/format.ts'
import { defineWords, useWords } from '../../../lib/language.ts'
import { contrastOf, shadesOf } from '../../../lib/shades.ts'
import { telegraph } from '../../../theme.ts'
import { Brand } from '../../../ui/brand.tsx'

const words = defineWords(
  {
    light: 'Preview, light theme',
    dark: 'Preview, dark theme',
    button: 'Send',
    link: 'All messages',
    contrast: (ratio: string) => `Contrast of buttons: ${ratio} to 1`,
    darkened: (colour: string) => `This colour is too light for white text: buttons and links use ${colour}.`
  },
  {
    light: 'Aperçu, thème clair',
    dark: 'Aperçu, thème sombre',
    button: 'Envoyer',
    link: 'Tous les messages',
    contrast: (ratio: string) => `Contraste des boutons : ${ratio} pour 1`,
    darkened: (colour: string) =>
      `Cette couleur est trop claire pour un texte blanc : boutons et liens utilisent ${colour}.`
  }
)

/** The grounds, texts and shades of both themes, as theme.ts and Mantine have them. */
const THEMES = {
  light: { ground: '#ffffff', text: '#000000', filled: 7, link: 7 },
  dark: { ground: '#242424', text: '#c9c9c9', filled: 6, link: 4 }
} as const

/** What a name, colour and logo look like in both themes, whichever the person has. */
export function LookPreview({ name, colour, logo }: { name: string; colour: string | undefined; logo: string | null }) {
  const say = useWords(words)
  const formats = useFormats()
  const shades = colour === undefined ? telegraph : shadesOf(colour, telegraph)
  const filled = shades[THEMES.light.filled]
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {(['light', 'dark'] as const).map((theme) => (
          <Box
            key={theme}
            component="section"
            aria-label={say[theme]}
            p="sm"
            bg={THEMES[theme].ground}
            c={THEMES[theme].text}
            style={{ border: '1px solid var(--mantine-color-default-border)', borderRadius: 8, overflow: 'hidden' }}
          >
            <Brand name={name} logo={logo ?? undefined} />
            <Group gap="sm" my="xs">
              <Text
                size="sm"
                fw={600}
                px="sm"
                py={4}
                bg={shades[THEMES[theme].filled]}
                c="#ffffff"
                style={{ borderRadius: 8 }}
              >
                {say.button}
              </Text>
              <Text size="sm" c={shades[THEMES[theme].link]}>
                {say.link}
              </Text>
            </Group>
            <Text size="xs">
              {say.contrast(formats.number(Math.round(contrastOf('#ffffff', shades[THEMES[theme].filled]) * 10) / 10))}
            </Text>
          </Box>
        ))}
      </SimpleGrid>
      {colour !== undefined && filled !== colour.toLowerCase() && (
        <Text size="sm" role="status">
          {say.darkened(filled)}
        </Text>
      )}
    </Stack>
  )
}
