import { Page } from '../ui/page.tsx'

export function PhonePage() {
  return <Page title="PhonePage">…</Page>
}
