import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core'
import { IconCheck, IconLanguage } from '@tabler/icons-react'
import { defineWords, type Language, setLanguage, useLanguage, useWords } from '../lib/language.ts'

const words = defineWords(
  {
    label: 'Language and appearance',
    language: 'Language',
    appearance: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    auto: 'System'
  },
  {
    label: 'Langue et apparence',
    language: 'Langue',
    appearance: 'Apparence',
    light: 'Clair',
    dark: 'Sombre',
    auto: 'Système'
  }
)

const LANGUAGES: Record<Language, string> = { en: 'English', fr: 'Français' }

export function AppearanceMenu() {
  const say = useWords(words)
  const language = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const mark = (isChosen: boolean) => (isChosen ? <IconCheck size={14} aria-hidden /> : <span style={{ width: 14 }} />)
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" aria-label={say.label}>
          <IconLanguage size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{say.language}</Menu.Label>
        {(['en', 'fr'] as const).map((each) => (
          <Menu.Item key={each} lang={each} leftSection={mark(each === language)} onClick={() => setLanguage(each)}>
            {LANGUAGES[each]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label>{say.appearance}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((each) => (
          <Menu.Item key={each} leftSection={mark(each === colorScheme)} onClick={() => setColorScheme(each)}>
            {say[each]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
