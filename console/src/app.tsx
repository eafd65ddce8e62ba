import { MantineProvider } from '@mantine/core'
import { ModalsProvider, modals } from '@mantine/modals'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect } from 'react'
import { createQueryClient } from './lib/queries.ts'
import { useSession } from './lib/session.ts'
import { forgetPersonal } from './lib/store.ts'
import { router } from './router.tsx'
import { theme } from './theme.ts'

const queryClient = createQueryClient((error) => notifications.show({ color: 'red', message: error.message }))

export function App() {
  const session = useSession()
  useEffect(() => {
    // Nothing of the account before may be left for the next one.
    if (!session) {
      queryClient.clear()
      modals.closeAll()
      notifications.clean()
      forgetPersonal()
    }
    void router.invalidate()
  }, [session])
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <ModalsProvider>
          {/* A notice under the pointer stays, so it must not lie over the actions of a page, which are at its top. */}
          <Notifications position="bottom-center" />
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}
