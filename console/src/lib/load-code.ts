/** The code of a page could not be had. */
export class CodeMissing extends Error {}

/** Fails in a way that tells what it was that failed; the browser's words and Vite's differ. */
export async function loadCode<M>(load: () => Promise<M>): Promise<M> {
  return load().catch((cause) => {
    throw new CodeMissing('The code of a page could not be loaded.', { cause })
  })
}

/** Whether the service serves another build of the console by now than the one that runs here. Undefined while it is away. */
export async function hasNewBuild(): Promise<boolean | undefined> {
  const own = document.querySelector('script[type=module][src]')?.getAttribute('src') ?? ''
  const response = await fetch(import.meta.env.BASE_URL, { cache: 'no-store' }).catch(() => undefined)
  return response?.ok ? !(await response.text()).includes(own) : undefined
}
