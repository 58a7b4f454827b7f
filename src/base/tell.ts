/**
 * tell: calls somebody else's function, whose fault must not become ours: it surfaces by itself, as an uncaught one, and
 * whoever is told next is still told.
 */
export function tell(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
