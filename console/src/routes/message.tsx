import { Page } from '../ui/page.tsx'

export function MessagePage() {
  return <Page title="MessagePage">…</Page>
}
