/*
 * When a dialog or a menu goes, the focus goes back to what opened it. The components do that for those that close, not for those that
 * are taken away as they are, nor for dialogs that a menu opened, whose item is gone by then: the focus would be on nothing, and who goes
 * by keyboard begins again at the top of the page.
 */

const LAYERS = '[role=dialog], [role=menu], [role=listbox]'

export function watchFocus(): void {
  let opener: HTMLElement | undefined
  let focused: Element | undefined
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    focused = target
    if (!target.closest(LAYERS)) opener = target
  })
  document.addEventListener('focusout', ({ target }) => {
    // Left, and not taken away: whoever clicked beside it wants it nowhere. Which of both it is shows afterwards.
    setTimeout(() => {
      if (focused === target && focused?.isConnected) focused = undefined
    })
  })
  new MutationObserver(() => {
    if (!focused || focused.isConnected || document.activeElement !== document.body) return
    focused = undefined
    opener?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}
