/*
 * When a dialog or a menu closes, the focus returns to the element that opened it. The components do that, except for dialogs that
 * are unmounted while open, and for dialogs that a menu opened, whose item is gone by then. Without this, the focus would be on
 * nothing, and a keyboard user would begin again at the top of the page.
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
    // The focus may leave by a click beside the element, which is intended, or by unmounting. A moment later it is clear which.
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
