import { Page } from '../ui/page.tsx'

export function SubAccountPage() {
  return <Page title="SubAccountPage">…</Page>
}
