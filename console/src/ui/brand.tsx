import { Group, Image, Text } from '@mantine/core'
import { type Look, look } from '../lib/look.ts'

/** The logo and the name. On a phone a logo stands for the name, which the link around it says. */
export function Brand({ name = look.name, logo = look.logo }: Partial<Pick<Look, 'name' | 'logo'>>) {
  return (
    <Group gap="xs" wrap="nowrap">
      {logo !== undefined && <Image src={logo} alt="" h={28} w="auto" maw={140} fit="contain" />}
      <Text fw={700} size="lg" className="cut" maw={{ base: 120, sm: 260 }}>
        {name}
      </Text>
    </Group>
  )
}
