import { Button } from '@mantine/core'
import { IconReportMoney } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useMay } from '../features/account/api/may.ts'
import { useMe } from '../features/account/api/me.ts'
import { MyPrices } from '../features/prices/components/my-prices.tsx'
import { PriceLists } from '../features/prices/components/price-lists.tsx'
import { defineWords, useWords } from '../lib/language.ts'
import { Page } from '../ui/page.tsx'
import { PageLoading } from '../ui/states.tsx'

const words = defineWords(
  { title: 'Prices', about: 'What messages cost, in credits.', margins: 'Margins' },
  { title: 'Tarifs', about: 'Le coût des messages, en crédits.', margins: 'Marges' }
)

export function Prices() {
  const say = useWords(words)
  const me = useMe()
  const maySet = useMay('account')
  if (!me) return <PageLoading />
  const isSeller = maySet && me.role !== 'sub-account'
  return (
    <Page
      title={say.title}
      about={say.about}
      actions={
        isSeller && (
          <Button
            variant="default"
            leftSection={<IconReportMoney size={16} aria-hidden />}
            component={Link}
            to="/margins"
          >
            {say.margins}
          </Button>
        )
      }
    >
      <MyPrices />
      {isSeller && <PriceLists isOperator={me.role === 'operator'} timeZone={me.time_zone} />}
    </Page>
  )
}
