import { Grid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'

/** The width of the page and not of the screen: the virtual phone beside it takes a part of that. */
const WIDTHS = { xs: '400px', sm: '500px', md: '800px', lg: '950px', xl: '1200px' }

/** The fields of a message, and beside them its cost and what it looks like. */
export function ComposerGrid({ fields, beside }: { fields: ReactNode; beside: ReactNode }) {
  return (
    <Grid gap="lg" type="container" breakpoints={WIDTHS}>
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        <Stack gap="lg">{fields}</Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <Stack gap="lg" style={{ position: 'sticky', top: 72 }}>
          {beside}
        </Stack>
      </Grid.Col>
    </Grid>
  )
}
