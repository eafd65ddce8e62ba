import { Page } from '../ui/page.tsx'

export function Send() {
  return <Page title="Send">…</Page>
}
