import { useMediaQuery } from '@mantine/hooks'

/** Whether the screen is narrow, as that of a phone: there the menu is put away too. */
export const useIsPhone = (): boolean =>
  useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false })
