/**
 * tell: calls a function of the host. What it throws surfaces as an uncaught error of its own, and the next function is
 * still called.
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
