import { Page } from '../ui/page.tsx'

export function SubAccounts() {
  return <Page title="SubAccounts">…</Page>
}
