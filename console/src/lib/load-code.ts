/** The code of a page could not be loaded. */
export class CodeMissing extends Error {}

/** Throws CodeMissing for code that failed to load; the errors of browsers and Vite differ. */
export async function loadCode<M>(load: () => Promise<M>): Promise<M> {
  return load().catch((cause) => {
    throw new CodeMissing('The code of a page could not be loaded.', { cause })
  })
}

/** Whether the service now serves another build of the console than this one. Undefined while it is away. */
export async function hasNewBuild(): Promise<boolean | undefined> {
  const own = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? ''
  const response = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' }).catch(() => undefined)
  return response?.ok ? !(await response.text()).includes(own) : undefined
}
